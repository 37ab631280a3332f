//! Shapes under a BVH.

use std::collections::BTreeSet;

use fearless_simd::Simd;
use sunfleck_math::{Aabb, DVec3, Ray, Shape, UnitShape};

use super::{BottomLevel, validate_tree};
use crate::builder::{self, BuildOptions, BuildSettings, PrimRef};
use crate::error::{BuildError, ValidateError};
use crate::layout::{self, Bvh8, ChildRef, ITEM_LIMIT, LEAF_LIMIT};
use crate::primitive::{
    Candidate, LANES, PatchPiece, ShapeBlock, ShapeLists, ShapeRay, SlabRay, UNUSED, world_major_axis,
};
use crate::stats::{BvhStats, SkippedPrimitives};

/// Bottom-level structure of shapes, which are hollow: they are hit from both sides.
///
/// A ray hits a shape at each point where it crosses its surface. Patches are divided into pieces, which are the items
/// of leaves. [`Hit::u`](crate::Hit::u) and `v` are the location of the point: see
/// [`UnitShape::location_of`](sunfleck_math::UnitShape::location_of).
#[derive(Debug)]
pub struct Shapes {
    bvh: Bvh8,
    blocks: Vec<ShapeBlock>,
    lists: ShapeLists,
    count: usize,
    skipped: SkippedPrimitives,
}

impl Shapes {
    /// Builds the tree over `shapes`.
    ///
    /// Shapes that no ray can hit keep their index but are not in the tree: those without an area count as
    /// [`degenerate`](SkippedPrimitives::degenerate), those whose box is not finite as
    /// [`non_finite`](SkippedPrimitives::non_finite).
    ///
    /// # Errors
    /// [`BuildError::TooMany`] for 2²⁸ or more shapes, each piece of a patch counted.
    pub fn build(shapes: &[Shape], options: &BuildOptions) -> Result<Self, BuildError> {
        if shapes.len() >= ITEM_LIMIT {
            return Err(BuildError::TooMany { count: shapes.len(), limit: ITEM_LIMIT - 1 });
        }
        let mut skipped = SkippedPrimitives::default();
        let mut refs = Vec::with_capacity(shapes.len());
        let mut pieces = Vec::new();
        for (prim, shape) in (0u32..).zip(shapes) {
            let bounds = shape.bounds();
            if !(bounds.min.is_finite() && bounds.max.is_finite()) {
                skipped.non_finite += 1;
            } else if !shape.is_valid() {
                skipped.degenerate += 1;
            } else if let UnitShape::Patch(patch) = &shape.unit {
                PatchPiece::divide(prim, shape, patch, &mut pieces);
            } else {
                refs.push(PrimRef::new(&bounds, prim));
            }
        }
        let items = shapes.len() + pieces.len();
        if items >= ITEM_LIMIT {
            return Err(BuildError::TooMany { count: items, limit: ITEM_LIMIT - 1 });
        }
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        refs.extend(
            (index(shapes.len())..).zip(&pieces).map(|(item, piece)| PrimRef::new(&piece.bounds, item)),
        );
        let settings = BuildSettings::new(options, LANES, LEAF_LIMIT as usize * LANES);
        let (mut blocks, mut lists) = (Vec::new(), ShapeLists::default());
        let bvh2 = builder::build(&mut refs, &settings);
        let mut bvh = layout::collapse(&bvh2, &mut |prims| {
            let first = blocks.len();
            let block = |items| ShapeBlock::new(items, shapes, &pieces, &mut lists);
            blocks.extend(prims.chunks(LANES).map(block));
            ChildRef::leaf(index(first), index(blocks.len() - first))
        });
        bvh.set_orders(bvh2.parallel, None);
        Ok(Self { bvh, blocks, lists, count: shapes.len(), skipped })
    }

    /// Returns the tree, whose leaves are ranges of [`blocks`](Self::blocks).
    pub(crate) fn tree(&self) -> &Bvh8 {
        &self.bvh
    }

    pub(crate) fn blocks(&self) -> &[ShapeBlock] {
        &self.blocks
    }

    /// Returns the shapes that are not round spheres, to which the blocks refer.
    pub(crate) fn lists(&self) -> &ShapeLists {
        &self.lists
    }

    /// Returns the box around all shapes that can be hit, in object space; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// Returns the number of shapes, including skipped ones.
    pub fn shape_count(&self) -> usize {
        self.count
    }

    /// Returns size and SAH cost of the tree. Visits all nodes.
    pub fn stats(&self) -> BvhStats {
        let SkippedPrimitives { non_finite, degenerate, .. } = self.skipped;
        BvhStats {
            primitives: self.count - non_finite - degenerate,
            skipped: self.skipped,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Returns the memory of nodes and shapes in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.blocks) + self.lists.memory_bytes()
    }

    /// Checks the invariants; see [`Blas::validate`](crate::Blas::validate).
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds = |items| {
            let blocks: &[ShapeBlock] = self.blocks.get::<std::ops::Range<usize>>(items)?;
            Some(blocks.iter().fold(Aabb::EMPTY, |b, block| b.union(block.bounds(&self.lists))))
        };
        let prims = self.blocks.iter().flat_map(|block| block.prim_ids).filter(|&prim| prim != UNUSED);
        // Pieces have the index of their patch
        let patches: BTreeSet<u32> = self.lists.pieces.iter().map(|piece| piece.prim).collect();
        let whole = prims.filter(|prim| !patches.contains(prim));
        validate_tree(&self.bvh, whole.chain(patches.iter().copied()), &bounds, self.count, self.skipped)
    }

    /// Calls `on_hit` with lane and candidate for the first hit of each shape of a block in `[t_near, t_far]`. Returns
    /// the indices of the block's shapes.
    #[inline(always)]
    pub(crate) fn test_nearest(
        &self,
        item: usize,
        ray: &ShapeRay,
        t_far: f32,
        mut on_hit: impl FnMut(usize, &Candidate),
    ) -> [u32; LANES] {
        let Some(block) = self.blocks.get(item) else { return [UNUSED; LANES] };
        block.test(&self.lists, ray, t_far, |lane, hit, _| {
            on_hit(lane, &hit);
            true
        });
        block.prim_ids
    }
}

impl BottomLevel for Shapes {
    type Ray = ShapeRay;
    /// The normal.
    type NormalData = DVec3;

    #[inline(always)]
    fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    fn item_count(&self) -> usize {
        self.blocks.len()
    }

    #[inline(always)]
    fn prepare(&self, ray: &Ray) -> Option<ShapeRay> {
        let major = world_major_axis(ray)?;
        Some(ShapeRay::new(ray, SlabRay::for_triangles(ray.origin, ray.direction, major, &self.bvh.bounds())))
    }

    #[inline(always)]
    fn slabs(ray: &ShapeRay) -> &SlabRay {
        &ray.slabs
    }

    #[inline(always)]
    fn test<S: Simd>(
        &self,
        _: S,
        item: usize,
        ray: &ShapeRay,
        t_far: f32,
        mut on_hit: impl FnMut(Candidate, u32, DVec3) -> bool,
    ) {
        let Some(block) = self.blocks.get(item) else { return };
        block.test(&self.lists, ray, t_far, |lane, hit, normal| on_hit(hit, block.prim_ids[lane], normal));
    }

    #[inline(always)]
    fn normal(&self, normal: DVec3) -> DVec3 {
        normal
    }
}
