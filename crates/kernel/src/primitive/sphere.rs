//! Ray–sphere intersection.

use sunfleck_math::{DVec3, Ray, Vec3};

/// Precomputed ray for the sphere test.
#[derive(Clone, Copy)]
pub(crate) struct SphereRay {
    origin: DVec3,
    direction: DVec3,
    length_squared: f64,
}

impl SphereRay {
    #[inline(always)]
    pub(crate) fn new(ray: &Ray) -> Self {
        let direction = ray.direction.as_dvec3();
        Self { origin: ray.origin.as_dvec3(), direction, length_squared: direction.dot(direction) }
    }

    /// Returns the vector from the centre of a sphere to the point of the ray at `t`.
    #[inline(always)]
    pub(crate) fn radius_at(&self, center: Vec3, t: f64) -> DVec3 {
        self.origin - center.as_dvec3() + self.direction * t
    }

    /// Returns the parameters at which the line enters and exits a sphere, or `None` [Haines19, ch. 7].
    ///
    /// The discriminant is computed from the distance between line and centre, which avoids cancellation for small,
    /// distant spheres, and the root closer to the origin is computed from the other one. Unlike in the source, this is
    /// done in f64, in which rounding errors do not show for any ray or sphere in f32.
    #[inline(always)]
    pub(crate) fn roots(&self, center: Vec3, radius: f32) -> Option<[f64; 2]> {
        let f = self.origin - center.as_dvec3();
        let radius_squared = f64::from(radius) * f64::from(radius);
        let b = -f.dot(self.direction);
        let closest = f + self.direction * (b / self.length_squared);
        let discriminant = radius_squared - closest.dot(closest);
        if discriminant < 0.0 {
            return None;
        }
        let root = (self.length_squared * discriminant).sqrt();
        let q = if b < 0.0 { b - root } else { b + root };
        // For an origin on the sphere and a tangent direction, both are zero.
        let near_zero = if q == 0.0 { 0.0 } else { (f.dot(f) - radius_squared) / q };
        let other = q / self.length_squared;
        Some(if near_zero <= other { [near_zero, other] } else { [other, near_zero] })
    }
}
