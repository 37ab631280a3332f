use std::f32::consts::TAU;

use sunfleck_math::{Vec2, exp, log, sin_cos, vec2};

/// Samples two independent numbers of the standard normal distribution [Box58, pair of deviates]. Their magnitude is at
/// most 5.8, since the largest uniform is 1 - 2⁻²⁴.
#[inline(always)]
pub fn gaussian(u: Vec2) -> Vec2 {
    let radius = (-2.0 * log(1.0 - u.x)).sqrt();
    let (sin_phi, cos_phi) = sin_cos(TAU * u.y);
    vec2(radius * cos_phi, radius * sin_phi)
}

/// Returns the density of [`gaussian`], per unit area.
#[inline(always)]
pub fn gaussian_pdf(point: Vec2) -> f32 {
    exp(-0.5 * point.length_squared()) * (1.0 / TAU)
}
