//! Primitives that the caller intersects, under a BVH.

use std::fmt;
use std::sync::Arc;

use fearless_simd::Simd;
use sunfleck_math::{Aabb, DVec3, Ray, Vec3};

use super::{BottomLevel, build_tree, max, min, validate_tree};
use crate::builder::{BuildOptions, BuildSettings, PrimRef};
use crate::error::{BuildError, ValidateError};
use crate::layout::{Bvh8, ITEM_LIMIT, LEAF_LIMIT};
use crate::primitive::SlabRay;
use crate::primitive::{Candidate, world_major_axis};
use crate::stats::{BvhStats, SkippedPrimitives};

/// User-defined primitives: the caller provides their bounds and their intersections with rays.
///
/// Several threads call the methods at the same time, so hits must depend on primitive and ray only.
pub trait UserPrimitives: Send + Sync {
    /// Returns the number of primitives.
    fn count(&self) -> usize;

    /// Returns the box around a primitive, in object space. Called once per primitive, by the build.
    ///
    /// The box must include the rounding errors of [`intersect`](Self::intersect), since hits outside of it are
    /// rejected. A primitive whose box is empty or not finite is never hit.
    fn bounds(&self, prim: u32) -> Aabb;

    /// Returns the first hit with `t` in `[ray.t_near, ray.t_far]`; a `t` that is outside or NaN counts as no hit.
    ///
    /// `ray` is in object space, and its direction has any length. Its interval is the part of the ray inside the box
    /// (padded by rounding errors) and before the closest hit so far. The interval may only decide which hit is the
    /// first; the values of a hit must not depend on it. If a filter rejects a hit, the method is called again with a
    /// larger `t_near`.
    fn intersect(&self, prim: u32, ray: &Ray) -> Option<UserHit>;
}

/// Hit of a user-defined primitive, in object space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserHit {
    /// Ray parameter, in units of the length of the ray's direction.
    pub t: f32,
    /// Value of [`Hit::u`](crate::Hit::u).
    pub u: f32,
    /// Value of [`Hit::v`](crate::Hit::v).
    pub v: f32,
    /// Geometric normal, of any length; zero if there is none.
    pub ng: Vec3,
}

/// Item of a leaf.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Aabb,
    prim: u32,
}

/// Bottom-level structure of [`UserPrimitives`].
pub struct UserGeometry {
    primitives: Arc<dyn UserPrimitives>,
    bvh: Bvh8,
    /// Boxes and indices of primitives in the order of leaves.
    items: Vec<Item>,
    count: usize,
    skipped: SkippedPrimitives,
}

impl fmt::Debug for UserGeometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserGeometry").field("items", &self.items).finish_non_exhaustive()
    }
}

impl UserGeometry {
    /// Builds the tree over all primitives.
    ///
    /// Primitives whose box is empty ([`SkippedPrimitives::degenerate`]) or not finite
    /// ([`SkippedPrimitives::non_finite`]) keep their index but are not in the tree.
    ///
    /// # Errors
    /// [`BuildError::TooMany`] for 2²⁸ or more primitives.
    pub fn build(primitives: Arc<dyn UserPrimitives>, options: &BuildOptions) -> Result<Self, BuildError> {
        let count = primitives.count();
        let limit = ITEM_LIMIT - 1;
        let prims = u32::try_from(count).ok().filter(|_| count <= limit);
        let prims = prims.ok_or(BuildError::TooMany { count, limit })?;
        let mut skipped = SkippedPrimitives::default();
        let (mut refs, mut all) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for prim in 0..prims {
            let Aabb { min, max } = primitives.bounds(prim);
            let bounds = Aabb { min: min + Vec3::ZERO, max: max + Vec3::ZERO };
            let empty = min.cmpgt(max).any();
            if empty {
                skipped.degenerate += 1;
            } else if !(min.is_finite() && max.is_finite()) {
                skipped.non_finite += 1;
            } else {
                refs.push(PrimRef::new(&bounds, prim));
                all.push(Item { bounds, prim });
            }
        }
        let (bvh, order) = build_tree(&mut refs, &BuildSettings::new(options, 1, LEAF_LIMIT as usize));
        let item = |prim| all.binary_search_by_key(prim, |item: &Item| item.prim).ok().map(|i| all[i]);
        let items = order.iter().filter_map(item).collect();
        Ok(Self { primitives, bvh, items, count, skipped })
    }

    /// Returns the box around all primitives that can be hit, in object space; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// Returns the primitives that the tree was built from.
    pub fn primitives(&self) -> &Arc<dyn UserPrimitives> {
        &self.primitives
    }

    /// Returns size and SAH cost of the tree. Visits all nodes.
    pub fn stats(&self) -> BvhStats {
        BvhStats {
            primitives: self.items.len(),
            skipped: self.skipped,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Returns the memory of nodes and boxes in bytes, without that of the primitives.
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
        validate_tree(&self.bvh, self.items.iter().map(|item| item.prim), &bounds, self.count, self.skipped)
    }
}

/// Ray and its precomputed values for box tests.
pub(crate) struct PreparedRay {
    ray: Ray,
    slabs: SlabRay,
}

impl BottomLevel for UserGeometry {
    type Ray = PreparedRay;
    /// The normal.
    type NormalData = Vec3;

    #[inline(always)]
    fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    fn item_count(&self) -> usize {
        self.items.len()
    }

    #[inline(always)]
    fn prepare(&self, ray: &Ray) -> Option<PreparedRay> {
        let major = world_major_axis(ray)?;
        let slabs = SlabRay::for_triangles(ray.origin, ray.direction, major, &self.bvh.bounds());
        Some(PreparedRay { ray: *ray, slabs })
    }

    #[inline(always)]
    fn slabs(ray: &PreparedRay) -> &SlabRay {
        &ray.slabs
    }

    #[inline(always)]
    fn test<S: Simd>(
        &self,
        _: S,
        item: usize,
        ray: &PreparedRay,
        t_far: f32,
        mut on_hit: impl FnMut(Candidate, u32, Vec3) -> bool,
    ) {
        let Some(&Item { bounds, prim }) = self.items.get(item) else { return };
        let Some((entry, exit)) = ray.slabs.interval(&bounds) else { return };
        let mut remaining = Ray { t_near: max(ray.ray.t_near, entry), t_far: min(t_far, exit), ..ray.ray };
        while remaining.t_near <= remaining.t_far {
            let Some(UserHit { t, u, v, ng }) = self.primitives.intersect(prim, &remaining) else { return };
            let is_valid = t >= remaining.t_near && t <= remaining.t_far && t.is_finite();
            if !is_valid || on_hit(Candidate { t, u, v }, prim, ng) {
                return;
            }
            remaining.t_near = t.next_up();
        }
    }

    #[inline(always)]
    fn normal(&self, ng: Vec3) -> DVec3 {
        ng.as_dvec3()
    }
}
