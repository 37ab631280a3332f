//! Diffusion profiles as mixtures of Gaussians.

use std::f64::consts::PI;

use sunfleck_math::exp;
use sunfleck_shading::subsurface::ChannelProfile;

/// Radii that represent a profile, each with the same light.
const RADII: u16 = 1024;
/// Steps of expectation and maximisation. The error of the fit hardly decreases after them.
const STEPS: u32 = 200;
/// Ratio of successive variances.
const RATIO: f64 = 2.0;
/// Smallest variance, relative to the squared radius that contains half of the light: the width below which a profile is
/// not resolved, where 1/r of normalised diffusion grows without bound.
pub(super) const SMALLEST: f32 = 1e-5;

/// Normalised profile as a mixture of two-dimensional Gaussians, `∑ w e^(-r²/v) / (π v)` [dEon07, sum of Gaussians].
///
/// The models of diffusion are Laplace transforms of positive functions in the variable r²: light that has travelled for
/// a given time has a Gaussian profile. So a mixture with variances in a ratio of 2 and positive weights comes within a
/// few thousandths of them. In contrast to the paper, which minimises squares, the weights maximise the likelihood of
/// radii that are sampled from the profile, by expectation and maximisation; they stay positive and add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gaussians {
    /// Variances v (both axes together, the mean of r²), m², and weights.
    components: Vec<(f64, f64)>,
}

impl Gaussians {
    /// Fits a profile.
    pub(super) fn fit(profile: &ChannelProfile) -> Self {
        let fraction = |i: u16| (f32::from(i) + 0.5) / f32::from(RADII);
        let squared = |fraction: f32| f64::from(profile.radius_containing(fraction)).powi(2);
        let radii: Vec<f64> = (0..RADII).map(|i| squared(fraction(i))).collect();
        let smallest = radii[0].max(squared(0.5) * f64::from(SMALLEST)).max(f64::from(f32::MIN_POSITIVE));
        let largest = 2.0 * radii[radii.len() - 1];
        let variances: Vec<f64> = std::iter::successors(Some(smallest), |v| Some(v * RATIO))
            .take_while(|v| *v < RATIO * largest)
            .collect();
        let densities: Vec<f64> =
            radii.iter().flat_map(|r2| variances.iter().map(|v| density(*r2, *v))).collect();
        let count = variances.len();
        let mut weights = vec![1.0 / count as f64; count];
        for _ in 0..STEPS {
            // Each radius is shared among the components that may have caused it
            let mut shares = vec![0.0; count];
            for densities in densities.chunks_exact(count) {
                let sum: f64 = densities.iter().zip(&weights).map(|(d, w)| d * w).sum();
                if sum > 0.0 {
                    let terms = shares.iter_mut().zip(densities.iter().zip(&weights));
                    terms.for_each(|(share, (d, w))| *share += d * w / sum);
                }
            }
            let total: f64 = shares.iter().sum();
            weights = shares.iter().map(|share| share / total).collect();
        }
        Self { components: variances.into_iter().zip(weights).collect() }
    }

    /// Returns the profile after a convolution with a Gaussian, which adds its variance, in 1/m².
    ///
    /// * `r2` — squared distance, m². * `variance` — of the Gaussian, both axes together, m².
    pub(super) fn smoothed(&self, r2: f64, variance: f64) -> f64 {
        self.components.iter().map(|&(v, weight)| weight * density(r2, v + variance)).sum()
    }
}

/// Density of a Gaussian.
#[allow(clippy::cast_possible_truncation, reason = "the exponent; the exponential is that of f32")]
fn density(r2: f64, variance: f64) -> f64 {
    f64::from(exp((-r2 / variance) as f32)) / (PI * variance)
}
