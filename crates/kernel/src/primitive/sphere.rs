use sunfleck_math::{DVec3, Ray, Vec3};

/// A ray as the sphere test wants it.
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

    /// From the centre to where the ray is at `t`.
    #[inline(always)]
    pub(crate) fn radius_at(&self, center: Vec3, t: f64) -> DVec3 {
        self.origin - center.as_dvec3() + self.direction * t
    }

    /// Where the line enters and leaves a sphere [Haines19, ch. 7].
    ///
    /// The discriminant is that of the distance between line and centre, which does not cancel for small spheres
    /// far away, and the nearer root to the origin comes from the other one. In f64, unlike there: no f32 ray is
    /// so long nor sphere so small that it would show.
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
        // On the sphere with the tangent's direction, both are zero.
        let near_zero = if q == 0.0 { 0.0 } else { (f.dot(f) - radius_squared) / q };
        let other = q / self.length_squared;
        Some(if near_zero <= other { [near_zero, other] } else { [other, near_zero] })
    }
}
