//! Refit of a BLAS: new boxes for the same tree after its triangles have moved.

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use crate::blas::{Blas, leaf_hit_probability};
use crate::builder::{CHUNK, is_degenerate};
use crate::error::BuildError;
use crate::layout::{Bvh8, NODES_PER_TASK};
use crate::primitive::{LANES, TriangleBlock, triangle_bounds};
use crate::stats::SkippedPrimitives;

/// Quality of a tree after a refit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refit {
    /// SAH cost after the refit; see [`BvhStats::sah_cost`](crate::BvhStats::sah_cost).
    pub sah_cost: f64,
    /// SAH cost relative to that of the tree as built: roughly the factor by which rays are slower.
    pub cost_ratio: f64,
    /// Triangles in the tree that cannot be hit now; they can be hit again after a refit that gives them an area.
    pub skipped: SkippedPrimitives,
    /// Number of triangles that could be hit now but were skipped by the build; they need a rebuild.
    pub missing: usize,
}

impl Refit {
    /// Cost ratio from which a rebuild pays; it takes as long as about ten refits.
    const MAX_COST_RATIO: f64 = 1.5;

    /// Returns whether a rebuild is advised: triangles are missing, or boxes have come to overlap too much.
    pub fn rebuild_advised(&self) -> bool {
        self.missing > 0 || self.cost_ratio > Self::MAX_COST_RATIO
    }
}

impl Blas {
    /// Moves the triangles and recomputes the boxes of the tree, without changing its topology.
    ///
    /// It is far faster than a build, and meant for motion that keeps neighbours together. `triangles` are those of the
    /// build, `positions` the new vertex positions. Triangles that lose their area or get NaN or infinite vertices
    /// cannot be hit until a later refit. After [`Quality::Best`](crate::Quality::Best) the boxes around parts of
    /// triangles become boxes around whole ones.
    ///
    /// # Errors
    /// [`BuildError::VertexOutOfRange`] for the first such triangle, [`BuildError::TriangleCountMismatch`]; the tree
    /// is unchanged then.
    pub fn refit(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Refit, BuildError> {
        let (count, expected) = (triangles.len(), self.triangle_count());
        if count != expected {
            return Err(BuildError::TriangleCountMismatch { count, expected });
        }
        let status = classify_triangles(positions, triangles)?;
        let built_cost = *self.built_cost.get_or_insert_with(|| self.bvh.stats().sah_cost);

        let corners = |prim: u32| triangles[prim as usize].map(|i| positions[i as usize]);
        self.blocks.par_iter_mut().with_min_len(CHUNK / LANES).for_each(|block| update_block(block, corners));
        refit_nodes(&mut self.bvh, &self.blocks);
        self.bounds = self.bvh.bounds();

        // Count triangles that can be hit but are not in the tree, and the reverse.
        let mut in_tree = vec![false; count];
        for (_, prim) in self.blocks.iter().flat_map(TriangleBlock::triangles) {
            in_tree[prim as usize] = true;
        }
        let mut report = Refit {
            sah_cost: self.bvh.stats().sah_cost,
            cost_ratio: 1.0,
            skipped: SkippedPrimitives::default(),
            missing: 0,
        };
        for (in_tree, status) in in_tree.into_iter().zip(status) {
            match (in_tree, status) {
                (true, TriangleStatus::NonFinite) => report.skipped.non_finite += 1,
                (true, TriangleStatus::Degenerate) => report.skipped.degenerate += 1,
                (false, TriangleStatus::Valid) => report.missing += 1,
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
enum TriangleStatus {
    Valid,
    Degenerate,
    NonFinite,
}

impl TriangleStatus {
    fn of(corners: &[Vec3; 3]) -> Self {
        if !corners.iter().all(|c| c.is_finite()) {
            Self::NonFinite
        } else if is_degenerate(corners) {
            Self::Degenerate
        } else {
            Self::Valid
        }
    }
}

fn classify_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<TriangleStatus>, BuildError> {
    let classify = |(triangle, indices): (usize, &[u32; 3])| {
        let mut corners = [Vec3::ZERO; 3];
        for (corner, &index) in corners.iter_mut().zip(indices) {
            *corner = *positions.get(index as usize).ok_or((triangle, index))?;
        }
        Ok(TriangleStatus::of(&corners))
    };
    // The first error in the order of triangles, for any number of threads.
    let results: Vec<Result<TriangleStatus, (usize, u32)>> =
        triangles.par_iter().enumerate().with_min_len(CHUNK).map(classify).collect();
    results.into_iter().collect::<Result<_, _>>().map_err(|(triangle, index)| BuildError::VertexOutOfRange {
        triangle,
        index,
        vertex_count: positions.len(),
    })
}

/// Replaces the vertices of a block; triangles that cannot be hit become a single point.
fn update_block(block: &mut TriangleBlock, corners: impl Fn(u32) -> [Vec3; 3]) {
    let mut prims = [0; LANES];
    let mut used = 0;
    for (_, prim) in block.triangles() {
        prims[used] = prim;
        used += 1;
    }
    *block = TriangleBlock::new(&prims[..used], |prim| {
        let corners = corners(prim);
        match TriangleStatus::of(&corners) {
            TriangleStatus::Valid => corners,
            TriangleStatus::Degenerate => [corners[0]; 3],
            TriangleStatus::NonFinite => [Vec3::ZERO; 3],
        }
    });
}

/// Recomputes the boxes bottom-up. Children come after their parents in memory.
fn refit_nodes(bvh: &mut Bvh8, blocks: &[TriangleBlock]) {
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
    bvh.set_orders(true, Some(&|items, bounds| leaf_hit_probability(&blocks[items], bounds)));
}

/// Returns the box around the triangles of a block that can be hit.
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
