//! Estimates from the sums of a [`Film`]: means, their variance, and the noise of the image.

use sunfleck_math::{DVec3, Vec3};

use super::Film;
use super::sums::luminance;
use crate::Picture;

/// Lower bound of luminances in [`Film::noise`], as a fraction of the mean luminance of the image.
const NOISE_FLOOR: f64 = 0.1;

impl Film {
    /// Returns the mean radiance per pixel, linear Rec.709; black without samples.
    ///
    /// The estimate is `Σ wᵢLᵢ / n`. Division by the number of samples, not by the sum of their weights, keeps it
    /// unbiased, and finite when negative weights of a Mitchell filter cancel.
    pub fn radiance(&self) -> Picture {
        self.picture(|i| mean(self.whole.sums.radiance[i], self.whole.sums.samples[i]))
    }

    /// Returns the variance of the mean of each pixel, per channel: `(Σx² - (Σx)²/n) / (n (n - 1))` with `x = wL`.
    ///
    /// With fewer than two samples it is infinite, that is, unknown. The samples are assumed to be independent; for
    /// stratified samples it is too large.
    pub fn variance(&self) -> Picture {
        self.picture(|i| narrow(self.variance_at(i)))
    }

    /// Returns the mean relative standard error of the luminance: 0.01 means that the typical error of a pixel is 1 %.
    ///
    /// It is the mean over pixels of `σ / max(Y, 0.1 Ȳ)`, where `Y` is the luminance of the pixel, `Ȳ` the mean
    /// luminance of the image, which keeps dark pixels from dominating, and `σ` the standard error of `Y`, bounded from
    /// above by that of fully correlated channels, `0.2126 σ_r + 0.7152 σ_g + 0.0722 σ_b`. It is 0 for a black image,
    /// and infinite if a pixel has fewer than two samples or negative weights cancel all light. Sums are in f64.
    ///
    /// For samples that are stratified, it is multiplied by the [gain](Self::stratification_gain) of stratification.
    pub fn noise(&self) -> f32 {
        let samples = &self.whole.sums.samples;
        let deviations = self.relative_deviations();
        let error = |(&deviation, &n): (&f32, &u32)| f64::from(deviation) / f64::from(n).sqrt();
        let sum: f64 = deviations.iter().zip(samples).map(error).sum();
        #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
        let noise = (sum / samples.len() as f64) as f32;
        noise * self.stratification_gain()
    }

    /// Returns, for each pixel, the relative standard deviation of the luminance of one sample: that of the mean over n
    /// independent samples is less by a factor of √n. It is relative to the luminance that [`Film::noise`] divides by.
    pub fn relative_deviations(&self) -> Vec<f32> {
        let least = NOISE_FLOOR * self.mean_luminance();
        let deviation = |i: usize| {
            let n = f64::from(self.whole.sums.samples[i]);
            if n < 2.0 {
                return f64::INFINITY;
            }
            let deviation = luminance(self.variance_at(i).to_array().map(f64::sqrt)) * n.sqrt();
            // A black image without errors has no noise, not 0 / 0
            if deviation == 0.0 { 0.0 } else { deviation / self.luminance_at(i).max(least).max(0.0) }
        };
        #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
        (0..self.whole.sums.samples.len()).map(|i| deviation(i) as f32).collect()
    }

    /// Returns the standard error of the pixels divided by that of independent samples: below 1 if the samples of a pixel
    /// are stratified; 1 if it is not known, as for fewer than eight samples per pixel or 256 pixels.
    ///
    /// With `M(n)` the mean over the first n samples, and `V(n)` its variance, `M(n) - M(n/2)` has the variance
    /// `V(n/2) - V(n)`, if the samples of both halves are equally distributed, as those of scrambled sequences are. With
    /// `ρ = V(n) / V(n/2)`, which follows from one more such difference if V falls by the same factor each time, `V(n)` is
    /// that variance times `ρ / (1 - ρ)`; for independent samples ρ = ½. The ratios are averages over all pixels.
    pub fn stratification_gain(&self) -> f32 {
        /// ρ of independent samples, and the least that is believed.
        const RATIOS: (f64, f64) = (0.5, 0.25);
        /// Number of pixels whose average is reliable.
        const LEAST_PIXELS: u32 = 256;
        let sums = &self.whole.sums;
        let least = NOISE_FLOOR * self.mean_luminance();
        // Sums over pixels of the squared differences, each divided by standard error and luminance, which weights
        // pixels as `noise` does
        let (mut last, mut before, mut independent, mut pixels) = (0.0, 0.0, 0.0, 0u32);
        for (i, (&[quarter, half, all], &n)) in sums.prefixes.iter().zip(&sums.milestone).enumerate() {
            let (n, samples) = (f64::from(n), f64::from(sums.samples[i]));
            let error = luminance(self.variance_at(i).to_array().map(f64::sqrt)) * (samples / n).sqrt();
            let scale = self.luminance_at(i).max(least);
            if n < 8.0 || samples >= 2.0 * n || !(error > 0.0 && error.is_finite() && scale > 0.0) {
                continue;
            }
            let [quarter, half, all] =
                [(quarter, 4.0), (half, 2.0), (all, 1.0)].map(|(sum, part)| f64::from(sum) * part / n);
            last += (all - half).powi(2) / (error * scale);
            before += (half - quarter).powi(2) / (error * scale);
            independent += error / scale;
            pixels += 1;
        }
        if pixels < LEAST_PIXELS || last == 0.0 || before == 0.0 {
            return 1.0;
        }
        let ratio = (last / before).clamp(RATIOS.1, RATIOS.0);
        #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
        let gain = (last / independent * ratio / (1.0 - ratio)).sqrt() as f32;
        gain.min(1.0)
    }

    fn luminance_at(&self, i: usize) -> f64 {
        let sums = &self.whole.sums;
        luminance(sums.radiance[i]) / f64::from(sums.samples[i].max(1))
    }

    /// Returns the mean luminance of the image.
    fn mean_luminance(&self) -> f64 {
        let pixels = self.whole.sums.samples.len();
        (0..pixels).map(|i| self.luminance_at(i)).sum::<f64>() / pixels as f64
    }

    /// Returns the mean distance along the camera ray per pixel, infinite where no sample hit; `None` if it is not
    /// recorded.
    pub fn depth(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let depth = |(&sum, &hits): (&f64, &u32)| {
            if hits == 0 { f32::INFINITY } else { (sum / f64::from(hits)) as f32 }
        };
        (!sums.depth.is_empty()).then(|| sums.depth.iter().zip(&sums.hits).map(depth).collect())
    }

    /// Returns the mean position in world space per pixel, 0 where no sample hit; `None` if it is not recorded.
    pub fn position(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.position.is_empty()).then(|| self.picture(|i| mean(sums.position[i], sums.hits[i])))
    }

    /// Returns the unit geometric normal per pixel, 0 where no sample hit; `None` if it is not recorded.
    pub fn normal_geometric(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.ng.is_empty()).then(|| self.picture(|i| direction(sums.ng[i])))
    }

    /// Returns the unit shading normal per pixel, 0 where no sample hit; `None` if it is not recorded.
    pub fn normal_shading(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.ns.is_empty()).then(|| self.picture(|i| direction(sums.ns[i])))
    }

    /// Returns the mean albedo per pixel; `None` if it is not recorded.
    pub fn albedo(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.albedo.is_empty()).then(|| self.picture(|i| mean(sums.albedo[i], sums.samples[i])))
    }

    /// Returns `inst_id`, `prim_id`, mesh id and material id of the first sample of each pixel, `u32::MAX` for a miss;
    /// `None` if they are not recorded.
    pub fn ids(&self) -> Option<&[[u32; 4]]> {
        let ids = &self.whole.sums.ids;
        (!ids.is_empty()).then_some(ids)
    }

    /// Returns the mean ambient occlusion per pixel (1 if not occluded, 0 if occluded), 1 without samples; `None` if it
    /// is not recorded.
    pub fn ambient_occlusion(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let openness = |(&sum, &n): (&f64, &u32)| if n == 0 { 1.0 } else { (sum / f64::from(n)) as f32 };
        (!sums.occlusion.is_empty()).then(|| sums.occlusion.iter().zip(&sums.samples).map(openness).collect())
    }

    /// Returns the mean number of levels of reflection and refraction per pixel; `None` if they are not recorded.
    pub fn reflections(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of small numbers")]
        let levels = |(&sum, &n): (&f64, &u32)| (sum / f64::from(n.max(1))) as f32;
        (!sums.reflections.is_empty())
            .then(|| sums.reflections.iter().zip(&sums.samples).map(levels).collect())
    }

    /// Returns the variance of pixel `i`, see [`Film::variance`].
    fn variance_at(&self, i: usize) -> DVec3 {
        let n = f64::from(self.whole.sums.samples[i]);
        if n < 2.0 {
            return DVec3::INFINITY;
        }
        let (sum, squares) =
            (DVec3::from(self.whole.sums.radiance[i]), DVec3::from(self.whole.sums.squares[i]));
        // For equal samples, rounding may give a difference slightly below zero
        ((squares - sum * sum / n) / (n * (n - 1.0))).max(DVec3::ZERO)
    }

    fn picture(&self, value: impl Fn(usize) -> Vec3) -> Picture {
        let mut i = 0;
        let next = |_, _| {
            i += 1;
            value(i - 1)
        };
        Picture::from_fn(self.width(), self.height(), next).expect("a film has at least one pixel")
    }
}

fn narrow(v: DVec3) -> Vec3 {
    v.as_vec3()
}

/// Returns `sum / n`, clamped to the range of f32, so that images are finite; 0 without samples.
fn mean(sum: [f64; 3], n: u32) -> Vec3 {
    let most = DVec3::splat(f32::MAX.into());
    if n == 0 { Vec3::ZERO } else { narrow((DVec3::from(sum) / f64::from(n)).clamp(-most, most)) }
}

fn direction(sum: [f64; 3]) -> Vec3 {
    narrow(DVec3::from(sum).normalize_or_zero())
}
