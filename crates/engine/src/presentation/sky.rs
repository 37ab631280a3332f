//! Clear sky of the stage `sky`, for any elevation of the sun.

use sunfleck_math::{Vec3, cos, exp, pow, sin, vec3};

use super::environment::smoothstep;

/// Azimuth of the sun in the image, degrees: from the camera to the right about the vertical.
pub(super) const SUN_AZIMUTH: f32 = -50.0;
/// Elevation of the sun unless it is changed, degrees.
pub(super) const SUN_ELEVATION: f32 = 55.0;
/// Angular radius of the sun, degrees. It is larger than the real one (0.27°), so that the image resolves it and
/// shadows are soft.
const SUN_RADIUS: f32 = 3.0;
/// Radiance of the sun at its default elevation.
const SUN_RADIANCE: Vec3 = vec3(330.0, 305.0, 260.0);
/// Optical depth of the air towards the zenith in red, green and blue.
const OPTICAL_DEPTH: Vec3 = vec3(0.12, 0.19, 0.33);
/// Elevation from which on the sky has the colours of the day, degrees.
const DAY: f32 = 40.0;

/// Radiances of a clear sky, W/(m² sr).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sky {
    /// Direction to the sun.
    sun: Vec3,
    sun_radiance: Vec3,
    glow: Vec3,
    horizon: Vec3,
    zenith: Vec3,
    earth: Vec3,
}

impl Sky {
    /// Makes the sky for an elevation of the sun in degrees, 0 to 90. Low in the sky, the sun is dim and orange: its
    /// light is attenuated by the relative air mass of [Kasten89]. The colours of the sky towards evening are a blend
    /// by eye.
    pub(super) fn new(elevation: f32) -> Self {
        let (azimuth, angle) = (SUN_AZIMUTH.to_radians(), elevation.to_radians());
        let day = smoothstep(elevation / DAY);
        let more_air = air_mass(elevation) - air_mass(SUN_ELEVATION);
        let blend = |evening: Vec3, noon: Vec3| evening.lerp(noon, day);
        Self {
            sun: vec3(sin(azimuth) * cos(angle), sin(angle), cos(azimuth) * cos(angle)),
            sun_radiance: SUN_RADIANCE * Vec3::from((OPTICAL_DEPTH * -more_air).to_array().map(exp)),
            glow: blend(vec3(1.5, 0.62, 0.2), vec3(0.9, 0.8, 0.6)),
            horizon: blend(vec3(0.5, 0.36, 0.3), vec3(0.72, 0.76, 0.80)),
            zenith: blend(vec3(0.08, 0.12, 0.26), vec3(0.17, 0.33, 0.66)),
            earth: blend(vec3(0.08, 0.065, 0.055), vec3(0.16, 0.15, 0.13)),
        }
    }

    /// Returns the radiance from a unit direction: a gradient from the pale horizon to the blue zenith, a glow around
    /// the sun, and the sun.
    pub(super) fn radiance(&self, direction: Vec3) -> Vec3 {
        let up = direction.y.max(0.0);
        let gradient = self.horizon.lerp(self.zenith, pow(up, 0.55));
        // The earth, beyond a horizon in haze
        let gradient = gradient.lerp(self.earth, smoothstep(-direction.y / 0.5));
        let cos_sun = direction.dot(self.sun);
        let glow = self.glow * exp(-9.0 * (1.0 - cos_sun)) * smoothstep(up / 0.3);
        let radius = SUN_RADIUS.to_radians();
        // 1 - cos of the angle, relative to that of the edge
        let disc = smoothstep(1.5 - (1.0 - cos_sun) / (0.5 * radius * radius));
        gradient + glow + self.sun_radiance * disc
    }
}

/// Returns the mass of the air towards an elevation in degrees, relative to that towards the zenith [Kasten89].
fn air_mass(elevation: f32) -> f32 {
    1.0 / (sin(elevation.to_radians()) + 0.505_72 * pow(elevation + 6.079_95, -1.636_4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_air_is_thicker_towards_the_horizon() {
        // By hand: nearly 1 / sin high in the sky, and 38 at the horizon
        for (elevation, expected) in [(90.0, 1.0), (30.0, 1.994), (5.0, 10.31), (0.0, 37.92)] {
            let found = air_mass(elevation);
            assert!((found / expected - 1.0f32).abs() < 2e-3, "{elevation}°: {found}, not {expected}");
        }
    }

    #[test]
    fn a_low_sun_is_dim_and_red() {
        let suns = [90.0, SUN_ELEVATION, 20.0, 5.0, 1.0].map(|elevation| Sky::new(elevation).sun_radiance);
        for pair in suns.windows(2) {
            assert!(pair[0].cmpgt(pair[1]).all(), "{pair:?}");
            assert!(pair[1].x / pair[1].z > pair[0].x / pair[0].z, "{pair:?}");
        }
        assert_eq!(suns[1], SUN_RADIANCE);
    }
}
