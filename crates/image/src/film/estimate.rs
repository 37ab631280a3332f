//! Estimates from the sums of a [`Film`]: means, their variance, the noise of the image.

use sunfleck_math::{DVec3, Vec3};

use super::Film;
use crate::Picture;

/// Luminance below this fraction of the image's mean counts as if it had it: see [`Film::noise`].
const NOISE_FLOOR: f64 = 0.1;

impl Film {
    /// Mean radiance per pixel, linear Rec.709; black where there is no sample.
    ///
    /// `Σ wᵢLᵢ / n`: dividing by the number of samples, not by the sum of their weights, keeps the estimate unbiased
    /// and safe when negative weights of a Mitchell filter cancel.
    pub fn radiance(&self) -> Picture {
        self.picture(|i| mean(self.whole.sums.radiance[i], self.whole.sums.samples[i]))
    }

    /// Variance of each pixel's mean, per channel: `(Σx² - (Σx)²/n) / (n (n - 1))` with `x = wL`.
    ///
    /// Infinite, that is unknown, below two samples. It takes the samples for independent, hence it is too large for
    /// stratified ones.
    pub fn variance(&self) -> Picture {
        self.picture(|i| narrow(self.variance_at(i)))
    }

    /// Mean relative standard error of the image's luminance: 0.01 means that a pixel is typically off by 1 %.
    ///
    /// The mean over pixels of `σ / max(Y, 0.1 Ȳ)`, where `Y` is the luminance of the pixel, `Ȳ` its mean over the
    /// image, so that dark pixels do not dominate, and `σ` the standard error of `Y`, bounded from above by that of
    /// fully correlated channels, `0.2126 σ_r + 0.7152 σ_g + 0.0722 σ_b`. 0 for a black image, infinite when a pixel
    /// has fewer than two samples or negative weights leave no light. Sums are in f64.
    pub fn noise(&self) -> f32 {
        let sums = &self.whole.sums;
        let luminance = |rgb: [f64; 3]| 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        let mean_luminance = |i: usize| luminance(sums.radiance[i]) / f64::from(sums.samples[i].max(1));
        let pixels = sums.samples.len();
        let picture_mean = (0..pixels).map(mean_luminance).sum::<f64>() / pixels as f64;
        let relative_error = |i| {
            let error = luminance(self.variance_at(i).to_array().map(f64::sqrt));
            // No error in a black image is no noise, not 0 / 0
            if error == 0.0 {
                0.0
            } else {
                error / mean_luminance(i).max(NOISE_FLOOR * picture_mean).max(0.0)
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "three digits of it matter")]
        let noise = ((0..pixels).map(relative_error).sum::<f64>() / pixels as f64) as f32;
        noise
    }

    /// Mean distance along the camera ray per pixel, infinite where no sample hit; `None` when it is not recorded.
    pub fn depth(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let depth = |(&sum, &hits): (&f64, &u32)| {
            if hits == 0 { f32::INFINITY } else { (sum / f64::from(hits)) as f32 }
        };
        (!sums.depth.is_empty()).then(|| sums.depth.iter().zip(&sums.hits).map(depth).collect())
    }

    /// Mean world position per pixel, 0 where no sample hit; `None` when it is not recorded.
    pub fn position(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.position.is_empty()).then(|| self.picture(|i| mean(sums.position[i], sums.hits[i])))
    }

    /// Unit geometric normal per pixel, 0 where no sample hit; `None` when it is not recorded.
    pub fn normal_geometric(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.ng.is_empty()).then(|| self.picture(|i| direction(sums.ng[i])))
    }

    /// Unit shading normal per pixel, 0 where no sample hit; `None` when it is not recorded.
    pub fn normal_shading(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.ns.is_empty()).then(|| self.picture(|i| direction(sums.ns[i])))
    }

    /// Mean albedo per pixel; `None` when it is not recorded.
    pub fn albedo(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.albedo.is_empty()).then(|| self.picture(|i| mean(sums.albedo[i], sums.samples[i])))
    }

    /// `inst_id`, `prim_id`, mesh and material id of each pixel's first sample, `u32::MAX` on a miss; `None` when they
    /// are not recorded.
    pub fn ids(&self) -> Option<&[[u32; 4]]> {
        let ids = &self.whole.sums.ids;
        (!ids.is_empty()).then_some(ids)
    }

    /// Mean openness per pixel, 1 where nothing was sampled; `None` when it is not recorded.
    pub fn ambient_occlusion(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let openness = |(&sum, &n): (&f64, &u32)| if n == 0 { 1.0 } else { (sum / f64::from(n)) as f32 };
        (!sums.occlusion.is_empty()).then(|| sums.occlusion.iter().zip(&sums.samples).map(openness).collect())
    }

    /// Mean levels of reflection and refraction per pixel; `None` when they are not recorded.
    pub fn reflections(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of small numbers")]
        let levels = |(&sum, &n): (&f64, &u32)| (sum / f64::from(n.max(1))) as f32;
        (!sums.reflections.is_empty())
            .then(|| sums.reflections.iter().zip(&sums.samples).map(levels).collect())
    }

    /// See [`Film::variance`].
    fn variance_at(&self, i: usize) -> DVec3 {
        let n = f64::from(self.whole.sums.samples[i]);
        if n < 2.0 {
            return DVec3::INFINITY;
        }
        let (sum, squares) =
            (DVec3::from(self.whole.sums.radiance[i]), DVec3::from(self.whole.sums.squares[i]));
        // Equal samples may round to a difference just below zero
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

/// An image is finite: values beyond the range of f32 become its largest number.
fn mean(sum: [f64; 3], n: u32) -> Vec3 {
    let most = DVec3::splat(f32::MAX.into());
    if n == 0 { Vec3::ZERO } else { narrow((DVec3::from(sum) / f64::from(n)).clamp(-most, most)) }
}

fn direction(sum: [f64; 3]) -> Vec3 {
    narrow(DVec3::from(sum).normalize_or_zero())
}
