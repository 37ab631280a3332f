//! Estimates from the sums of a [`Film`]: means, and their variance.

use sunfleck_math::{DVec3, Vec3};

use super::{Features, Film};
use crate::Picture;

impl Film {
    /// Returns the mean radiance per pixel, linear Rec.709; black without samples.
    ///
    /// The estimate is `Σ wᵢLᵢ / n`. Division by the number of samples, not by the sum of their weights, keeps it
    /// unbiased, and finite when negative weights of a Mitchell filter cancel.
    pub fn radiance(&self) -> Picture {
        self.picture(|i| mean(self.whole.sums.radiance[i], self.whole.sums.samples[i]))
    }

    /// Returns the mean radiance of the first and of the last samples of each pixel, about half of them each: two
    /// estimates of the image, which are independent if the samples are. `None` if it is not known, as for a pixel
    /// with fewer than two samples, or films without AOVs that were accumulated on a GPU.
    pub fn halves(&self) -> Option<[Picture; 2]> {
        let sums = &self.whole.sums;
        let count = |i: usize| {
            let (n, power) = (sums.samples[i], sums.milestone[i]);
            // The power of two, or half of it, that is nearer to one half of the samples
            if n > power && n >= power + power / 2 { power } else { power / 2 }
        };
        if (0..sums.samples.len()).any(|i| count(i) == 0) {
            return None;
        }
        let first = |i: usize| {
            let [_, half, all] = sums.prefixes[i];
            if count(i) == sums.milestone[i] { all } else { half }.map(f64::from)
        };
        let rest = |i: usize| DVec3::from(sums.radiance[i]) - DVec3::from(first(i));
        Some([
            self.picture(|i| mean(first(i), count(i))),
            self.picture(|i| mean(rest(i).to_array(), sums.samples[i] - count(i))),
        ])
    }

    /// Returns the variance of the mean of each pixel, per channel: `(Σx² - (Σx)²/n) / (n (n - 1))` with `x = wL`.
    ///
    /// With fewer than two samples it is infinite, that is, unknown. The samples are assumed to be independent; for
    /// stratified samples it is too large.
    pub fn variance(&self) -> Picture {
        self.picture(|i| narrow(self.variance_at(i)))
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

    /// Returns the mean features per pixel, row by row; `None` if they are not recorded. Pixels without samples have
    /// those of a miss.
    pub fn features(&self) -> Option<Vec<Features>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "means of f32 values")]
        let features = |(sums, &n): (&[f64; 7], &u32)| {
            if n == 0 {
                return Features::MISS;
            }
            let [r, g, b, x, y, z, inverse_distance] = sums.map(|sum| (sum / f64::from(n)) as f32);
            Features { albedo: Vec3::new(r, g, b), normal: Vec3::new(x, y, z), inverse_distance }
        };
        (!sums.features.is_empty()).then(|| sums.features.iter().zip(&sums.samples).map(features).collect())
    }

    /// Returns the mean diffuse radiance per pixel, see [`Aov::Diffuse`](super::Aov::Diffuse); `None` if it is not
    /// recorded.
    pub fn diffuse(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.diffuse.is_empty()).then(|| self.picture(|i| mean(sums.diffuse[i], sums.samples[i])))
    }

    /// Returns the coverage per pixel, 0 … 1: how much of it shows surfaces; `None` if it is not recorded.
    pub fn alpha(&self) -> Option<Vec<f32>> {
        let sums = &self.whole.sums;
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        // Negative weights of a filter, and estimates of what glass transmits, may leave the range
        let share = |(&sum, &n): (&f64, &u32)| (sum / f64::from(n.max(1))).clamp(0.0, 1.0) as f32;
        (!sums.alpha.is_empty()).then(|| sums.alpha.iter().zip(&sums.samples).map(share).collect())
    }

    /// Returns the mean radiance per pixel that the limit of fireflies removed; `None` if it is not recorded.
    pub fn clamped(&self) -> Option<Picture> {
        let sums = &self.whole.sums;
        (!sums.clamped.is_empty()).then(|| self.picture(|i| mean(sums.clamped[i], sums.samples[i])))
    }

    /// Returns the variance of pixel `i`, see [`Film::variance`].
    pub(super) fn variance_at(&self, i: usize) -> DVec3 {
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
