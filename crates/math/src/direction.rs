//! Directions from spherical coordinates, and the mapping between directions and latitude-longitude maps.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, vec2, vec3};

use crate::{atan2, sin_cos};

/// Returns the direction at polar angle θ from the z axis and azimuth `phi` (radians, from x towards y).
///
/// It has unit length if `sin_theta² + cos_theta²` is 1; callers often know both without computing θ.
#[inline(always)]
pub fn spherical_direction(sin_theta: f32, cos_theta: f32, phi: f32) -> Vec3 {
    let (sin_phi, cos_phi) = sin_cos(phi);
    vec3(sin_theta * cos_phi, sin_theta * sin_phi, cos_theta)
}

/// Returns the unit direction of the point `uv` of a latitude-longitude map.
///
/// * `uv` — (0, 0) is the upper left corner and (1, 1) the lower right; `u` repeats.
///
/// The map is seen from inside in a frame with y up: its top row is the zenith +y, its centre is at -z, u = ¾ at +x,
/// u = ¼ at -x, and its left and right edges meet at +z.
#[inline(always)]
pub fn direction_from_equirect(uv: Vec2) -> Vec3 {
    let (sin_azimuth, cos_azimuth) = sin_cos(TAU * (uv.x - 0.5));
    let (sin_theta, cos_theta) = sin_cos(PI * uv.y);
    vec3(sin_theta * sin_azimuth, cos_theta, -sin_theta * cos_azimuth)
}

/// Returns the point of a latitude-longitude map that corresponds to a direction: `u` in [0, 1), `v` in [0, 1].
///
/// Inverse of [`direction_from_equirect`]; `direction` need not be of unit length. The poles have u = ½; the zero
/// vector gives (½, 0).
#[inline(always)]
pub fn equirect_from_direction(direction: Vec3) -> Vec2 {
    let Vec3 { x, y, z } = direction;
    // `0 - z` instead of `-z` gives +0 at the poles, and so azimuth 0, for either sign of z.
    let azimuth = atan2(x, 0.0 - z);
    let u = 0.5 + azimuth * (1.0 / TAU);
    // Unlike acos(y), this is accurate near the poles, too.
    let theta = atan2((x * x + z * z).sqrt(), y);
    vec2(if u < 1.0 { u } else { 0.0 }, (theta * (1.0 / PI)).min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_directions_of_the_map() {
        for (u, v, direction) in [
            (0.5, 0.5, Vec3::NEG_Z),
            (0.75, 0.5, Vec3::X),
            (0.25, 0.5, Vec3::NEG_X),
            (0.0, 0.5, Vec3::Z),
            (0.5, 0.0, Vec3::Y),
            (0.5, 1.0, Vec3::NEG_Y),
        ] {
            let uv = vec2(u, v);
            assert!(direction_from_equirect(uv).abs_diff_eq(direction, 1e-6), "{uv}");
            assert!(equirect_from_direction(direction * 3.0).abs_diff_eq(uv, 1e-6), "{direction}");
        }
        assert_eq!(equirect_from_direction(vec3(-0.0, 0.0, 1.0)).x, 0.0, "the seam from the left");
        assert_eq!(equirect_from_direction(Vec3::ZERO), vec2(0.5, 0.0), "the zero vector");
    }

    #[test]
    fn spherical_directions_along_the_axes() {
        let quarter = PI / 2.0;
        assert!(spherical_direction(1.0, 0.0, 0.0).abs_diff_eq(Vec3::X, 1e-6), "phi = 0");
        assert!(spherical_direction(1.0, 0.0, quarter).abs_diff_eq(Vec3::Y, 1e-6), "phi = π/2");
        assert!(spherical_direction(0.0, 1.0, 1.0).abs_diff_eq(Vec3::Z, 1e-6), "the pole");
    }

    proptest! {
        #[test]
        fn uv_round_trip(u in 0.0f32..1.0, v in 0.001f32..0.999) {
            let direction = direction_from_equirect(vec2(u, v));
            prop_assert!((direction.length() - 1.0).abs() < 1e-6, "unit length");
            let back = equirect_from_direction(direction);
            prop_assert!((0.0..1.0).contains(&back.x) && (0.0..=1.0).contains(&back.y), "{back} in range");
            // At the seam, `u` may be that of the other side; near the poles, it has fewer significant digits.
            let apart = (back.x - u).abs();
            prop_assert!(apart.min(1.0 - apart) < 1e-6 / (v * (1.0 - v)), "u: {} for {u}", back.x);
            prop_assert!((back.y - v).abs() < 1e-6, "v: {} for {v}", back.y);
        }

        #[test]
        fn direction_round_trip(d in prop::array::uniform3(-1.0f32..1.0)) {
            let Some(d) = Vec3::from(d).try_normalize() else { return Ok(()) };
            let back = direction_from_equirect(equirect_from_direction(d));
            prop_assert!(back.abs_diff_eq(d, 2e-6), "{back} for {d}");
        }
    }
}
