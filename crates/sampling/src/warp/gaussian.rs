use std::f32::consts::TAU;

use sunfleck_math::{Vec2, exp, log, sin_cos, vec2};

/// Two independent standard normal numbers [Box58, pair of deviates]; at most 5.8 from 0, for uniforms end at 1 - 2⁻²⁴.
#[inline(always)]
pub fn gaussian(u: Vec2) -> Vec2 {
    let radius = (-2.0 * log(1.0 - u.x)).sqrt();
    let (sin_phi, cos_phi) = sin_cos(TAU * u.y);
    vec2(radius * cos_phi, radius * sin_phi)
}

/// Density of [`gaussian`], per unit area.
#[inline(always)]
pub fn gaussian_pdf(point: Vec2) -> f32 {
    exp(-0.5 * point.length_squared()) * (1.0 / TAU)
}
