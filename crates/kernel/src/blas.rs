use sunfleck_math::{Aabb, Vec3};

use crate::builder::{self, BuildOptions, PrimRef, Settings};
use crate::error::{BuildError, ValidateError};
use crate::layout::{self, Bvh8, ChildRef, ITEM_LIMIT, LEAF_LIMIT};
use crate::primitive::{LANES, TriangleBlock, doubled_area_normal, triangle_bounds};
use crate::stats::{BvhStats, LeftOut};

/// A bottom level: the triangles of one mesh, in object space, under a tree.
///
/// It keeps its own copy of the vertices and is plain data: arrays that refer to each other by index.
#[derive(Debug)]
pub struct Blas {
    bounds: Aabb,
    bvh: Bvh8,
    blocks: Vec<TriangleBlock>,
    triangle_count: u32,
    left_out: LeftOut,
}

impl Blas {
    /// Builds the tree over `triangles`, each three indices into `positions`.
    ///
    /// Triangles that nothing can hit — zero area, or a NaN or infinite vertex — keep their index but are left out of
    /// the tree; [`BvhStats::left_out`] counts them. An empty mesh is legal. The result depends on the input and the
    /// options alone, not on threads.
    ///
    /// # Errors
    /// [`BuildError::VertexOutOfRange`] for the first such triangle, [`BuildError::TooMany`] from 2²⁸ triangles on.
    pub fn build(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        let triangle_count = u32::try_from(triangles.len())
            .ok()
            .filter(|&count| (count as usize) < ITEM_LIMIT)
            .ok_or(BuildError::TooMany { count: triangles.len(), limit: ITEM_LIMIT - 1 })?;
        check_indices(positions, triangles)?;
        let corners = |prim: u32| triangles[prim as usize].map(|i| positions[i as usize]);

        // Who takes part
        let mut left_out = LeftOut::default();
        let mut refs = Vec::with_capacity(triangles.len());
        for prim in 0..triangle_count {
            let corners = corners(prim);
            if !corners.iter().all(|c| c.is_finite()) {
                left_out.non_finite += 1;
            } else if doubled_area_normal(&corners.map(|c| c.to_array())).length_squared() == 0.0 {
                left_out.degenerate += 1;
            } else {
                refs.push(PrimRef { bounds: triangle_bounds(&corners), prim });
            }
        }

        // Tree and leaves
        let settings = Settings::new(options, LANES, LEAF_LIMIT as usize * LANES);
        let bvh2 = builder::build(&mut refs, &settings);
        drop(refs);
        let mut blocks = Vec::with_capacity(bvh2.nodes.len() / 2 + 1);
        let bvh = layout::collapse(&bvh2, &mut |prims| {
            let first = blocks.len();
            blocks.extend(prims.chunks(LANES).map(|prims| TriangleBlock::new(prims, corners)));
            child_of(first, blocks.len() - first)
        });
        blocks.shrink_to_fit();
        Ok(Self { bounds: bvh.bounds(), bvh, blocks, triangle_count, left_out })
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
        BvhStats {
            primitives: self.blocks.iter().map(|block| block.triangles().count()).sum(),
            left_out: self.left_out,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Memory of nodes and triangle blocks, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.blocks)
    }

    /// Checks the invariants: the nodes are a tree, each box holds what is below it, and leaves refer to each triangle
    /// once, but for those left out.
    ///
    /// # Errors
    /// The first violation found: a bug here or damaged data, never a property of the mesh.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let block_bounds = |block: &TriangleBlock| {
            block.triangles().fold(Aabb::EMPTY, |b, (lane, _)| {
                b.union(triangle_bounds(&block.corners(lane).map(Vec3::from_array)))
            })
        };
        self.bvh.validate(&|items| {
            Some(self.blocks.get(items)?.iter().fold(Aabb::EMPTY, |b, block| b.union(block_bounds(block))))
        })?;

        let count = self.triangle_count;
        let mut times = vec![0u32; count as usize];
        for (_, prim) in self.blocks.iter().flat_map(TriangleBlock::triangles) {
            *times.get_mut(prim as usize).ok_or(ValidateError::UnknownPrimitive { prim, count })? += 1;
        }
        let missing = times.iter().filter(|&&t| t == 0).count();
        let wrong = (0..).zip(&times).find(|&(_, &t)| {
            t > 1 || t == 0 && missing != self.left_out.non_finite + self.left_out.degenerate
        });
        wrong
            .map_or(Ok(()), |(prim, &times)| Err(ValidateError::WrongReferences { prim, times, expected: 1 }))
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

fn check_indices(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), BuildError> {
    let beyond = |&i: &u32| i as usize >= positions.len();
    let wrong = triangles
        .iter()
        .enumerate()
        .find_map(|(t, indices)| Some((t, *indices.iter().find(|&i| beyond(i))?)));
    match wrong {
        Some((triangle, index)) => {
            Err(BuildError::VertexOutOfRange { triangle, index, vertex_count: positions.len() })
        }
        None => Ok(()),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "fewer blocks than triangles, which are limited to 2^28")]
fn child_of(first: usize, count: usize) -> ChildRef {
    ChildRef::leaf(first as u32, count as u32)
}
