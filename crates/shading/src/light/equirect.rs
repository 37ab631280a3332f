//! Latitude-longitude maps: y up, the top row is the zenith, the middle column lies along −z, u grows to the right of
//! somebody who looks there (towards +x).

use std::f32::consts::{PI, TAU};

use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Vec2, Vec3, acos, atan2, sin_cos, vec2, vec3};

/// Where a unit direction lies in the map, in [0, 1)².
#[inline(always)]
pub(super) fn uv_of_direction(direction: Vec3) -> Vec2 {
    let u = 0.5 + atan2(direction.x, -direction.z) / TAU;
    let v = acos(direction.y.clamp(-1.0, 1.0)) / PI;
    vec2(u, v).clamp(Vec2::ZERO, Vec2::splat(ONE_MINUS_EPSILON))
}

/// The unit direction of a point of the map, and the sine of its polar angle.
#[inline(always)]
pub(super) fn direction_of_uv(uv: Vec2) -> (Vec3, f32) {
    let (sin_phi, cos_phi) = sin_cos((uv.x - 0.5) * TAU);
    let (sin_theta, cos_theta) = sin_cos(uv.y * PI);
    (vec3(sin_theta * sin_phi, cos_theta, -sin_theta * cos_phi), sin_theta)
}

/// Density over directions of a density over the map [PBRT4, Eq. 5.26].
#[inline(always)]
pub(super) fn pdf_solid_angle(pdf_uv: f32, sin_theta: f32) -> f32 {
    if sin_theta > 0.0 { pdf_uv / (2.0 * PI * PI * sin_theta) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes() {
        let close = |a: Vec2, b: Vec2| (a - b).abs().max_element() < 1e-6;
        assert!(close(uv_of_direction(Vec3::NEG_Z), vec2(0.5, 0.5)), "the middle");
        assert!(close(uv_of_direction(Vec3::X), vec2(0.75, 0.5)), "right of it");
        assert!(close(uv_of_direction(Vec3::NEG_X), vec2(0.25, 0.5)), "left of it");
        assert_eq!(uv_of_direction(Vec3::Y).y, 0.0, "the zenith on top");
        assert!((uv_of_direction(Vec3::NEG_Y).y - 1.0).abs() < 1e-6, "the nadir below");
    }

    #[test]
    fn round_trip() {
        for uv in [vec2(0.1, 0.2), vec2(0.9, 0.7), vec2(0.5, 0.01), vec2(0.01, 0.99)] {
            let (direction, sin_theta) = direction_of_uv(uv);
            assert!((direction.length() - 1.0).abs() < 1e-6);
            assert!((sin_theta - vec2(direction.x, direction.z).length()).abs() < 1e-6);
            assert!((uv_of_direction(direction) - uv).abs().max_element() < 1e-5, "{uv}");
        }
    }
}
