//! Environment map of a clear summer sky with some clouds, without the disc of the sun [Preetham99].

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::direction::direction_from_equirect;
use sunfleck_math::{Vec3, acos, exp, tan, vec2, vec3};
use sunfleck_scene::{Texels, Texture, TextureError, TextureFilter, Wrap};

use crate::noise::turbulence;

/// Turbidity of the atmosphere: 2 is very clear, 6 hazy.
const TURBIDITY: f32 = 2.2;
/// Radiance, W/(m² sr), that stands for a luminance of 1000 cd/m².
const SCALE: f32 = 0.062;

/// Renders the map for [`sunfleck_scene::Environment::Map`]; `sun` is the unit direction towards the sun.
///
/// * `height` — height of the image in texels; its width is twice that.
pub(crate) fn paint(sun: Vec3, height: u32) -> Result<Texture, TextureError> {
    let sky = Sky::new(sun);
    let width = 2 * height;
    let texel = |i: u32| {
        let position = vec2((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
        let direction = direction_from_equirect(position / vec2(width as f32, height as f32));
        sky.radiance(direction).extend(1.0).to_array()
    };
    let texels: Vec<[f32; 4]> = (0..width * height).into_par_iter().map(texel).collect();
    let texture = Texture::new("summer sky", width, height, Texels::Float(Arc::new(texels)))?;
    Ok(texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear))
}

/// Analytic daylight model [Preetham99].
struct Sky {
    /// Unit direction towards the sun.
    sun: Vec3,
    /// Five coefficients of the distribution function for luminance Y and for the chromaticities x and y.
    coefficients: [[f32; 5]; 3],
    /// Values of Y, x and y at the zenith, divided by the distribution function there.
    zenith: [f32; 3],
}

impl Sky {
    fn new(sun: Vec3) -> Self {
        const T: f32 = TURBIDITY;
        // [Preetham99, A.2]
        let coefficients = [
            [
                0.1787 * T - 1.4630,
                -0.3554 * T + 0.4275,
                -0.0227 * T + 5.3251,
                0.1206 * T - 2.5771,
                -0.0670 * T + 0.3703,
            ],
            [
                -0.0193 * T - 0.2592,
                -0.0665 * T + 0.0008,
                -0.0004 * T + 0.2125,
                -0.0641 * T - 0.8989,
                -0.0033 * T + 0.0452,
            ],
            [
                -0.0167 * T - 0.2608,
                -0.0950 * T + 0.0092,
                -0.0079 * T + 0.2102,
                -0.0441 * T - 1.6537,
                -0.0109 * T + 0.0529,
            ],
        ];
        let theta = acos(sun.y.clamp(0.0, 1.0));
        let chi = (4.0 / 9.0 - T / 120.0) * (std::f32::consts::PI - 2.0 * theta);
        let luminance = (4.0453 * T - 4.9710) * tan(chi) - 0.2155 * T + 2.4192;
        let cubic = |m: [[f32; 4]; 3]| {
            let row = |r: [f32; 4]| ((r[0] * theta + r[1]) * theta + r[2]) * theta + r[3];
            (row(m[0]) * T + row(m[1])) * T + row(m[2])
        };
        let x = cubic([
            [0.00166, -0.00375, 0.00209, 0.0],
            [-0.02903, 0.06377, -0.03202, 0.00394],
            [0.11693, -0.21196, 0.06052, 0.25886],
        ]);
        let y = cubic([
            [0.00275, -0.00610, 0.00317, 0.0],
            [-0.04214, 0.08970, -0.04153, 0.00516],
            [0.15346, -0.26756, 0.06670, 0.26688],
        ]);
        let at_zenith = coefficients.map(|c| perez(&c, 1.0, theta, sun.y));
        let zenith = [luminance / at_zenith[0], x / at_zenith[1], y / at_zenith[2]];
        Self { sun, coefficients, zenith }
    }

    /// Returns the radiance from a unit direction.
    fn radiance(&self, direction: Vec3) -> Vec3 {
        if direction.y < 0.0 {
            // The ground hides the lower hemisphere, except from rays that pass beyond its edge.
            return vec3(0.10, 0.11, 0.07);
        }
        let up = direction.y.max(0.01);
        let cos_sun = direction.dot(self.sun).clamp(-1.0, 1.0);
        let gamma = acos(cos_sun);
        let value = |i: usize| self.zenith[i] * perez(&self.coefficients[i], up, gamma, cos_sun);
        let clear = rgb_from_xyy(value(1), value(2), value(0) * SCALE);
        let (cover, light) = self.cloud(direction, cos_sun);
        clear.lerp(light, cover)
    }

    /// Returns coverage and radiance of a thin layer of clouds, seen in perspective.
    fn cloud(&self, direction: Vec3, cos_sun: f32) -> (f32, Vec3) {
        let plane = vec2(direction.x, direction.z) / (direction.y + 0.12);
        let shape = turbulence(404, plane * vec2(0.9, 1.3) + 3.7, 7);
        let cover = ((shape - 0.12) * 1.5).clamp(0.0, 1.0);
        let fade = (direction.y * 9.0).clamp(0.0, 1.0);
        let dense = cover * cover * (3.0 - 2.0 * cover) * fade * 0.9;
        let glow = 1.0 + 0.8 * exp(-4.0 * (1.0 - cos_sun));
        let shaded = 1.06 - 0.14 * cover;
        (dense, vec3(0.92, 0.91, 0.90) * (glow * shaded))
    }
}

/// Luminance distribution function [Preetham99, Eq. 3]. θ is the angle to the zenith, γ the angle to the sun.
fn perez(&[a, b, c, d, e]: &[f32; 5], cos_theta: f32, gamma: f32, cos_gamma: f32) -> f32 {
    (1.0 + a * exp(b / cos_theta)) * (1.0 + c * exp(d * gamma) + e * cos_gamma * cos_gamma)
}

/// Converts chromaticity and luminance to linear Rec. 709; colours outside the gamut are clipped.
fn rgb_from_xyy(x: f32, y: f32, luminance: f32) -> Vec3 {
    let (big_x, big_z) = (x / y * luminance, (1.0 - x - y) / y * luminance);
    vec3(
        3.2406 * big_x - 1.5372 * luminance - 0.4986 * big_z,
        -0.9689 * big_x + 1.8758 * luminance + 0.0415 * big_z,
        0.0557 * big_x - 0.2040 * luminance + 1.0570 * big_z,
    )
    .max(Vec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blue_overhead_and_bright_around_the_sun() {
        let sun = vec3(0.0, 0.5, 0.75f32.sqrt());
        let sky = Sky::new(sun);
        let luminance = |c: Vec3| c.dot(vec3(0.2126, 0.7152, 0.0722));
        // The radiance without clouds
        let clear = |direction: Vec3| {
            let cos_sun = direction.dot(sun).clamp(-1.0, 1.0);
            let value =
                |i: usize| sky.zenith[i] * perez(&sky.coefficients[i], direction.y, acos(cos_sun), cos_sun);
            rgb_from_xyy(value(1), value(2), value(0) * SCALE)
        };
        let zenith = clear(Vec3::Y);
        assert!(zenith.z > 1.5 * zenith.x, "{zenith} is blue");
        let (near, far) = (clear(sun), clear(vec3(0.0, 0.5, -0.75f32.sqrt())));
        assert!(luminance(near) > 3.0 * luminance(far), "{near} around the sun, {far} opposite");
        let horizon = clear(vec3(1.0, 0.02, 0.0).normalize_or(Vec3::X));
        assert!(luminance(horizon) > luminance(zenith), "{horizon} at the horizon, {zenith} overhead");
        assert!(horizon.z / horizon.x < zenith.z / zenith.x, "the horizon is paler");
    }

    /// `x`, `y` and `Y` of white are those of IEC 61966-2-1.
    #[test]
    fn white_is_white() {
        assert!(rgb_from_xyy(0.3127, 0.3290, 1.0).abs_diff_eq(Vec3::ONE, 2e-3));
    }
}
