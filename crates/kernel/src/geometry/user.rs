use std::fmt;
use std::sync::Arc;

use fearless_simd::Simd;
use sunfleck_math::{Aabb, DVec3, Ray, Vec3};

use super::{BottomLevel, build_tree, max, min, validate_tree};
use crate::builder::{BuildOptions, PrimRef, Settings};
use crate::error::{BuildError, ValidateError};
use crate::layout::{Bvh8, ITEM_LIMIT, LEAF_LIMIT};
use crate::primitive::SlabRay;
use crate::primitive::{Candidate, world_major_axis};
use crate::stats::{BvhStats, SkippedPrimitives};

/// Primitives that only the caller knows: their bounds, and where rays meet them.
///
/// Rendering threads call it all at once, so hits must be a function of primitive and ray alone.
pub trait UserPrimitives: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The box around a primitive, in object space: with some room for the rounding errors of `intersect`, since hits
    /// outside do not count. Asked once, at build time. Empty or not finite: the primitive is never hit.
    fn bounds(&self, prim: u32) -> Aabb;

    /// The first hit with `t` in `[ray.t_near, ray.t_far]`; `t` outside or NaN is no hit.
    ///
    /// `ray` is in object space, its direction of any length. Its interval is where the ray is inside the box (and a
    /// rounding error around it) and nothing nearer was found. It decides which hit is the first and nothing else: a hit's
    /// numbers must not depend on it. After a hit that a filter refuses, the question is repeated with a later `t_near`.
    fn intersect(&self, prim: u32, ray: &Ray) -> Option<UserHit>;
}

/// A hit of user geometry, in object space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserHit {
    /// Ray parameter, in lengths of the ray's direction.
    pub t: f32,
    /// Handed on in [`Hit::u`](crate::Hit::u).
    pub u: f32,
    /// Handed on in [`Hit::v`](crate::Hit::v).
    pub v: f32,
    /// Geometric normal, of any length; zero where there is none.
    pub ng: Vec3,
}

/// What a leaf refers to.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Aabb,
    prim: u32,
}

/// A bottom level of [`UserPrimitives`].
pub struct UserGeometry {
    primitives: Arc<dyn UserPrimitives>,
    bvh: Bvh8,
    /// Boxes and indices in the order of leaves.
    items: Vec<Item>,
    count: usize,
    left_out: SkippedPrimitives,
}

impl fmt::Debug for UserGeometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserGeometry").field("items", &self.items).finish_non_exhaustive()
    }
}

impl UserGeometry {
    /// Builds the tree over all primitives.
    ///
    /// Primitives whose box is empty ([`SkippedPrimitives::degenerate`]) or not finite ([`SkippedPrimitives::non_finite`]) keep their index but
    /// are left out.
    ///
    /// # Errors
    /// [`BuildError::TooMany`] from 2²⁸ primitives on.
    pub fn build(primitives: Arc<dyn UserPrimitives>, options: &BuildOptions) -> Result<Self, BuildError> {
        let count = primitives.count();
        let limit = ITEM_LIMIT - 1;
        let prims = u32::try_from(count).ok().filter(|_| count <= limit);
        let prims = prims.ok_or(BuildError::TooMany { count, limit })?;
        let mut left_out = SkippedPrimitives::default();
        let (mut refs, mut all) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for prim in 0..prims {
            let Aabb { min, max } = primitives.bounds(prim);
            let bounds = Aabb { min: min + Vec3::ZERO, max: max + Vec3::ZERO };
            let empty = min.cmpgt(max).any();
            if empty {
                left_out.degenerate += 1;
            } else if !(min.is_finite() && max.is_finite()) {
                left_out.non_finite += 1;
            } else {
                refs.push(PrimRef::new(&bounds, prim));
                all.push(Item { bounds, prim });
            }
        }
        let (bvh, order) = build_tree(&mut refs, &Settings::new(options, 1, LEAF_LIMIT as usize));
        let item = |prim| all.binary_search_by_key(prim, |item: &Item| item.prim).ok().map(|i| all[i]);
        let items = order.iter().filter_map(item).collect();
        Ok(Self { primitives, bvh, items, count, left_out })
    }

    /// The box around all primitives that can be hit, in object space; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// What it was built from.
    pub fn primitives(&self) -> &Arc<dyn UserPrimitives> {
        &self.primitives
    }

    /// Shape and cost of the tree. Walks the tree: not for inner loops.
    pub fn stats(&self) -> BvhStats {
        BvhStats {
            primitives: self.items.len(),
            left_out: self.left_out,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Memory of nodes and boxes, bytes; without what the primitives themselves need.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.items)
    }

    /// Checks the invariants; see [`Blas::validate`](crate::Blas::validate).
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds = |items| {
            let items: &[Item] = self.items.get::<std::ops::Range<usize>>(items)?;
            Some(items.iter().fold(Aabb::EMPTY, |b, item| b.union(item.bounds)))
        };
        validate_tree(&self.bvh, self.items.iter().map(|item| item.prim), &bounds, self.count, self.left_out)
    }

    /// The hits of one primitive, as [`BottomLevel::test`].
    #[inline(always)]
    fn test_one(
        &self,
        item: usize,
        ray: &ReadyRay,
        t_far: f32,
        mut on_hit: impl FnMut(Candidate, u32, Vec3) -> bool,
    ) {
        let Some(&Item { bounds, prim }) = self.items.get(item) else { return };
        let Some((entry, exit)) = ray.slabs.interval(&bounds) else { return };
        let mut rest = Ray { t_near: max(ray.ray.t_near, entry), t_far: min(t_far, exit), ..ray.ray };
        while rest.t_near <= rest.t_far {
            let Some(UserHit { t, u, v, ng }) = self.primitives.intersect(prim, &rest) else { return };
            let counts = t >= rest.t_near && t <= rest.t_far && t.is_finite();
            if !counts || on_hit(Candidate { t, u, v }, prim, ng) {
                return;
            }
            rest.t_near = t.next_up();
        }
    }
}

/// A ray made ready for boxes, and the ray itself.
pub(crate) struct ReadyRay {
    ray: Ray,
    slabs: SlabRay,
}

impl BottomLevel for UserGeometry {
    type Ray = ReadyRay;
    /// The normal itself.
    type Place = Vec3;

    #[inline(always)]
    fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    fn item_count(&self) -> usize {
        self.items.len()
    }

    #[inline(always)]
    fn prepare(&self, ray: &Ray) -> Option<ReadyRay> {
        let major = world_major_axis(ray)?;
        let slabs = SlabRay::for_triangles(ray.origin, ray.direction, major, &self.bvh.bounds());
        Some(ReadyRay { ray: *ray, slabs })
    }

    #[inline(always)]
    fn slabs(ray: &ReadyRay) -> &SlabRay {
        &ray.slabs
    }

    #[inline(always)]
    fn test<S: Simd>(
        &self,
        _: S,
        item: usize,
        ray: &ReadyRay,
        t_far: f32,
        on_hit: impl FnMut(Candidate, u32, Vec3) -> bool,
    ) {
        self.test_one(item, ray, t_far, on_hit);
    }

    fn test_slowly(
        &self,
        item: usize,
        ray: &ReadyRay,
        t_far: f32,
        on_hit: &mut dyn FnMut(Candidate, u32, Vec3) -> bool,
    ) {
        self.test_one(item, ray, t_far, on_hit);
    }

    #[inline(always)]
    fn normal(&self, ng: Vec3) -> DVec3 {
        ng.as_dvec3()
    }
}
