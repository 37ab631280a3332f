use std::ops::ControlFlow;

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use crate::builder::{self, BuildOptions, CHUNK, Corners, Monitor, Prepared, Progress, Quality, Settings};
use crate::error::{BuildError, ValidateError};
use crate::layout::{self, Bvh8, ChildRef, ITEM_LIMIT, LEAF_LIMIT, Stops};
use crate::memory;
use crate::primitive::{LANES, TriangleBlock, UNUSED, triangle_bounds};
use crate::stats::{BvhStats, SkippedPrimitives};

/// A bottom level: the triangles of one mesh, in object space, under a tree.
///
/// It keeps its own copy of the vertices and is plain data: arrays that refer to each other by index.
#[derive(Clone, Debug)]
pub struct Blas {
    pub(crate) bounds: Aabb,
    pub(crate) bvh: Bvh8,
    pub(crate) blocks: Vec<TriangleBlock>,
    triangle_count: u32,
    pub(crate) left_out: SkippedPrimitives,
    /// Whether several leaves may refer to one triangle.
    pub(crate) cuts_triangles: bool,
    /// SAH cost of the tree as built, once a refit has changed it.
    pub(crate) built_cost: Option<f64>,
}

impl Blas {
    /// Builds the tree over `triangles`, each three indices into `positions`.
    ///
    /// Triangles that nothing can hit — zero area, or a NaN or infinite vertex — keep their index but are left out of
    /// the tree; [`BvhStats::left_out`] counts them. An empty mesh is legal. The result depends on the input and the
    /// options alone, not on threads.
    ///
    /// # Errors
    /// [`BuildError::VertexOutOfRange`] for the first such triangle, [`BuildError::TooMany`] from 2²⁸ triangles on,
    /// [`BuildError::MemoryLimit`].
    pub fn build(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        Self::build_monitored(positions, triangles, options, None)
    }

    /// [`build`](Self::build) that tells how far it is and can be cancelled.
    ///
    /// # Errors
    /// As [`build`](Self::build), and [`BuildError::Cancelled`] when `progress` returned `Break`.
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
        let room = memory::room_for_duplicates(triangles.len(), options)?;
        let monitor = Monitor::new(progress, triangles.len());

        // Who takes part
        let Prepared { mut refs, live, left_out } =
            builder::prepare(positions, triangles, room, options.parallel, &monitor)?;

        // Tree
        let corners = |prim: u32| {
            let [a, b, c] = triangles[prim as usize];
            [positions[a as usize], positions[b as usize], positions[c as usize]]
        };
        let cuts_triangles = options.quality == Quality::Best;
        let settings = Settings::new(options, LANES, LEAF_LIMIT as usize * LANES);
        let cut: Option<&Corners<'_>> = if cuts_triangles { Some(&corners) } else { None };
        let bvh2 = builder::build_with(&mut refs, live, cut, &settings, &monitor);
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
        let stops: &Stops<'_> = &|items, bounds| stops(&blocks[items], bounds);
        bvh.set_orders(options.parallel, (options.quality != Quality::Fast).then_some(stops));
        monitor.finish();
        if monitor.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let bounds = bvh.bounds();
        Ok(Self { bounds, bvh, blocks, triangle_count, left_out, cuts_triangles, built_cost: None })
    }

    /// The box around all triangles that can be hit, in object space; empty if there are none.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// How many triangles were given, left-out ones included.
    pub fn triangle_count(&self) -> usize {
        self.triangle_count as usize
    }

    /// Shape and cost of the tree. Walks the tree: not for inner loops.
    pub fn stats(&self) -> BvhStats {
        let SkippedPrimitives { non_finite, degenerate, .. } = self.left_out;
        BvhStats {
            primitives: self.triangle_count() - non_finite - degenerate,
            references: self.blocks.iter().map(|block| block.triangles().count()).sum(),
            left_out: self.left_out,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Memory of nodes and triangle blocks, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.blocks)
    }

    /// Checks the invariants: the nodes are a tree, each box holds the boxes below it, and the leaves that refer to a
    /// triangle cover it: one that holds all of it, or, after [`Quality::Best`], several that hold parts.
    ///
    /// Whether parts are covered is tested at points of a barycentric lattice.
    ///
    /// # Errors
    /// The first violation found: a bug here or damaged data, never a property of the mesh.
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
                || t == 0 && missing > self.left_out.non_finite + self.left_out.degenerate
        });
        if let Some((prim, &times)) = wrong {
            return Err(ValidateError::WrongReferences { prim, times, expected: 1 });
        }

        // Triangles in parts
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

    /// All blocks, each with the box of its leaf.
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

/// Points of a triangle, rounded into its box.
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

/// Which part of the rays that meet the box of a leaf is stopped by it, about.
pub(crate) fn stops(blocks: &[TriangleBlock], bounds: &Aabb) -> f32 {
    blocks.iter().map(|block| block.stops(bounds)).sum::<f32>().min(1.0)
}

/// The triangles of a block, unused lanes marked.
fn padded(prims: &[u32]) -> [u32; LANES] {
    std::array::from_fn(|lane| prims.get(lane).copied().unwrap_or(UNUSED))
}

#[allow(clippy::cast_possible_truncation, reason = "limited by the layout's check")]
fn child_of(first: usize, count: usize) -> ChildRef {
    ChildRef::leaf(first as u32, count as u32)
}
