use std::f32::consts::TAU;

use sunfleck_constants::sampling::CONE_MARGIN;
use sunfleck_math::direction::spherical_direction;
use sunfleck_math::{Vec2, Vec3};

/// Samples a uniform unit direction in a cone around the z axis.
///
/// * `one_minus_cos_max` — one minus the cosine of the angle between the axis and the side of the cone, in (0, 2]. The
///   cosine itself would round to 1 for an angle of 0.02°.
#[inline(always)]
pub fn uniform_cone(u: Vec2, one_minus_cos_max: f32) -> Vec3 {
    let one_minus_cos = u.x * one_minus_cos_max;
    let sin_theta = (one_minus_cos * (2.0 - one_minus_cos)).sqrt();
    spherical_direction(sin_theta, 1.0 - one_minus_cos, TAU * u.y)
}

/// Returns the density of [`uniform_cone`] at a unit direction, sr⁻¹.
#[inline(always)]
pub fn uniform_cone_pdf(direction: Vec3, one_minus_cos_max: f32) -> f32 {
    // 1 - z, without cancellation near the axis
    let sin_squared = direction.x * direction.x + direction.y * direction.y;
    let one_minus_cos = if direction.z > 0.0 { sin_squared / (1.0 + direction.z) } else { 1.0 - direction.z };
    let inside = one_minus_cos <= one_minus_cos_max * (1.0 + CONE_MARGIN);
    if inside { 1.0 / (TAU * one_minus_cos_max) } else { 0.0 }
}
