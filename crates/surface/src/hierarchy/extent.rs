//! What bounds a part of the surfaces: a box and a cone of normals.

use std::ops::Add;

use sunfleck_math::{Aabb, Vec3};

use crate::atlas::Texel;

/// Area, bounding box and cone of normals of a part of the surfaces, of its front. Sums are unions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Area, m²; that of an empty part is 0.
    pub(super) area: f32,
    pub(super) bounds: Aabb,
    /// Sum of unit normals times area.
    normal: Vec3,
    /// Cosine of the largest angle between [`axis`](Self::axis) and a normal.
    pub(super) cos_spread: f32,
    /// The triangle, if all of the part belongs to one; [`Texel::NONE`] otherwise.
    pub(super) triangle: u32,
}

impl Extent {
    const EMPTY: Self =
        Self { area: 0.0, bounds: Aabb::EMPTY, normal: Vec3::ZERO, cos_spread: 1.0, triangle: Texel::NONE };

    /// Returns the extent of a part of a triangle.
    pub(super) fn planar(area: f32, outline: &[Vec3], normal: Vec3, triangle: u32) -> Self {
        let bounds = Aabb::from_points(outline.iter().copied());
        let is_regular = area > 0.0 && normal != Vec3::ZERO && bounds.size().is_finite();
        if is_regular {
            Self { area, bounds, normal: normal * area, cos_spread: 1.0, triangle }
        } else {
            Self::EMPTY
        }
    }

    /// Returns the mean direction of the normals; zero if there is none.
    pub(super) fn axis(&self) -> Vec3 {
        self.normal.normalize_or(Vec3::ZERO)
    }

    /// Returns whether all of the part lies in the plane of one triangle.
    pub(super) fn is_planar(&self) -> bool {
        self.triangle != Texel::NONE
    }
}

impl Add for Extent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.area <= 0.0 || other.area <= 0.0 {
            return if self.area > 0.0 { self } else { other };
        }
        let mut sum = Self {
            area: self.area + other.area,
            bounds: self.bounds.union(other.bounds),
            normal: self.normal + other.normal,
            ..Self::EMPTY
        };
        if self.triangle == other.triangle && self.is_planar() {
            sum.triangle = self.triangle;
            return sum;
        }
        let axis = sum.axis();
        let spread = |part: &Self| cos_of_sum(axis.dot(part.axis()), part.cos_spread);
        sum.cos_spread = if axis == Vec3::ZERO { -1.0 } else { spread(&self).min(spread(&other)) };
        sum
    }
}

/// Returns the cosine of the sum of two angles in [0, π], at most π.
pub(super) fn cos_of_sum(cos_a: f32, cos_b: f32) -> f32 {
    if cos_a + cos_b <= 0.0 { -1.0 } else { cos_a * cos_b - sine(cos_a) * sine(cos_b) }
}

/// Returns the cosine of the difference of two angles in [0, π], at least 0.
pub(super) fn cos_of_difference(cos_a: f32, cos_b: f32) -> f32 {
    if cos_a >= cos_b { 1.0 } else { cos_a * cos_b + sine(cos_a) * sine(cos_b) }
}

fn sine(cosine: f32) -> f32 {
    (1.0 - cosine * cosine).max(0.0).sqrt()
}
