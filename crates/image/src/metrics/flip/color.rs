//! The color pipeline: contrast sensitivity, perceptually uniform color, distance, redistribution.

use sunfleck_math::{Mat3, Vec3, pow, vec3};

use super::{Opponent, convolve, filters};
use crate::Picture;

/// Exponent of the color distance, `q_c`.
const COLOR_EXPONENT: f32 = 0.7;
/// Fraction of the largest distance, `p_c`, that is mapped to the error `p_t` below.
const KNEE_DISTANCE: f32 = 0.4;
/// Error at the knee.
const KNEE_ERROR: f32 = 0.95;

/// Matrix from linear RGB to XYZ as FLIP's authors compute it from the chromaticities of sRGB.
const XYZ_FROM_RGB: Mat3 = Mat3::from_cols(
    vec3(10_135_552.0 / 24_577_794.0, 2_613_072.0 / 12_288_897.0, 1_425_312.0 / 73_733_382.0),
    vec3(8_788_810.0 / 24_577_794.0, 8_788_810.0 / 12_288_897.0, 8_788_810.0 / 73_733_382.0),
    vec3(4_435_075.0 / 24_577_794.0, 887_015.0 / 12_288_897.0, 70_074_185.0 / 73_733_382.0),
);

/// Returns the XYZ of white, (1, 1, 1): the sums of the rows of the matrix.
fn white() -> Vec3 {
    XYZ_FROM_RGB * Vec3::ONE
}

/// Converts an image, clamped to the range of a display, to `YCxCz` [Andersson20, spatial filtering].
pub(super) fn to_opponent(picture: &Picture) -> Opponent {
    let white = white();
    let opponent = |&rgb: &Vec3| {
        let xyz = XYZ_FROM_RGB * rgb.clamp(Vec3::ZERO, Vec3::ONE) / white;
        vec3(116.0 * xyz.y - 16.0, 500.0 * (xyz.x - xyz.y), 200.0 * (xyz.y - xyz.z))
    };
    Opponent::from_pixels(picture.width(), picture.height(), picture.pixels().iter().map(opponent))
}

/// Returns the color difference of each pixel, in [0, 1].
pub(super) fn differences(test: &Opponent, reference: &Opponent, pixels_per_degree: f32) -> Vec<f32> {
    let kernels = filters::contrast_sensitivity(pixels_per_degree);
    let test = perceived(test, &kernels);
    let reference = perceived(reference, &kernels);
    let largest = largest_distance();
    test.iter()
        .zip(&reference)
        .map(|(&a, &b)| redistribute(pow(distance(a, b), COLOR_EXPONENT), largest))
        .collect()
}

/// Filters an image by the contrast sensitivity of the eye, and converts it to `L*a*b*` with the Hunt effect
/// [Andersson20, uniform color space].
fn perceived(picture: &Opponent, kernels: &[Vec<Vec<f32>>; 3]) -> Vec<Vec3> {
    let width = picture.width as usize;
    let filtered = |channel: usize| {
        let mut sums = vec![0.0; picture.planes[channel].len()];
        for kernel in &kernels[channel] {
            let convolved = convolve::separable(&picture.planes[channel], width, kernel, kernel);
            sums.iter_mut().zip(convolved).for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    let (y, cx, cz) = (filtered(0), filtered(1), filtered(2));
    let rgb_from_xyz = XYZ_FROM_RGB.inverse();
    let white = white();
    let lab = |((&y, &cx), &cz): ((&f32, &f32), &f32)| {
        // Convert back to linear RGB to clamp, since filtering may leave the gamut of the display
        let y = (y + 16.0) / 116.0;
        let xyz = vec3(y + cx / 500.0, y, y - cz / 200.0) * white;
        hunt(lab_from_rgb((rgb_from_xyz * xyz).clamp(Vec3::ZERO, Vec3::ONE)))
    };
    y.iter().zip(&cx).zip(&cz).map(lab).collect()
}

/// Converts linear RGB to CIE 1976 `L*a*b*`.
fn lab_from_rgb(rgb: Vec3) -> Vec3 {
    const DELTA: f32 = 6.0 / 29.0;
    let relative = XYZ_FROM_RGB * rgb / white();
    let f = |t: f32| {
        if t > DELTA * DELTA * DELTA { pow(t, 1.0 / 3.0) } else { t / (3.0 * DELTA * DELTA) + 4.0 / 29.0 }
    };
    let (x, y, z) = (f(relative.x), f(relative.y), f(relative.z));
    vec3(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z))
}

/// Applies the Hunt effect: chroma decreases in proportion to lightness [Andersson20, uniform color space].
fn hunt(lab: Vec3) -> Vec3 {
    let scale = 0.01 * lab.x;
    vec3(lab.x, scale * lab.y, scale * lab.z)
}

/// Returns the `HyAB` distance, which is meant for large color differences: city block distance in lightness, Euclidean
/// distance in chroma [Andersson20, color metric].
fn distance(a: Vec3, b: Vec3) -> f32 {
    let d = a - b;
    d.x.abs() + (d.y * d.y + d.z * d.z).sqrt()
}

/// Returns the distance between green and blue, the largest in the gamut, to the power of `q_c`.
fn largest_distance() -> f32 {
    pow(distance(hunt(lab_from_rgb(Vec3::Y)), hunt(lab_from_rgb(Vec3::Z))), COLOR_EXPONENT)
}

/// Maps a distance to an error, so that small distances take most of the range [Andersson20, error redistribution].
fn redistribute(distance: f32, largest: f32) -> f32 {
    let knee = KNEE_DISTANCE * largest;
    if distance < knee {
        KNEE_ERROR / knee * distance
    } else {
        KNEE_ERROR + (distance - knee) / (largest - knee) * (1.0 - KNEE_ERROR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lab_of_the_primaries() {
        // sRGB primaries under D65: green (87.74, -86.18, 83.18), blue (32.30, 79.19, -107.86), white (100, 0, 0)
        for (rgb, want) in [
            (Vec3::Y, vec3(87.74, -86.18, 83.18)),
            (Vec3::Z, vec3(32.30, 79.19, -107.86)),
            (Vec3::ONE, vec3(100.0, 0.0, 0.0)),
            (Vec3::ZERO, Vec3::ZERO),
        ] {
            let lab = lab_from_rgb(rgb);
            assert!((lab - want).abs().max_element() < 0.15, "{rgb}: {lab}");
        }
    }

    #[test]
    fn redistribution_is_continuous_at_the_knee_and_ends_at_one() {
        let largest = largest_distance();
        assert_eq!(redistribute(0.0, largest), 0.0);
        assert!((redistribute(0.4 * largest, largest) - 0.95).abs() < 1e-6);
        assert!((redistribute(0.399_999 * largest, largest) - 0.95).abs() < 1e-4);
        assert!((redistribute(largest, largest) - 1.0).abs() < 1e-6);
    }
}
