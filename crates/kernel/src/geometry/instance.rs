use fearless_simd::{Simd, SimdBase, f32x16};
use sunfleck_math::{Aabb, Affine3, DVec3, Ray, Vec3, float::gamma};

use crate::layout::ChildRef;
use crate::primitive::RawRays;

/// A geometry placed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index of the geometry in the list given to [`Tlas::build`](crate::Tlas::build): a bottom level, or a group.
    pub blas: u32,
    /// Where it is. May mirror, shear and scale; one that is singular or not finite hides the instance.
    pub world_from_object: Affine3,
    /// Which queries see it: those whose [`mask`](crate::Query::mask) has a bit in common; 0 hides the instance.
    pub mask: u32,
    /// Whether every hit counts; if false, the filter is asked. A hit in nested instances counts if any is opaque.
    pub opaque: bool,
}

/// How much the top level's boxes must grow per unit of `|M| |M⁻¹|` and distance: see [`Placement::new`].
pub(crate) const TRANSFORM_ERROR: f32 = gamma(96);

/// What tracing needs of an instance that can be hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Rounded from f64.
    pub(crate) object_from_world: Affine3,
    /// World bounds, padded by all of the rounding error that does not grow with the ray's origin.
    pub(crate) bounds: Aabb,
    /// Times [`TRANSFORM_ERROR`] times the origin's largest coordinate: the rest of the padding.
    pub(crate) condition: f32,
    /// How much `bounds` are padded.
    padding: f32,
}

impl Placement {
    /// None when the transform is singular or not finite.
    ///
    /// The object-space ray is rounded, and so is what happens on it, so a hit may lie outside the exact world box. With
    /// ‖·‖ the largest absolute row sum, M = `world_from_object`, T its translation, r the object's largest coordinate and
    /// s the world box's: the origin is off by 5 ε ‖M⁻¹‖ (|o| + |T|), the direction times t by 4 ε ‖M⁻¹‖ (|o| + s), the
    /// triangle test pads by 64 ε (r + ‖M⁻¹‖ (|o| + |T|)), all times ‖M‖ in the world, and the box itself and its slab
    /// test are off by 4 ε (|o| + s + ‖M‖ r + |T|). All together stays below
    /// 96 ε (‖M‖ ‖M⁻¹‖ (|o| + |T| + s) + ‖M‖ r).
    ///
    /// If the object is a group, r already has the padding of its instances, but for the part that grows with the origin
    /// of the ray in its space: 96 ε c |o'|, where c is the largest condition in the group and
    /// |o'| ≤ ‖M⁻¹‖ (|o| + |T|). In the world that is another 96 ε c ‖M‖ ‖M⁻¹‖ (|o| + |T|), hence
    /// the condition is ‖M‖ ‖M⁻¹‖ (1 + c): the error grows by a factor per level, as it must.
    ///
    /// * `inner` — c for groups, 0 for bottom levels.
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

    /// World bounds of a part of the object, padded as the whole is.
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

/// An instance that can be hit, or a part of one, as tracing needs it: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Placed {
    object_from_world: Affine3,
    /// Index of the instance, and two flags that it leaves room for.
    inst: u32,
    pub(crate) geometry: u32,
    pub(crate) mask: u32,
    /// Where the geometry is entered.
    pub(crate) start: ChildRef,
}

impl Placed {
    const OPAQUE: u32 = 1 << 30;
    /// Object space is world space: rays stay as they are, to the bit.
    const IN_PLACE: u32 = 1 << 31;

    pub(crate) fn new(inst: u32, instance: &Instance, object_from_world: Affine3, start: ChildRef) -> Self {
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let in_place = instance.world_from_object == Affine3::IDENTITY;
        Self {
            object_from_world,
            inst: inst | flag(instance.opaque, Self::OPAQUE) | flag(in_place, Self::IN_PLACE),
            geometry: instance.blas,
            mask: instance.mask,
            start,
        }
    }

    /// Index of the instance.
    #[inline(always)]
    pub(crate) fn inst(&self) -> u32 {
        self.inst & !(Self::OPAQUE | Self::IN_PLACE)
    }

    /// See [`Instance::opaque`].
    #[inline(always)]
    pub(crate) fn is_opaque(&self) -> bool {
        self.inst & Self::OPAQUE != 0
    }

    /// The ray in object space. Its direction is not renormalised, so `t` means the same.
    #[inline(always)]
    pub(crate) fn ray_in_object(&self, ray: &Ray) -> Ray {
        if self.is_in_place() {
            return *ray;
        }
        Ray {
            origin: self.object_from_world.transform_point3(ray.origin),
            direction: self.object_from_world.transform_vector3(ray.direction),
            ..*ray
        }
    }

    /// As [`ray_in_object`](Self::ray_in_object) with the same bits, sixteen rays.
    #[inline(always)]
    pub(crate) fn rays_in_object<S: Simd>(&self, simd: S, rays: &RawRays<S>) -> RawRays<S> {
        if self.is_in_place() {
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

    /// The normal times the inverse transpose of `world_from_object`.
    #[inline(always)]
    pub(crate) fn normal_in_world(&self, n: DVec3) -> DVec3 {
        if self.is_in_place() {
            return n;
        }
        let m = &self.object_from_world.matrix3;
        DVec3::new(n.dot(m.x_axis.as_dvec3()), n.dot(m.y_axis.as_dvec3()), n.dot(m.z_axis.as_dvec3()))
    }

    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        self.inst & Self::IN_PLACE != 0
    }
}

/// The box around a transformed box: in f64, where nothing overflows, rounded; larger than f32 becomes infinite.
fn transformed(bounds: &Aabb, m: &Affine3) -> Aabb {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::as_dvec3);
    let center = x * center.x + y * center.y + z * center.z + m.translation.as_dvec3();
    let half = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
    Aabb { min: (center - half).as_vec3(), max: (center + half).as_vec3() }
}

fn row_sum(m: &Affine3) -> f32 {
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::abs);
    (x + y + z).max_element()
}

/// The inverse, rounded from f64; none if an entry is not finite.
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
