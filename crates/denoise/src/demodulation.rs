//! Division of radiance by albedo, which leaves the smoother irradiance to filter.

use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_math::Vec3;

use crate::noisy_image::finite;

/// Returns an albedo with components in [0, 1].
#[inline(always)]
pub(crate) fn valid(albedo: Vec3) -> Vec3 {
    finite(albedo).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Returns what radiance is divided by.
#[inline(always)]
pub(crate) fn divisor(albedo: Vec3) -> Vec3 {
    valid(albedo) + LEAST_ALBEDO
}
