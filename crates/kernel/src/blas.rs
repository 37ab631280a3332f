//! Bottom-level acceleration structure of a triangle mesh.

use std::ops::ControlFlow;

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use crate::builder::{
    self, BuildOptions, BuildSettings, CHUNK, Corners, Monitor, Prepared, Progress, Quality,
};
use crate::error::{BuildError, ValidateError};
use crate::layout::{self, Bvh8, ChildRef, ITEM_LIMIT, LEAF_LIMIT, LeafHitProbability};
use crate::memory;
use crate::primitive::{LANES, TriangleBlock, UNUSED, triangle_bounds};
use crate::stats::{BvhStats, SkippedPrimitives};

/// Bottom-level acceleration structure (BLAS): a BVH over the triangles of one mesh, in object space.
///
/// It keeps its own copy of the vertices and is plain data: arrays that refer to each other by index.
#[derive(Clone, Debug)]
pub struct Blas {
    pub(crate) bounds: Aabb,
    pub(crate) bvh: Bvh8,
    pub(crate) blocks: Vec<TriangleBlock>,
    triangle_count: u32,
    pub(crate) skipped: SkippedPrimitives,
    /// Whether several leaves may refer to one triangle, after spatial splits.
    pub(crate) cuts_triangles: bool,
    /// SAH cost of the tree as built; set by the first refit.
    pub(crate) built_cost: Option<f64>,
}

impl Blas {
    /// Builds the tree over `triangles`, each three indices into `positions`.
    ///
    /// Triangles that no ray can hit, because of zero area or a NaN or infinite vertex, keep their index but are not in
    /// the tree; [`BvhStats::skipped`] counts them. An empty mesh is valid. The result depends on the input and the
    /// options only, not on the number of threads.
    ///
    /// # Errors
    /// [`BuildError::VertexOutOfRange`] for the first such triangle, [`BuildError::TooMany`] for 2²⁸ or more
    /// triangles, [`BuildError::MemoryLimit`].
    pub fn build(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        Self::build_monitored(positions, triangles, options, None)
    }

    /// As [`build`](Self::build), but calls `progress` with the finished fraction, and can be cancelled by it.
    ///
    /// # Errors
    /// As [`build`](Self::build), and [`BuildError::Cancelled`] if `progress` returned `Break`.
    pub fn build_with(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        options: &BuildOptions,
        progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
    ) -> Result<Self, BuildError> {
        Self::build_monitored(positions, triangles, options, Some(progress))
    }

    fn build_monitored(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        options: &BuildOptions,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, BuildError> {
        let triangle_count = u32::try_from(triangles.len())
            .ok()
            .filter(|&count| (count as usize) < ITEM_LIMIT)
            .ok_or(BuildError::TooMany { count: triangles.len(), limit: ITEM_LIMIT - 1 })?;
        let room = memory::duplicate_capacity(triangles.len(), options)?;
        let monitor = Monitor::new(progress, triangles.len());

        // References to the triangles that can be hit
        let Prepared { mut refs, live, skipped } =
            builder::prepare(positions, triangles, room, options.parallel, &monitor)?;

        // Tree
        let corners = |prim: u32| {
            let [a, b, c] = triangles[prim as usize];
            [positions[a as usize], positions[b as usize], positions[c as usize]]
        };
        let cuts_triangles = options.quality == Quality::Best;
        let settings = BuildSettings::new(options, LANES, LEAF_LIMIT as usize * LANES);
        let splittable: Option<&Corners<'_>> = if cuts_triangles { Some(&corners) } else { None };
        let bvh2 = builder::build_with(&mut refs, live, splittable, &settings, &monitor);
        drop(refs);
        if monitor.is_cancelled() {
            return Err(BuildError::Cancelled);
        }

        // Leaves
        memory::check_layout(&bvh2, options)?;
        let mut lists = Vec::new();
        let mut blocks = Vec::with_capacity(bvh2.prims.len() / LANES * 5 / 4);
        let mut bvh = layout::collapse(&bvh2, &mut |prims| {
            let first = lists.len().max(blocks.len());
            let parts = prims.chunks(LANES);
            if options.parallel {
                lists.extend(parts.map(padded));
            } else {
                blocks.extend(parts.map(|prims| TriangleBlock::new(prims, corners)));
            }
            child_of(first, prims.len().div_ceil(LANES))
        });
        drop(bvh2);
        blocks.shrink_to_fit();
        if options.parallel {
            let pack = |prims: &[u32; LANES]| {
                let used = prims.iter().position(|&prim| prim == UNUSED).unwrap_or(LANES);
                TriangleBlock::new(&prims[..used], corners)
            };
            blocks = lists.par_iter().with_min_len(CHUNK / LANES).map(pack).collect();
        }
        let leaf_hit_probability: &LeafHitProbability<'_> =
            &|items, bounds| leaf_hit_probability(&blocks[items], bounds);
        bvh.set_orders(options.parallel, (options.quality != Quality::Fast).then_some(leaf_hit_probability));
        monitor.finish();
        if monitor.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let bounds = bvh.bounds();
        Ok(Self { bounds, bvh, blocks, triangle_count, skipped, cuts_triangles, built_cost: None })
    }

    /// Returns the box around all triangles that can be hit, in object space; empty if there are none.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns the number of triangles of the mesh, including skipped ones.
    pub fn triangle_count(&self) -> usize {
        self.triangle_count as usize
    }

    /// Returns size and SAH cost of the tree. Visits all nodes.
    pub fn stats(&self) -> BvhStats {
        let SkippedPrimitives { non_finite, degenerate, .. } = self.skipped;
        BvhStats {
            primitives: self.triangle_count() - non_finite - degenerate,
            references: self.blocks.iter().map(|block| block.triangles().count()).sum(),
            skipped: self.skipped,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Returns the memory of nodes and triangle blocks in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.blocks)
    }

    /// Checks the invariants: the nodes are a tree, each box encloses the boxes below it, and the leaves that refer to
    /// a triangle cover it: one leaf encloses it or, after [`Quality::Best`], several leaves enclose parts of it.
    ///
    /// Coverage by several leaves is tested at the points of a barycentric lattice.
    ///
    /// # Errors
    /// The first violation found. It is caused by a bug of the kernel or by damaged data, never by the mesh.
    pub fn validate(&self) -> Result<(), ValidateError> {
        self.bvh.validate(&|items| self.blocks.get(items).map(|_| Aabb::EMPTY))?;

        // References
        let count = self.triangle_count;
        let mut times = vec![0u32; count as usize];
        let mut parts = Vec::new();
        for (bounds, block) in self.leaf_blocks() {
            for (lane, prim) in block.triangles() {
                *times.get_mut(prim as usize).ok_or(ValidateError::UnknownPrimitive { prim, count })? += 1;
                let corners = block.corners(lane).map(Vec3::from_array);
                let own = triangle_bounds(&corners);
                if !(bounds.contains(own.min) && bounds.contains(own.max)) {
                    parts.push((prim, bounds, corners));
                }
            }
        }
        let missing = times.iter().filter(|&&t| t == 0).count();
        let wrong = (0..).zip(&times).find(|&(_, &t)| {
            t > 1 && !self.cuts_triangles
                || t == 0 && missing > self.skipped.non_finite + self.skipped.degenerate
        });
        if let Some((prim, &times)) = wrong {
            return Err(ValidateError::WrongReferences { prim, times, expected: 1 });
        }

        // Triangles with several references
        parts.sort_by_key(|&(prim, ..)| prim);
        for parts in parts.chunk_by(|a, b| a.0 == b.0) {
            let (prim, _, corners) = &parts[0];
            let has_whole = times[*prim as usize] as usize > parts.len();
            let covered = |p: Vec3| parts.iter().any(|(_, bounds, _)| bounds.contains(p));
            if !has_whole && !lattice(corners).all(covered) {
                return Err(ValidateError::Uncovered { prim: *prim });
            }
        }
        Ok(())
    }

    /// Returns all blocks, each with the box of its leaf.
    fn leaf_blocks(&self) -> impl Iterator<Item = (Aabb, &TriangleBlock)> {
        let leaves = self.bvh.nodes.iter().flat_map(|node| {
            node.slots().filter(|(_, child)| child.is_leaf()).map(|(slot, child)| (node.bounds(slot), child))
        });
        leaves.flat_map(|(bounds, leaf)| self.blocks[leaf.items()].iter().map(move |block| (bounds, block)))
    }

    #[inline(always)]
    pub(crate) fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    #[inline(always)]
    pub(crate) fn blocks(&self) -> &[TriangleBlock] {
        &self.blocks
    }
}

/// Returns points of a barycentric lattice on a triangle, clamped to its box.
fn lattice(corners: &[Vec3; 3]) -> impl Iterator<Item = Vec3> {
    const STEPS: u16 = 24;
    let [a, b, c] = corners.map(|c| c.as_dvec3());
    let own = triangle_bounds(corners);
    let pairs = (0..=STEPS).flat_map(|i| (0..=STEPS - i).map(move |j| (i, j)));
    pairs.map(move |(i, j)| {
        let (u, v) = (f64::from(i) / f64::from(STEPS), f64::from(j) / f64::from(STEPS));
        (a + (b - a) * u + (c - a) * v).as_vec3().clamp(own.min, own.max)
    })
}

/// Estimates the probability that a ray that hits the box of a leaf hits one of its triangles.
pub(crate) fn leaf_hit_probability(blocks: &[TriangleBlock], bounds: &Aabb) -> f32 {
    blocks.iter().map(|block| block.hit_probability(bounds)).sum::<f32>().min(1.0)
}

/// Pads the triangle indices of a block with [`UNUSED`].
fn padded(prims: &[u32]) -> [u32; LANES] {
    std::array::from_fn(|lane| prims.get(lane).copied().unwrap_or(UNUSED))
}

#[allow(clippy::cast_possible_truncation, reason = "limited by the layout's check")]
fn child_of(first: usize, count: usize) -> ChildRef {
    ChildRef::leaf(first as u32, count as u32)
}
