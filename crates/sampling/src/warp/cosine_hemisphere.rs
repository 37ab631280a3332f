use std::f32::consts::FRAC_1_PI;

use sunfleck_math::{Vec2, Vec3};

use super::concentric_disk;

/// Samples a unit direction with z ≥ 0 and a density proportional to z, by projecting a uniform point of the unit disk
/// onto the hemisphere (Malley's method).
#[inline(always)]
pub fn cosine_hemisphere(u: Vec2) -> Vec3 {
    let disk = concentric_disk(u);
    disk.extend((1.0 - disk.length_squared()).max(0.0).sqrt())
}

/// Returns the density of [`cosine_hemisphere`] at a unit direction, sr⁻¹.
#[inline(always)]
pub fn cosine_hemisphere_pdf(direction: Vec3) -> f32 {
    direction.z.max(0.0) * FRAC_1_PI
}
