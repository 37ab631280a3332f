use std::f32::consts::{PI, TAU};

use sunfleck_math::direction::spherical_direction;
use sunfleck_math::{Vec2, Vec3};

/// Samples a uniform unit direction. By Archimedes' theorem, z is uniform.
#[inline(always)]
pub fn uniform_sphere(u: Vec2) -> Vec3 {
    // √(1 - z²) for z = 1 - 2 u.x
    let sin_theta = 2.0 * (u.x * (1.0 - u.x)).sqrt();
    spherical_direction(sin_theta, 1.0 - 2.0 * u.x, TAU * u.y)
}

/// Returns the density of [`uniform_sphere`], which is the same for all unit directions, sr⁻¹.
#[inline(always)]
pub fn uniform_sphere_pdf() -> f32 {
    1.0 / (4.0 * PI)
}
