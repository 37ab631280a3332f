//! LDR-FLIP: the perceived difference of two images between which an observer alternates [Andersson20, LDR-FLIP].
//!
//! As in the authors' later code, the two-dimensional filters of the paper are separated into one-dimensional ones,
//! which gives the same sums.

mod color;
mod convolve;
mod features;
mod filters;

use sunfleck_math::{Vec3, pow};

use super::{SizeMismatch, check_sizes};
use crate::{Picture, magma};

/// Pixels per degree of visual angle of a 0.7 m wide 3840-pixel monitor seen from 0.7 m: `3840 π / 180`.
pub const DEFAULT_PIXELS_PER_DEGREE: f32 = 67.020_645;

/// Exponent of the feature difference, `q_f`.
const FEATURE_EXPONENT: f32 = 0.5;

/// Perceived error of every pixel, in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct FlipMap {
    width: u32,
    height: u32,
    errors: Vec<f32>,
}

impl FlipMap {
    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the errors, row by row from the top.
    pub fn errors(&self) -> &[f32] {
        &self.errors
    }

    /// Returns the mean error, the usual summary of a FLIP map.
    pub fn mean(&self) -> f64 {
        self.errors.iter().map(|&e| f64::from(e)).sum::<f64>() / self.errors.len() as f64
    }

    /// Returns the error map in the colours of [`magma`], for display without a tone curve.
    pub fn picture(&self) -> Picture {
        let pixels = self.errors.iter().map(|&e| magma(e)).collect();
        Picture::new(self.width, self.height, pixels).expect("the size of the compared images")
    }
}

/// Compares two images as a display shows them: they are clamped to [0, 1], so that HDR images need a tone curve first.
///
/// * `pixels_per_degree` — pixels per degree of visual angle, at least 1; [`DEFAULT_PIXELS_PER_DEGREE`] unless the
///   observer's is known.
pub fn flip(test: &Picture, reference: &Picture, pixels_per_degree: f32) -> Result<FlipMap, SizeMismatch> {
    check_sizes(test, reference)?;
    let pixels_per_degree = pixels_per_degree.max(1.0);
    let test = color::to_opponent(test);
    let reference = color::to_opponent(reference);

    // Run the two pipelines of [Andersson20, algorithm]
    let color_difference = color::differences(&test, &reference, pixels_per_degree);
    let feature_difference = features::differences(&test, &reference, pixels_per_degree);

    // Feature differences amplify the color difference [Andersson20, final difference]
    let combine = |(&color, &feature): (&f32, &f32)| {
        if color == 0.0 { 0.0 } else { pow(color, 1.0 - pow(feature, FEATURE_EXPONENT)) }
    };
    let errors = color_difference.iter().zip(&feature_difference).map(combine).collect();
    Ok(FlipMap { width: test.width, height: test.height, errors })
}

/// An image in the opponent color space `YCxCz`, one array per channel.
struct Opponent {
    width: u32,
    height: u32,
    /// Luminance Y, red-green Cx, blue-yellow Cz.
    planes: [Vec<f32>; 3],
}

impl Opponent {
    fn from_pixels(width: u32, height: u32, pixels: impl Iterator<Item = Vec3> + Clone) -> Self {
        let plane = |i: usize| pixels.clone().map(|p| p[i]).collect();
        Self { width, height, planes: [plane(0), plane(1), plane(2)] }
    }
}

#[cfg(test)]
mod tests;
