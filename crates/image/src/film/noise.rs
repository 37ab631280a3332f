//! Noise of the image of a [`Film`].

use super::Film;
use super::sums::luminance;

/// Lower bound of luminances in [`Film::noise`], as a fraction of the mean luminance of the image.
const NOISE_FLOOR: f64 = 0.1;
/// V(n) / V(n/2) of independent samples, and the least that is believed; see [`NoiseEstimate::gain`].
const RATIOS: (f64, f64) = (0.5, 0.25);
/// Number of pixels whose averages are reliable enough for [`NoiseEstimate::gain`].
const LEAST_PIXELS: u32 = 256;

/// What the samples of a film tell about their error.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseEstimate {
    /// Relative standard deviation of the luminance of one sample of each pixel, row by row: that of the mean over n
    /// independent samples is less by a factor of √n. It is relative to the luminance that [`Film::noise`] divides by.
    /// It is infinite below two samples.
    pub deviations: Vec<f32>,
    /// Standard error of the pixels divided by that of independent samples: below 1 if the samples of a pixel are
    /// stratified; 1 if it is not known, as for fewer than eight samples per pixel or 256 pixels.
    ///
    /// With `M(n)` the mean over the first n samples, and `V(n)` its variance, `M(n) - M(n/2)` has the variance
    /// `V(n/2) - V(n)`, if the samples of both halves are equally distributed, as those of scrambled sequences are.
    /// With `ρ = V(n) / V(n/2)`, which follows from one more such difference if V falls by the same factor each time,
    /// `V(n)` is that variance times `ρ / (1 - ρ)`; for independent samples ρ = ½. The ratios are averages over all
    /// pixels.
    pub gain: f32,
    /// The variance of the mean of all samples over that of half of the difference between the means of both halves:
    /// 1 for independent samples, or if it is not known; less for stratified ones, whose errors cancel. This is
    /// `ρ / (1 - ρ)` of [`gain`](Self::gain).
    pub of_half_difference: f32,
}

impl NoiseEstimate {
    /// Returns the noise of the image if the pixels had other numbers of samples; see [`Film::noise`].
    pub fn noise(&self, samples: impl Iterator<Item = u32>) -> f64 {
        let error = |(&deviation, n): (&f32, u32)| f64::from(deviation) / f64::from(n).sqrt();
        let sum: f64 = self.deviations.iter().zip(samples).map(error).sum();
        sum / self.deviations.len() as f64 * f64::from(self.gain)
    }
}

impl Film {
    /// Returns the mean relative standard error of the luminance: 0.01 means that the typical error of a pixel is 1 %.
    ///
    /// It is the mean over pixels of `σ / max(Y, 0.1 Ȳ)`, where `Y` is the luminance of the pixel, `Ȳ` the mean
    /// luminance of the image, which keeps dark pixels from dominating, and `σ` the standard error of `Y`, bounded from
    /// above by that of fully correlated channels, `0.2126 σ_r + 0.7152 σ_g + 0.0722 σ_b`. It is 0 for a black image,
    /// and infinite if a pixel has fewer than two samples or negative weights cancel all light. Sums are in f64.
    ///
    /// For samples that are stratified, it is multiplied by the [gain](NoiseEstimate::gain) of stratification.
    pub fn noise(&self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
        let noise = self.noise_estimate().noise(self.sample_counts().iter().copied()) as f32;
        noise
    }

    /// Estimates the error of the samples.
    pub fn noise_estimate(&self) -> NoiseEstimate {
        let luminances: Vec<f64> = (0..self.sample_counts().len()).map(|i| self.luminance_at(i)).collect();
        let least = NOISE_FLOOR * luminances.iter().sum::<f64>() / luminances.len() as f64;
        let scales: Vec<f64> =
            luminances.into_iter().map(|luminance| luminance.max(least).max(0.0)).collect();
        let deviations: Vec<f32> =
            scales.iter().enumerate().map(|(i, &scale)| self.deviation_at(i, scale)).collect();
        let (gain, of_half_difference) = self.stratification(&deviations, &scales);
        NoiseEstimate { deviations, gain, of_half_difference }
    }

    /// Returns the luminance of a pixel.
    fn luminance_at(&self, i: usize) -> f64 {
        let sums = &self.whole.sums;
        luminance(sums.radiance[i]) / f64::from(sums.samples[i].max(1))
    }

    /// Returns [`NoiseEstimate::deviations`] of a pixel, whose luminance counts as `scale`.
    #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
    fn deviation_at(&self, i: usize, scale: f64) -> f32 {
        let n = f64::from(self.sample_counts()[i]);
        if n < 2.0 {
            return f32::INFINITY;
        }
        let deviation = luminance(self.variance_at(i).to_array().map(f64::sqrt)) * n.sqrt();
        // A black image without errors has no noise, not 0 / 0
        if deviation == 0.0 { 0.0 } else { (deviation / scale) as f32 }
    }

    /// Returns [`NoiseEstimate::gain`] and [`NoiseEstimate::of_half_difference`].
    ///
    /// * `scales` — luminances that errors are relative to.
    fn stratification(&self, deviations: &[f32], scales: &[f64]) -> (f32, f32) {
        let sums = &self.whole.sums;
        // Sums over pixels of the squared differences, each divided by the standard error of independent samples, which
        // weights pixels as `noise` does
        let (mut last, mut before, mut independent, mut pixels) = (0.0, 0.0, 0.0, 0u32);
        let pairs = sums.prefixes.iter().zip(&sums.milestone).zip(&sums.samples);
        for (((prefixes, &n), &samples), (&deviation, &scale)) in pairs.zip(deviations.iter().zip(scales)) {
            let error = f64::from(deviation) / f64::from(n).sqrt();
            if n < 8 || samples / 2 >= n || !(error > 0.0 && error.is_finite()) {
                continue;
            }
            let mean = |sum: [f32; 3], part: f64| luminance(sum.map(f64::from)) * part / f64::from(n) / scale;
            let [quarter, half, all] =
                [mean(prefixes[0], 4.0), mean(prefixes[1], 2.0), mean(prefixes[2], 1.0)];
            last += (all - half).powi(2) / error;
            before += (half - quarter).powi(2) / error;
            independent += error;
            pixels += 1;
        }
        if pixels < LEAST_PIXELS || last == 0.0 || before == 0.0 {
            return (1.0, 1.0);
        }
        let ratio = (last / before).clamp(RATIOS.1, RATIOS.0);
        let of_half_difference = ratio / (1.0 - ratio);
        let gain = (last / independent * of_half_difference).sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
        let both = (gain.min(1.0) as f32, of_half_difference as f32);
        both
    }
}
