//! Roughness of diffuse surfaces that have the model of Oren and Nayar.

use std::f32::consts::FRAC_PI_2;

/// Returns the roughness of a surface whose facets' angles have a standard deviation, in radians. The models differ, so
/// that surfaces look alike but are not the same.
pub(crate) fn roughness_of_angle(sigma_radians: f32) -> f32 {
    (sigma_radians / FRAC_PI_2).clamp(0.0, 1.0)
}
