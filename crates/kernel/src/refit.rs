use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use crate::blas::{Blas, stops};
use crate::builder::{CHUNK, is_degenerate};
use crate::error::BuildError;
use crate::layout::{Bvh8, NODES_PER_TASK};
use crate::primitive::{LANES, TriangleBlock, triangle_bounds};
use crate::stats::SkippedPrimitives;

/// How good a tree still is after its triangles have moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refit {
    /// Surface area heuristic now; see [`BvhStats::sah_cost`](crate::BvhStats::sah_cost).
    pub sah_cost: f64,
    /// The same relative to the tree as built: how much slower rays are, roughly.
    pub cost_ratio: f64,
    /// Triangles in the tree that nothing can hit now; they are back when a later refit gives them an area.
    pub left_out: SkippedPrimitives,
    /// Triangles that could be hit now but were left out by the build: only a rebuild brings them in.
    pub missing: usize,
}

impl Refit {
    /// A tree that costs half as much again is worth a rebuild, which takes about ten refits.
    const MAX_COST_RATIO: f64 = 1.5;

    /// Whether to build anew: some triangles are missing, or the boxes have grown into each other.
    pub fn rebuild_advised(&self) -> bool {
        self.missing > 0 || self.cost_ratio > Self::MAX_COST_RATIO
    }
}

impl Blas {
    /// Moves the triangles and fits the boxes of the same tree around them: far quicker than a build, for motion that
    /// leaves neighbours together.
    ///
    /// `triangles` are those of the build, `positions` where their vertices are now. Triangles that lose their area or
    /// get NaN or infinite vertices cannot be hit until a later refit. After [`Quality::Best`](crate::Quality::Best)
    /// the boxes around parts of triangles become boxes around whole ones.
    ///
    /// # Errors
    /// [`BuildError::VertexOutOfRange`] for the first such triangle, [`BuildError::OtherTriangles`]; nothing has
    /// changed then.
    pub fn refit(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Refit, BuildError> {
        let (count, expected) = (triangles.len(), self.triangle_count());
        if count != expected {
            return Err(BuildError::OtherTriangles { count, expected });
        }
        let live = live_triangles(positions, triangles)?;
        let built_cost = *self.built_cost.get_or_insert_with(|| self.bvh.stats().sah_cost);

        let corners = |prim: u32| triangles[prim as usize].map(|i| positions[i as usize]);
        self.blocks.par_iter_mut().with_min_len(CHUNK / LANES).for_each(|block| move_block(block, corners));
        fit(&mut self.bvh, &self.blocks);
        self.bounds = self.bvh.bounds();

        // Who can be hit, and who is in the tree
        let mut in_tree = vec![false; count];
        for (_, prim) in self.blocks.iter().flat_map(TriangleBlock::triangles) {
            in_tree[prim as usize] = true;
        }
        let mut report = Refit {
            sah_cost: self.bvh.stats().sah_cost,
            cost_ratio: 1.0,
            left_out: SkippedPrimitives::default(),
            missing: 0,
        };
        for (in_tree, live) in in_tree.into_iter().zip(live) {
            match (in_tree, live) {
                (true, Life::NonFinite) => report.left_out.non_finite += 1,
                (true, Life::Degenerate) => report.left_out.degenerate += 1,
                (false, Life::Live) => report.missing += 1,
                _ => {}
            }
        }
        if built_cost > 0.0 {
            report.cost_ratio = report.sah_cost / built_cost;
        }
        Ok(report)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Life {
    Live,
    Degenerate,
    NonFinite,
}

impl Life {
    fn of(corners: &[Vec3; 3]) -> Self {
        if !corners.iter().all(|c| c.is_finite()) {
            Self::NonFinite
        } else if is_degenerate(corners) {
            Self::Degenerate
        } else {
            Self::Live
        }
    }
}

fn live_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Life>, BuildError> {
    let life = |(triangle, indices): (usize, &[u32; 3])| {
        let mut corners = [Vec3::ZERO; 3];
        for (corner, &index) in corners.iter_mut().zip(indices) {
            *corner = *positions.get(index as usize).ok_or((triangle, index))?;
        }
        Ok(Life::of(&corners))
    };
    // The first error, whatever the number of threads
    let lives: Vec<Result<Life, (usize, u32)>> =
        triangles.par_iter().enumerate().with_min_len(CHUNK).map(life).collect();
    lives.into_iter().collect::<Result<_, _>>().map_err(|(triangle, index)| BuildError::VertexOutOfRange {
        triangle,
        index,
        vertex_count: positions.len(),
    })
}

/// New vertices for the same triangles; those that cannot be hit become a single point.
fn move_block(block: &mut TriangleBlock, corners: impl Fn(u32) -> [Vec3; 3]) {
    let mut prims = [0; LANES];
    let mut used = 0;
    for (_, prim) in block.triangles() {
        prims[used] = prim;
        used += 1;
    }
    *block = TriangleBlock::new(&prims[..used], |prim| {
        let corners = corners(prim);
        match Life::of(&corners) {
            Life::Live => corners,
            Life::Degenerate => [corners[0]; 3],
            Life::NonFinite => [Vec3::ZERO; 3],
        }
    });
}

/// Boxes bottom-up: children come after their parents in memory.
fn fit(bvh: &mut Bvh8, blocks: &[TriangleBlock]) {
    bvh.nodes.par_iter_mut().with_min_len(NODES_PER_TASK).for_each(|node| {
        for slot in 0..node.children.len() {
            let child = node.children[slot];
            if child.is_leaf() && node.slots().any(|(used, _)| used == slot) {
                let bounds =
                    blocks[child.items()].iter().fold(Aabb::EMPTY, |b, block| b.union(block_bounds(block)));
                node.set(slot, &bounds, child);
            }
        }
    });
    for index in (0..bvh.nodes.len()).rev() {
        for slot in 0..bvh.nodes[index].children.len() {
            let child = bvh.nodes[index].children[slot];
            if !child.is_leaf() {
                let below = &bvh.nodes[child.node_index()];
                let bounds = below.slots().fold(Aabb::EMPTY, |b, (slot, _)| b.union(below.bounds(slot)));
                bvh.nodes[index].set(slot, &bounds, child);
            }
        }
    }
    bvh.set_orders(true, Some(&|items, bounds| stops(&blocks[items], bounds)));
}

/// The box around the triangles that can be hit.
fn block_bounds(block: &TriangleBlock) -> Aabb {
    block.triangles().fold(Aabb::EMPTY, |b, (lane, _)| {
        let corners = block.corners(lane).map(Vec3::from_array);
        if corners[0] == corners[1] && corners[1] == corners[2] {
            b
        } else {
            b.union(triangle_bounds(&corners))
        }
    })
}
