//! Measured spectra of the Cornell box [CornellBox, data] and their conversion to linear Rec. 709.
//!
//! Each channel of a reflectance is the ratio of the lamp's light after and before one reflection. Light that is
//! reflected once has therefore exactly the colour of a spectral computation; further bounces are approximate, as
//! with any three channels. Other renderers publish the colours under equal-energy light, where the red wall is
//! lighter.

use sunfleck_math::Vec3;

/// Reflectance of the white paint.
pub(super) fn white() -> Vec3 {
    reflectance(&WHITE)
}

/// Reflectance of the red paint.
pub(super) fn red() -> Vec3 {
    reflectance(&RED)
}

/// Reflectance of the green paint.
pub(super) fn green() -> Vec3 {
    reflectance(&GREEN)
}

/// Radiance of the lamp.
pub(super) fn lamp() -> Vec3 {
    Vec3::from(rgb(lamp_spectrum).map(narrow))
}

/// Converts a measured reflectance to linear Rec. 709 under the light of the lamp.
fn reflectance(measured: &[f64; 76]) -> Vec3 {
    let before = rgb(lamp_spectrum);
    let after = rgb(|wavelength| lamp_spectrum(wavelength) * measured_spectrum(measured, wavelength));
    Vec3::from(std::array::from_fn(|c| narrow(after[c] / before[c])))
}

#[allow(clippy::cast_possible_truncation, reason = "rounding is intended")]
fn narrow(x: f64) -> f32 {
    x as f32
}

/// Converts a spectrum to linear Rec. 709, scaled so that its luminance is ∫ s ȳ dλ / ∫ ȳ dλ: a constant spectrum of
/// radiance 1 has luminance 1. The integrals, sums in steps of 1 nm, have the range of the measurements, 400 to 700 nm.
fn rgb(spectrum: impl Fn(f64) -> f64) -> [f64; 3] {
    let mut xyz = [0.0; 3];
    let mut white_y = 0.0;
    for wavelength in (400..=700).map(f64::from) {
        let matching = [0, 1, 2]
            .map(|i| interpolate(CIE_1931.len(), (wavelength - 400.0) / 5.0, |row| CIE_1931[row][i]));
        for (sum, m) in xyz.iter_mut().zip(matching) {
            *sum += spectrum(wavelength) * m;
        }
        white_y += matching[1];
    }
    RGB_FROM_XYZ.map(|row| (row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2]) / white_y)
}

/// Published spectrum of the lamp: 0, 8, 15.6 and 18.4 at 400, 500, 600 and 700 nm, linearly interpolated.
fn lamp_spectrum(wavelength: f64) -> f64 {
    interpolate(LAMP.len(), (wavelength - 400.0) / 100.0, |i| LAMP[i])
}

fn measured_spectrum(measured: &[f64; 76], wavelength: f64) -> f64 {
    interpolate(measured.len(), (wavelength - 400.0) / 4.0, |i| measured[i])
}

/// Interpolates linearly between the values at integer positions.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions are small and not negative"
)]
fn interpolate(count: usize, position: f64, value: impl Fn(usize) -> f64) -> f64 {
    let below = (position as usize).min(count - 2);
    let t = position - below as f64;
    value(below) * (1.0 - t) + value(below + 1) * t
}

/// Conversion from CIE XYZ to linear Rec. 709 (IEC 61966-2-1).
const RGB_FROM_XYZ: [[f64; 3]; 3] =
    [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]];

const LAMP: [f64; 4] = [0.0, 8.0, 15.6, 18.4];

/// The CIE 1931 standard observer (2°): x̄, ȳ, z̄ from 400 to 700 nm every 5 nm [CIE15].
#[rustfmt::skip]
const CIE_1931: [[f64; 3]; 61] = [
    [0.01431, 0.000396, 0.06785], [0.02319, 0.00064, 0.1102], [0.04351, 0.00121, 0.2074],
    [0.07763, 0.00218, 0.3713], [0.13438, 0.004, 0.6456], [0.21477, 0.0073, 1.03905],
    [0.2839, 0.0116, 1.3856], [0.3285, 0.01684, 1.62296], [0.34828, 0.023, 1.74706],
    [0.34806, 0.0298, 1.7826], [0.3362, 0.038, 1.77211], [0.3187, 0.048, 1.7441],
    [0.2908, 0.06, 1.6692], [0.2511, 0.0739, 1.5281], [0.19536, 0.09098, 1.28764],
    [0.1421, 0.1126, 1.0419], [0.09564, 0.13902, 0.81295], [0.05795, 0.1693, 0.6162],
    [0.03201, 0.20802, 0.46518], [0.0147, 0.2586, 0.3533], [0.0049, 0.323, 0.272],
    [0.0024, 0.4073, 0.2123], [0.0093, 0.503, 0.1582], [0.0291, 0.6082, 0.1117],
    [0.06327, 0.71, 0.07825], [0.1096, 0.7932, 0.05725], [0.1655, 0.862, 0.04216],
    [0.22575, 0.91485, 0.02984], [0.2904, 0.954, 0.0203], [0.3597, 0.9803, 0.0134],
    [0.43345, 0.99495, 0.00875], [0.51205, 1.0, 0.00575], [0.5945, 0.995, 0.0039],
    [0.6784, 0.9786, 0.00275], [0.7621, 0.952, 0.0021], [0.8425, 0.9154, 0.0018],
    [0.9163, 0.87, 0.00165], [0.9786, 0.8163, 0.0014], [1.0263, 0.757, 0.0011],
    [1.0567, 0.6949, 0.001], [1.0622, 0.631, 0.0008], [1.0456, 0.5668, 0.0006],
    [1.0026, 0.503, 0.00034], [0.9384, 0.4412, 0.00024], [0.85445, 0.381, 0.00019],
    [0.7514, 0.321, 0.0001], [0.6424, 0.265, 0.00005], [0.5419, 0.217, 0.00003],
    [0.4479, 0.175, 0.00002], [0.3608, 0.1382, 0.00001], [0.2835, 0.107, 0.0],
    [0.2187, 0.0816, 0.0], [0.1649, 0.061, 0.0], [0.1212, 0.04458, 0.0],
    [0.0874, 0.032, 0.0], [0.0636, 0.0232, 0.0], [0.04677, 0.017, 0.0],
    [0.0329, 0.01192, 0.0], [0.0227, 0.00821, 0.0], [0.01584, 0.005723, 0.0],
    [0.011359, 0.004102, 0.0],
];

// Reflectances from 400 to 700 nm every 4 nm [CornellBox].

/// Reflectance of floor, ceiling, back wall and blocks.
#[rustfmt::skip]
const WHITE: [f64; 76] = [
    0.343, 0.445, 0.551, 0.624, 0.665, 0.687, 0.708, 0.723, 0.715, 0.710, 0.745, 0.758, 0.739,
    0.767, 0.777, 0.765, 0.751, 0.745, 0.748, 0.729, 0.745, 0.757, 0.753, 0.750, 0.746, 0.747,
    0.735, 0.732, 0.739, 0.734, 0.725, 0.721, 0.733, 0.725, 0.732, 0.743, 0.744, 0.748, 0.728,
    0.716, 0.733, 0.726, 0.713, 0.740, 0.754, 0.764, 0.752, 0.736, 0.734, 0.741, 0.740, 0.732,
    0.745, 0.755, 0.751, 0.744, 0.731, 0.733, 0.744, 0.731, 0.712, 0.708, 0.729, 0.730, 0.727,
    0.707, 0.703, 0.729, 0.750, 0.760, 0.751, 0.739, 0.724, 0.730, 0.740, 0.737,
];

/// Reflectance of the left wall.
#[rustfmt::skip]
const RED: [f64; 76] = [
    0.040, 0.046, 0.048, 0.053, 0.049, 0.050, 0.053, 0.055, 0.057, 0.056, 0.059, 0.057, 0.061,
    0.061, 0.060, 0.062, 0.062, 0.062, 0.061, 0.062, 0.060, 0.059, 0.057, 0.058, 0.058, 0.058,
    0.056, 0.055, 0.056, 0.059, 0.057, 0.055, 0.059, 0.059, 0.058, 0.059, 0.061, 0.061, 0.063,
    0.063, 0.067, 0.068, 0.072, 0.080, 0.090, 0.099, 0.124, 0.154, 0.192, 0.255, 0.287, 0.349,
    0.402, 0.443, 0.487, 0.513, 0.558, 0.584, 0.620, 0.606, 0.609, 0.651, 0.612, 0.610, 0.650,
    0.638, 0.627, 0.620, 0.630, 0.628, 0.642, 0.639, 0.657, 0.639, 0.635, 0.642,
];

/// Reflectance of the right wall.
#[rustfmt::skip]
const GREEN: [f64; 76] = [
    0.092, 0.096, 0.098, 0.097, 0.098, 0.095, 0.095, 0.097, 0.095, 0.094, 0.097, 0.098, 0.096,
    0.101, 0.103, 0.104, 0.107, 0.109, 0.112, 0.115, 0.125, 0.140, 0.160, 0.187, 0.229, 0.285,
    0.343, 0.390, 0.435, 0.464, 0.472, 0.476, 0.481, 0.462, 0.447, 0.441, 0.426, 0.406, 0.373,
    0.347, 0.337, 0.314, 0.285, 0.277, 0.266, 0.250, 0.230, 0.207, 0.186, 0.171, 0.160, 0.148,
    0.141, 0.136, 0.130, 0.126, 0.123, 0.121, 0.122, 0.119, 0.114, 0.115, 0.117, 0.117, 0.118,
    0.120, 0.122, 0.128, 0.132, 0.139, 0.144, 0.146, 0.150, 0.152, 0.157, 0.159,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours of these spectra in Mitsuba 3 (`mitsuba.cornell_box()`), which assumes equal-energy light.
    #[test]
    fn published_approximations_under_equal_energy() {
        for (measured, published) in [
            (&WHITE, [0.885_809, 0.698_859, 0.666_422]),
            (&RED, [0.570_068, 0.043_013_5, 0.044_370_6]),
            (&GREEN, [0.105_421, 0.377_98, 0.076_425]),
        ] {
            let found = rgb(|wavelength| measured_spectrum(measured, wavelength));
            for (f, p) in found.iter().zip(published) {
                assert!((f - p).abs() < 0.006, "{found:?} for {published:?}");
            }
        }
    }

    /// The lamp is orange: reflectances differ from those under white light.
    #[test]
    fn colors_under_the_lamp() {
        let (white, red, green) = (white(), red(), green());
        assert!(white.min_element() > 0.73 && white.max_element() < 0.76, "{white} is white");
        assert!(red.x > 0.4 && red.x < 0.657 && red.y < 0.065 && red.z < 0.05, "{red} is red");
        assert!(green.y > 0.37 && green.y < 0.481 && green.x < 0.15 && green.z < 0.11, "{green} is green");
        assert!(red.min_element() > 0.0 && green.min_element() > 0.0, "all are in the gamut");
    }

    /// The spectrum is nearly linear, so its luminance is about its value at the centroid of ȳ, 560 nm: 8 + 0.6 · 7.6.
    #[test]
    fn the_lamp_is_orange() {
        let lamp = lamp();
        let luminance = lamp.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((luminance - 12.56).abs() < 0.3, "{luminance}");
        assert!(lamp.x > lamp.y && lamp.y > lamp.z && lamp.z > 0.0, "{lamp}");
    }
}
