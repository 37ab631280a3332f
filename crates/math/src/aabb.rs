//! Axis-aligned bounding boxes, with a conservative slab test.

use glam::{Affine3, Vec3};

use crate::Ray;
use crate::float::gamma;

/// Closed axis-aligned bounding box; empty if `min > max` on any axis.
#[derive(
    Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, serde::Serialize, serde::Deserialize,
)]
#[repr(C)]
pub struct Aabb {
    /// Corner with the smallest coordinates.
    pub min: Vec3,
    /// Corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// Empty box, the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Returns the smallest box that contains all `points`.
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.including(p))
    }

    /// Returns the smallest box that contains `self` and the point `p`; NaN coordinates of `p` are ignored.
    #[inline]
    pub fn including(self, p: Vec3) -> Self {
        // glam's a.min(b) is `a < b ? a : b`: the order of the operands keeps NaN out.
        Self { min: p.min(self.min), max: p.max(self.max) }
    }

    /// Returns the smallest box that contains both boxes.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { min: other.min.min(self.min), max: other.max.max(self.max) }
    }

    /// Returns whether the point `p` is inside the box or on its surface.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Returns whether the box is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Returns the edge lengths; zero if the box is empty.
    #[inline]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// Returns the centre; undefined if the box is empty.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Returns the eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Returns half of the surface area (the surface area heuristic needs only ratios); at most 10³⁰, so that sums of
    /// costs do not overflow.
    #[inline]
    pub fn half_area(&self) -> f32 {
        let d = self.size();
        (d.x * d.y + d.y * d.z + d.z * d.x).min(1e30)
    }

    /// Returns the length of the diagonal; zero if the box is empty.
    #[inline]
    pub fn diagonal(&self) -> f32 {
        self.size().length()
    }

    /// Returns the smallest and largest `t` of the ray's interval inside the box, or `None` if the ray misses it.
    ///
    /// Reference implementation of the kernel's faster slab tests. It is conservative: the far end is multiplied by
    /// 1 + 2 γ(3), the bound of the rounding errors [PBRT4, §6.8.2], and a ray in the plane of a face, for which 0 · ∞
    /// is NaN, hits.
    pub fn intersect(&self, ray: &Ray) -> Option<(f32, f32)> {
        let (mut near, mut far) = (ray.t_near, ray.t_far);
        for axis in 0..3 {
            let inverse = 1.0 / ray.direction[axis];
            let (entry, exit) = if inverse.is_sign_negative() {
                (self.max[axis], self.min[axis])
            } else {
                (self.min[axis], self.max[axis])
            };
            let entry = (entry - ray.origin[axis]) * inverse;
            let exit = (exit - ray.origin[axis]) * inverse * (1.0 + 2.0 * gamma(3));
            // A comparison with NaN is false and leaves the interval unchanged.
            near = if entry > near { entry } else { near };
            far = if exit < far { exit } else { far };
        }
        (near <= far).then_some((near, far))
    }

    /// Returns the smallest box that contains the eight transformed corners; its contents may have a smaller one.
    ///
    /// It contains every transformed point of the box as computed in f32, since rounding is monotonic.
    pub fn transformed(&self, m: &Affine3) -> Self {
        if self.is_empty() {
            return *self;
        }
        let corner = |i: u32| {
            let pick = |bit: u32, lo: f32, hi: f32| if i & bit == 0 { lo } else { hi };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        };
        Self::from_points((0..8).map(|i| m.transform_point3(corner(i))))
    }
}

#[cfg(test)]
mod tests {
    use glam::vec3;
    use proptest::prelude::*;

    use super::*;

    fn vector(size: f32) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn aabb() -> impl Strategy<Value = Aabb> {
        (vector(10.0), vector(10.0)).prop_map(|(a, b)| Aabb::from_points([a, b]))
    }

    /// Returns a point of the box.
    fn inside(b: &Aabb, weights: Vec3) -> Vec3 {
        (b.min + b.size() * weights).clamp(b.min, b.max)
    }

    const UNIT: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };

    #[test]
    fn empty_boxes() {
        assert!(Aabb::EMPTY.is_empty() && !UNIT.is_empty(), "only the empty box is empty");
        assert_eq!(Aabb::EMPTY.union(UNIT), UNIT, "the empty box is the neutral element");
        assert_eq!(UNIT.union(Aabb::EMPTY), UNIT, "the empty box is the neutral element");
        assert_eq!(Aabb::EMPTY.size(), Vec3::ZERO, "an empty box has no extent");
        assert!(Aabb::EMPTY.transformed(&Affine3::IDENTITY).is_empty(), "a transformed empty box is empty");
        assert_eq!(Aabb::EMPTY.intersect(&Ray::new(Vec3::ZERO, Vec3::X)), None, "rays miss the empty box");
    }

    #[test]
    fn nan_coordinates_are_ignored() {
        assert_eq!(UNIT.including(Vec3::NAN), UNIT, "all coordinates NaN");
        assert_eq!(UNIT.including(vec3(f32::NAN, 2.0, 0.5)).max, vec3(1.0, 2.0, 1.0), "one coordinate NaN");
        assert!(Aabb::from_points([Vec3::NAN]).is_empty(), "the box of a NaN point is empty");
    }

    #[test]
    fn measures_of_a_known_box() {
        let b = Aabb { min: vec3(-1.0, 0.0, 2.0), max: vec3(1.0, 3.0, 8.0) };
        assert_eq!((b.size(), b.center()), (vec3(2.0, 3.0, 6.0), vec3(0.0, 1.5, 5.0)), "size and centre");
        assert_eq!((b.half_area(), b.diagonal()), (36.0, 7.0), "area and diagonal");
    }

    #[test]
    fn rays_along_axes_and_in_faces() {
        let far = |t: f32| t * (1.0 + 2.0 * gamma(3));
        for (origin, direction, expected) in [
            (vec3(-1.0, 0.5, 0.5), Vec3::X, Some((1.0, far(2.0)))),
            (vec3(2.0, 0.5, 0.5), Vec3::NEG_X, Some((1.0, far(2.0)))),
            (vec3(0.5, 0.5, 0.5), Vec3::Y, Some((0.0, far(0.5)))),
            (vec3(2.0, 0.5, 0.5), Vec3::X, None),
            (vec3(-1.0, 2.0, 0.5), Vec3::X, None),
            // In the plane of a face, along an edge, through a corner
            (vec3(-1.0, 0.0, 0.5), Vec3::X, Some((1.0, far(2.0)))),
            (vec3(-1.0, 1.0, 1.0), vec3(1.0, -0.0, -0.0), Some((1.0, far(2.0)))),
            (vec3(-1.0, -1.0, 0.0), vec3(1.0, 1.0, 0.0), Some((1.0, far(2.0)))),
        ] {
            assert_eq!(UNIT.intersect(&Ray::new(origin, direction)), expected, "{origin}, {direction}");
        }
    }

    #[test]
    fn results_are_limited_to_the_interval_of_the_ray() {
        let ray = Ray { t_near: 1.25, t_far: 1.5, ..Ray::new(vec3(-1.0, 0.5, 0.5), Vec3::X) };
        assert_eq!(UNIT.intersect(&ray), Some((1.25, 1.5)), "the interval is inside the box");
        assert_eq!(UNIT.intersect(&Ray { t_far: 0.5, ..ray }), None, "the interval ends before the box");
    }

    proptest! {
        #[test]
        fn unions_contain_both(a in aabb(), b in aabb()) {
            let union = a.union(b);
            for p in [a.min, a.max, b.min, b.max] {
                prop_assert!(union.contains(p), "{p}");
            }
            prop_assert_eq!(union, b.union(a));
        }

        #[test]
        fn transformed_box_contains_transformed_points(
            b in aabb(), weights in prop::array::uniform3(0.0f32..=1.0), columns in prop::array::uniform4(vector(10.0)),
        ) {
            let [x, y, z, w] = columns;
            let m = Affine3::from_cols(x, y, z, w);
            let p = inside(&b, weights.into());
            prop_assert!(b.transformed(&m).contains(m.transform_point3(p)), "{p} leaves {b:?}");
        }

        #[test]
        fn rays_towards_a_point_of_the_box_hit_it(
            b in aabb(), weights in prop::array::uniform3(0.0f32..=1.0), origin in vector(100.0),
        ) {
            let p = inside(&b, weights.into());
            prop_assume!(p != origin);
            let (near, far) = b.intersect(&Ray::new(origin, p - origin)).unwrap_or((f32::NAN, f32::NAN));
            prop_assert!(near <= 1.0 + 1e-5 && far >= 1.0 - 1e-5, "{near}..{far} without 1");
        }

        #[test]
        fn hits_are_on_the_surface_and_misses_are_outside(
            b in aabb(), origin in vector(30.0), direction in vector(1.0), t in 0.0f32..100.0,
        ) {
            let ray = Ray::new(origin, direction);
            let size = 1e-3f32;
            match b.intersect(&ray) {
                Some((near, far)) => {
                    let grown = Aabb { min: b.min - size, max: b.max + size };
                    prop_assert!(grown.contains(ray.at(near)) && grown.contains(ray.at(far)), "{near}..{far}");
                }
                None => prop_assert!(!b.contains(ray.at(t)), "missed {}", ray.at(t)),
            }
        }
    }
}
