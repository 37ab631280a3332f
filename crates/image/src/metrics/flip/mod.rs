//! LDR-FLIP: how different two images look when a person flips between them [Andersson20, LDR-FLIP].
//!
//! As in the authors' own later code, the two-dimensional filters of the paper are split into one-dimensional ones,
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

/// The perceived error of every pixel, in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct FlipMap {
    width: u32,
    height: u32,
    errors: Vec<f32>,
}

impl FlipMap {
    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The errors, row by row from the top.
    pub fn errors(&self) -> &[f32] {
        &self.errors
    }

    /// Mean error: the usual single number.
    pub fn mean(&self) -> f64 {
        self.errors.iter().map(|&e| f64::from(e)).sum::<f64>() / self.errors.len() as f64
    }

    /// The error map in the colours of [`magma`], to be shown without a tone curve.
    pub fn picture(&self) -> Picture {
        let pixels = self.errors.iter().map(|&e| magma(e)).collect();
        Picture::new(self.width, self.height, pixels).expect("it has the size of the pictures compared")
    }
}

/// Compares what a display shows: both images are clamped to [0, 1] linearly, so apply a tone curve before.
///
/// * `pixels_per_degree` — of visual angle, [`DEFAULT_PIXELS_PER_DEGREE`] unless the viewer's is known; at least 1.
pub fn flip(test: &Picture, reference: &Picture, pixels_per_degree: f32) -> Result<FlipMap, SizeMismatch> {
    check_sizes(test, reference)?;
    let pixels_per_degree = pixels_per_degree.max(1.0);
    let test = color::to_opponent(test);
    let reference = color::to_opponent(reference);

    // The two pipelines of [Andersson20, algorithm]
    let color_difference = color::differences(&test, &reference, pixels_per_degree);
    let feature_difference = features::differences(&test, &reference, pixels_per_degree);

    // A feature that comes or goes amplifies the color difference [Andersson20, final difference]
    let combine = |(&color, &feature): (&f32, &f32)| {
        if color == 0.0 { 0.0 } else { pow(color, 1.0 - pow(feature, FEATURE_EXPONENT)) }
    };
    let errors = color_difference.iter().zip(&feature_difference).map(combine).collect();
    Ok(FlipMap { width: test.width, height: test.height, errors })
}

/// An image in the opponent space `YCxCz`, one array per channel.
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
