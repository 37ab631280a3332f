//! Instances: their transforms, the bounds of the rounding errors that these cause, and rays in object space.

use fearless_simd::{Simd, SimdBase, f32x16};
use sunfleck_math::{Aabb, Affine3, DVec3, Ray, Vec3, float::gamma};

use crate::layout::ChildRef;
use crate::primitive::RawRays;

/// Instance of a geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index of the geometry (a BLAS or a group) in the list passed to [`Tlas::build`](crate::Tlas::build).
    pub blas: u32,
    /// Transform from object to world space. It may mirror, shear and scale; a singular or non-finite one hides the
    /// instance.
    pub world_from_object: Affine3,
    /// Mask: the instance is visible to queries whose [`mask`](crate::Query::mask) has a bit in common; 0 hides it.
    pub mask: u32,
    /// Whether hits are accepted without calling the filter. For nested instances, one opaque instance is enough.
    pub opaque: bool,
}

/// Relative error by which the boxes of a TLAS are padded, per unit of `|M| |M⁻¹|` and distance; see
/// [`Placement::new`].
pub(crate) const TRANSFORM_ERROR: f32 = gamma(96);

/// Inverse transform and padded bounds of an instance that can be hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Inverse transform, computed in f64 and rounded.
    pub(crate) object_from_world: Affine3,
    /// World bounds, padded by the part of the rounding error that does not grow with the ray's origin.
    pub(crate) bounds: Aabb,
    /// Factor of the rest of the padding, which is `condition` × [`TRANSFORM_ERROR`] × the origin's largest coordinate.
    pub(crate) condition: f32,
    /// Padding of `bounds`.
    padding: f32,
}

impl Placement {
    /// Returns the placement of an instance; `None` if the transform is singular or not finite.
    ///
    /// The object-space ray and the hits computed with it are rounded, so a hit may lie outside the exact world box.
    /// Let ‖·‖ be the largest absolute row sum, M = `world_from_object`, T its translation, r the largest coordinate of
    /// the object's box and s that of the world box. The error of the origin is 5 ε ‖M⁻¹‖ (|o| + |T|), that of the
    /// direction times t is 4 ε ‖M⁻¹‖ (|o| + s), the triangle test pads by 64 ε (r + ‖M⁻¹‖ (|o| + |T|)), all times ‖M‖
    /// in the world, and the error of the box and its slab test is 4 ε (|o| + s + ‖M‖ r + |T|). The sum is below 96 ε
    /// (‖M‖ ‖M⁻¹‖ (|o| + |T| + s) + ‖M‖ r).
    ///
    /// If the object is a group, r already includes the padding of its instances, apart from the part that grows with
    /// the origin of the ray in the space of the group: 96 ε c |o'|, where c is the largest condition in the group and
    /// |o'| ≤ ‖M⁻¹‖ (|o| + |T|). In the world that adds 96 ε c ‖M‖ ‖M⁻¹‖ (|o| + |T|), hence the condition is
    /// ‖M‖ ‖M⁻¹‖ (1 + c): the error grows by a factor per level.
    ///
    /// * `inner` — c for groups, 0 for a BLAS.
    pub(crate) fn new(world_from_object: &Affine3, object_bounds: &Aabb, inner: f32) -> Option<Self> {
        let object_from_world = inverse(world_from_object)?;
        let (forward, backward) = (row_sum(world_from_object), row_sum(&object_from_world));
        let condition = ((forward * backward).max(1.0) * (1.0 + inner)).min(1e30);
        let exact = transformed(object_bounds, world_from_object);
        let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
        let reach = world_from_object.translation.abs().max_element() + largest(&exact);
        let padding = TRANSFORM_ERROR * (condition * reach + forward * largest(object_bounds));
        Some(Self { object_from_world, bounds: padded(&exact, padding), condition, padding })
    }

    /// Returns the world bounds of a part of the object, padded like those of the whole.
    pub(crate) fn bounds_of(&self, world_from_object: &Affine3, part: &Aabb) -> Aabb {
        padded(&transformed(part, world_from_object), self.padding)
    }
}

fn padded(exact: &Aabb, padding: f32) -> Aabb {
    let limit = Vec3::splat(f32::MAX);
    Aabb {
        min: (exact.min - padding).max(-limit) + Vec3::ZERO,
        max: (exact.max + padding).min(limit) + Vec3::ZERO,
    }
}

/// Leaf of a TLAS: an instance that can be hit, or a rebraided part of one. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct PlacedInstance {
    object_from_world: Affine3,
    /// Index of the instance; the two highest bits are flags.
    inst: u32,
    pub(crate) geometry: u32,
    pub(crate) mask: u32,
    /// Node or leaf at which traversal of the geometry starts.
    pub(crate) start: ChildRef,
}

impl PlacedInstance {
    /// Flag; see [`Instance::opaque`].
    const OPAQUE: u32 = 1 << 30;
    /// Flag of an identity transform: rays are used unchanged, so that they keep their bits.
    const IDENTITY_TRANSFORM: u32 = 1 << 31;

    pub(crate) fn new(inst: u32, instance: &Instance, object_from_world: Affine3, start: ChildRef) -> Self {
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let identity = instance.world_from_object == Affine3::IDENTITY;
        Self {
            object_from_world,
            inst: inst | flag(instance.opaque, Self::OPAQUE) | flag(identity, Self::IDENTITY_TRANSFORM),
            geometry: instance.blas,
            mask: instance.mask,
            start,
        }
    }

    /// Returns the index of the instance.
    #[inline(always)]
    pub(crate) fn inst(&self) -> u32 {
        self.inst & !(Self::OPAQUE | Self::IDENTITY_TRANSFORM)
    }

    /// Returns whether the instance is opaque; see [`Instance::opaque`].
    #[inline(always)]
    pub(crate) fn is_opaque(&self) -> bool {
        self.inst & Self::OPAQUE != 0
    }

    /// Returns the ray in object space. Its direction is not normalised again, so `t` keeps its meaning.
    #[inline(always)]
    pub(crate) fn ray_in_object(&self, ray: &Ray) -> Ray {
        if self.has_identity_transform() {
            return *ray;
        }
        Ray {
            origin: self.object_from_world.transform_point3(ray.origin),
            direction: self.object_from_world.transform_vector3(ray.direction),
            ..*ray
        }
    }

    /// Returns sixteen rays in object space, with the same bits as [`ray_in_object`](Self::ray_in_object).
    #[inline(always)]
    pub(crate) fn rays_in_object<S: Simd>(&self, simd: S, rays: &RawRays<S>) -> RawRays<S> {
        if self.has_identity_transform() {
            return *rays;
        }
        let (m, t) = (&self.object_from_world.matrix3, self.object_from_world.translation);
        let splat = |x: f32| f32x16::splat(simd, x);
        let (mut origin, mut direction) = (rays.origin, rays.direction);
        for axis in 0..3 {
            let [x, y, z] = [splat(m.x_axis[axis]), splat(m.y_axis[axis]), splat(m.z_axis[axis])];
            origin[axis] = x * rays.origin[0] + y * rays.origin[1] + z * rays.origin[2] + splat(t[axis]);
            direction[axis] = x * rays.direction[0] + y * rays.direction[1] + z * rays.direction[2];
        }
        RawRays { origin, direction, ..*rays }
    }

    /// Transforms a normal from object to world space, by the inverse transpose of `world_from_object`.
    #[inline(always)]
    pub(crate) fn normal_in_world(&self, n: DVec3) -> DVec3 {
        if self.has_identity_transform() {
            return n;
        }
        let m = &self.object_from_world.matrix3;
        DVec3::new(n.dot(m.x_axis.as_dvec3()), n.dot(m.y_axis.as_dvec3()), n.dot(m.z_axis.as_dvec3()))
    }

    /// Returns whether object space is world space.
    #[inline(always)]
    pub(crate) fn has_identity_transform(&self) -> bool {
        self.inst & Self::IDENTITY_TRANSFORM != 0
    }
}

/// Returns the box around a transformed box. It is computed in f64, where nothing overflows, and rounded to f32, where
/// coordinates that are too large become infinite.
fn transformed(bounds: &Aabb, m: &Affine3) -> Aabb {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::as_dvec3);
    let center = x * center.x + y * center.y + z * center.z + m.translation.as_dvec3();
    let half = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
    Aabb { min: (center - half).as_vec3(), max: (center + half).as_vec3() }
}

/// Returns the largest absolute row sum of the linear part.
fn row_sum(m: &Affine3) -> f32 {
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::abs);
    (x + y + z).max_element()
}

/// Returns the inverse, computed in f64 and rounded; `None` if an element is not finite.
fn inverse(m: &Affine3) -> Option<Affine3> {
    let f64s = |v: Vec3| DVec3::new(v.x.into(), v.y.into(), v.z.into());
    let (x, y, z) = (f64s(m.matrix3.x_axis), f64s(m.matrix3.y_axis), f64s(m.matrix3.z_axis));
    let volume = x.dot(y.cross(z));
    let rows = [y.cross(z) / volume, z.cross(x) / volume, x.cross(y) / volume];
    let t = f64s(m.translation);
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    let column = |c: DVec3| Vec3::new(rows[0].dot(c) as f32, rows[1].dot(c) as f32, rows[2].dot(c) as f32);
    let inverse = Affine3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z), column(-t));
    (m.is_finite() && inverse.is_finite()).then_some(inverse)
}
