//! Rays with an interval of parameters.

use glam::Vec3;

/// Ray: the points `origin + t * direction` with `t` in the closed interval `[t_near, t_far]`. 32 bytes.
///
/// `direction` need not be of unit length; `t` is in units of its length.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Origin, the point at `t = 0`.
    pub origin: Vec3,
    /// Start of the interval; normally 0.
    pub t_near: f32,
    /// Direction, a non-zero finite vector.
    pub direction: Vec3,
    /// End of the interval; `f32::INFINITY` for an unbounded ray.
    pub t_far: f32,
}

impl Ray {
    /// Returns a ray with the interval `[0, ∞]`.
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, t_near: 0.0, direction, t_far: f32::INFINITY }
    }

    /// Returns the point at parameter `t`.
    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }
}
