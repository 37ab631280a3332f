use std::f32::consts::TAU;

use sunfleck_math::direction::spherical_direction;
use sunfleck_math::{Vec2, Vec3};

/// Samples a uniform unit direction with z > 0. By Archimedes' theorem, z is uniform.
#[inline(always)]
pub fn uniform_hemisphere(u: Vec2) -> Vec3 {
    // 1 - z² in terms of u.x = 1 - z, without cancellation near the pole
    let sin_theta = (u.x * (2.0 - u.x)).sqrt();
    spherical_direction(sin_theta, 1.0 - u.x, TAU * u.y)
}

/// Returns the density of [`uniform_hemisphere`] at a unit direction, sr⁻¹.
#[inline(always)]
pub fn uniform_hemisphere_pdf(direction: Vec3) -> f32 {
    if direction.z >= 0.0 { 1.0 / TAU } else { 0.0 }
}
