//! The one-dimensional filter kernels of FLIP. Each has an odd number of taps, with its centre in the middle.

use std::f32::consts::PI;

use sunfleck_math::exp;

/// Contrast sensitivity of the eye for luminance: parameters `(a, b)` of a sum of Gaussians `a √(π/b) exp(-π² x² / b)`,
/// x in degrees [Andersson20, spatial filtering].
const LUMINANCE: [(f32, f32); 1] = [(1.0, 0.0047)];
/// Contrast sensitivity for the channel Cx.
const RED_GREEN: [(f32, f32); 1] = [(1.0, 0.0053)];
/// Contrast sensitivity for the channel Cz.
const BLUE_YELLOW: [(f32, f32); 2] = [(34.1, 0.04), (13.5, 0.025)];

/// Width, in degrees, of the features that the eye detects [Andersson20, feature detection].
const FEATURE_WIDTH: f32 = 0.082;

/// Returns, for the channels Y, Cx and Cz, the kernels whose separable products sum to the contrast sensitivity filter.
pub(super) fn contrast_sensitivity(pixels_per_degree: f32) -> [Vec<Vec<f32>>; 3] {
    [&LUMINANCE[..], &RED_GREEN[..], &BLUE_YELLOW[..]]
        .map(|gaussians| split_gaussians(gaussians, pixels_per_degree))
}

/// Returns one kernel per Gaussian; the products of the kernels with themselves sum to 1 over all taps of all
/// Gaussians.
fn split_gaussians(gaussians: &[(f32, f32)], pixels_per_degree: f32) -> Vec<Vec<f32>> {
    // Three standard deviations of the widest Gaussian of all channels
    let widest = 0.04f32;
    let radius = (3.0 * (widest / (2.0 * PI * PI)).sqrt() * pixels_per_degree).ceil();
    let mut kernels: Vec<Vec<f32>> = gaussians
        .iter()
        .map(|&(a, b)| {
            let amplitude = (a * (PI / b).sqrt()).sqrt();
            taps(radius)
                .map(|x| x / pixels_per_degree)
                .map(|x| amplitude * exp(-PI * PI * x * x / b))
                .collect()
        })
        .collect();
    let total: f32 = kernels.iter().map(|k| k.iter().sum::<f32>()).map(|sum| sum * sum).sum();
    kernels.iter_mut().flatten().for_each(|weight| *weight /= total.sqrt());
    kernels
}

/// A Gaussian and its derivatives, which detect edges and points.
pub(super) struct FeatureKernels {
    /// Gaussian, whose weights sum to 1.
    pub(super) smooth: Vec<f32>,
    /// First derivative, whose positive weights sum to 1 and negative ones to -1.
    pub(super) edge: Vec<f32>,
    /// Second derivative, normalised like the first.
    pub(super) point: Vec<f32>,
}

/// Returns the kernels of [Andersson20, feature detection]; the standard deviation is half of the feature width.
pub(super) fn features(pixels_per_degree: f32) -> FeatureKernels {
    let deviation = 0.5 * FEATURE_WIDTH * pixels_per_degree;
    let radius = (3.0 * deviation).ceil();
    let gaussian = |x: f32| exp(-x * x / (2.0 * deviation * deviation));
    let smooth: Vec<f32> = taps(radius).map(gaussian).collect();
    let sum: f32 = smooth.iter().sum();
    let second = |x: f32| (x * x / (deviation * deviation) - 1.0) * gaussian(x);
    FeatureKernels {
        smooth: smooth.iter().map(|w| w / sum).collect(),
        edge: balance(taps(radius).map(|x| -x * gaussian(x)).collect()),
        point: balance(taps(radius).map(second).collect()),
    }
}

/// Scales positive and negative weights to sums of 1 and -1.
fn balance(weights: Vec<f32>) -> Vec<f32> {
    let positive: f32 = weights.iter().filter(|&&w| w > 0.0).sum();
    let negative: f32 = weights.iter().filter(|&&w| w < 0.0).sum();
    // A weight of 0 keeps its value, so that no kernel divides by an empty sum
    let scale = |w: f32| {
        if w > 0.0 {
            w / positive
        } else if w < 0.0 {
            -w / negative
        } else {
            0.0
        }
    };
    weights.into_iter().map(scale).collect()
}

/// Returns the integers from `-radius` to `radius`.
fn taps(radius: f32) -> impl Iterator<Item = f32> {
    #[expect(clippy::cast_possible_truncation, reason = "a few pixels per degree of angle")]
    let radius = radius as i32;
    (-radius..=radius).map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_keep_constants_and_detectors_ignore_them() {
        for ppd in [1.0, 10.0, 67.02, 200.0] {
            for kernels in contrast_sensitivity(ppd) {
                let sum: f32 = kernels.iter().map(|k| k.iter().sum::<f32>().powi(2)).sum();
                assert!((sum - 1.0).abs() < 1e-5);
            }
            let kernels = features(ppd);
            assert!((kernels.smooth.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(kernels.edge.iter().sum::<f32>().abs() < 1e-5);
            assert_eq!(kernels.edge.len() % 2, 1);
        }
    }

    #[test]
    fn sizes_of_the_default_display() {
        // 3 √(0.04 / 2π²) 67.02 = 9.05 and 3 · 0.041 · 67.02 = 8.24, rounded up
        assert_eq!(contrast_sensitivity(67.02)[0][0].len(), 21);
        assert_eq!(features(67.02).smooth.len(), 19);
    }
}
