use glam::Vec3;

/// A line segment `origin + t * direction`, `t` in the closed interval `[t_near, t_far]`.
///
/// `direction` need not be unit; `t` counts in its length. 32 bytes, in this order.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Where `t = 0`.
    pub origin: Vec3,
    /// Hits before this parameter do not count; normally 0.
    pub t_near: f32,
    /// Any non-zero finite vector.
    pub direction: Vec3,
    /// Hits after this parameter do not count; `f32::INFINITY` for an unbounded ray.
    pub t_far: f32,
}

impl Ray {
    /// An unbounded ray.
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, t_near: 0.0, direction, t_far: f32::INFINITY }
    }

    /// The point at parameter `t`.
    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }
}
