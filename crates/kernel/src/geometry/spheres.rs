//! Spheres under a BVH.

use fearless_simd::Simd;
use sunfleck_math::{Aabb, DVec3, Ray, Vec3};

use super::{BottomLevel, build_tree, max, min, validate_tree};
use crate::builder::{BuildOptions, BuildSettings, PrimRef};
use crate::error::{BuildError, ValidateError};
use crate::layout::{Bvh8, ITEM_LIMIT, LEAF_LIMIT};
use crate::primitive::SlabRay;
use crate::primitive::{Candidate, SphereRay, world_major_axis};
use crate::stats::{BvhStats, SkippedPrimitives};

/// Sphere in object space. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Sphere {
    /// Centre, in object space.
    pub center: Vec3,
    /// Radius; a sphere is never hit unless it is positive.
    pub radius: f32,
}

impl Sphere {
    /// Returns the box around the sphere.
    #[inline(always)]
    fn bounds(&self) -> Aabb {
        Aabb { min: self.center - self.radius + Vec3::ZERO, max: self.center + self.radius + Vec3::ZERO }
    }
}

/// Bottom-level structure of spheres, which are hollow: they are hit from outside and from inside.
///
/// A ray hits a sphere at the point where it enters and at the point where it exits.
#[derive(Debug)]
pub struct Spheres {
    bvh: Bvh8,
    /// Spheres in the order of leaves.
    spheres: Vec<Sphere>,
    /// Index of each of these spheres in the input.
    prim_ids: Vec<u32>,
    count: usize,
    skipped: SkippedPrimitives,
}

impl Spheres {
    /// Builds the tree over `spheres`.
    ///
    /// Spheres that no ray can hit keep their index but are not in the tree: those whose radius is not positive count
    /// as [`degenerate`](SkippedPrimitives::degenerate), those whose box is not finite as
    /// [`non_finite`](SkippedPrimitives::non_finite).
    ///
    /// # Errors
    /// [`BuildError::TooMany`] for 2²⁸ or more spheres.
    pub fn build(spheres: &[Sphere], options: &BuildOptions) -> Result<Self, BuildError> {
        if spheres.len() >= ITEM_LIMIT {
            return Err(BuildError::TooMany { count: spheres.len(), limit: ITEM_LIMIT - 1 });
        }
        let mut skipped = SkippedPrimitives::default();
        let mut refs = Vec::with_capacity(spheres.len());
        for (prim, sphere) in (0u32..).zip(spheres) {
            let bounds = sphere.bounds();
            if !(bounds.min.is_finite() && bounds.max.is_finite()) {
                skipped.non_finite += 1;
            } else if sphere.radius > 0.0 {
                refs.push(PrimRef::new(&bounds, prim));
            } else {
                skipped.degenerate += 1;
            }
        }
        let (bvh, prim_ids) = build_tree(&mut refs, &BuildSettings::new(options, 1, LEAF_LIMIT as usize));
        let ordered = prim_ids.iter().map(|&prim| spheres[prim as usize]).collect();
        Ok(Self { bvh, spheres: ordered, prim_ids, count: spheres.len(), skipped })
    }

    /// Returns the box around all spheres that can be hit, in object space; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// Returns the number of spheres, including skipped ones.
    pub fn sphere_count(&self) -> usize {
        self.count
    }

    /// Returns size and SAH cost of the tree. Visits all nodes.
    pub fn stats(&self) -> BvhStats {
        BvhStats {
            primitives: self.spheres.len(),
            skipped: self.skipped,
            bytes: self.memory_bytes(),
            ..self.bvh.stats()
        }
    }

    /// Returns the memory of nodes and spheres in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.spheres) + size_of_val(&*self.prim_ids)
    }

    /// Checks the invariants; see [`Blas::validate`](crate::Blas::validate).
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds = |items| {
            let spheres: &[Sphere] = self.spheres.get::<std::ops::Range<usize>>(items)?;
            Some(spheres.iter().fold(Aabb::EMPTY, |b, sphere| b.union(sphere.bounds())))
        };
        validate_tree(&self.bvh, self.prim_ids.iter().copied(), &bounds, self.count, self.skipped)
    }

    /// Implements [`BottomLevel::test`] for the one or two hits of a sphere.
    #[inline(always)]
    fn test_one(
        &self,
        item: usize,
        ray: &PreparedRay,
        t_far: f32,
        mut on_hit: impl FnMut(Candidate, u32, DVec3) -> bool,
    ) {
        let (Some(sphere), Some(&prim)) = (self.spheres.get(item), self.prim_ids.get(item)) else { return };
        let Some(roots) = ray.sphere.roots(sphere.center, sphere.radius) else { return };
        let Some((entry, exit)) = ray.slabs.interval(&sphere.bounds()) else { return };
        for root in roots {
            #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
            let t = min(max(root as f32, entry), exit);
            if t >= ray.t_near && t <= t_far {
                let normal = ray.sphere.radius_at(sphere.center, root);
                if on_hit(Candidate { t, u: 0.0, v: 0.0 }, prim, normal) {
                    return;
                }
            }
        }
    }
}

/// Ray with precomputed values for box and sphere tests.
pub(crate) struct PreparedRay {
    sphere: SphereRay,
    slabs: SlabRay,
    t_near: f32,
}

impl BottomLevel for Spheres {
    type Ray = PreparedRay;
    /// The normal.
    type NormalData = DVec3;

    #[inline(always)]
    fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    fn item_count(&self) -> usize {
        self.spheres.len()
    }

    #[inline(always)]
    fn prepare(&self, ray: &Ray) -> Option<PreparedRay> {
        let major = world_major_axis(ray)?;
        let slabs = SlabRay::for_triangles(ray.origin, ray.direction, major, &self.bvh.bounds());
        Some(PreparedRay { sphere: SphereRay::new(ray), slabs, t_near: ray.t_near })
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
        on_hit: impl FnMut(Candidate, u32, DVec3) -> bool,
    ) {
        self.test_one(item, ray, t_far, on_hit);
    }

    fn test_scalar(
        &self,
        item: usize,
        ray: &PreparedRay,
        t_far: f32,
        on_hit: &mut dyn FnMut(Candidate, u32, DVec3) -> bool,
    ) {
        self.test_one(item, ray, t_far, on_hit);
    }

    #[inline(always)]
    fn normal(&self, normal: DVec3) -> DVec3 {
        normal
    }
}
