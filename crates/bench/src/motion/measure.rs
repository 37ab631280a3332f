//! Measures of sequences of images.

use sunfleck_constants::reuse::MOST_FRAMES;
use sunfleck_image::Picture;

use crate::regions::{luminances, region_means, region_of};

/// Returns the mean of the absolute differences, relative to the mean of the reference.
pub(super) fn relative(differences: impl Iterator<Item = f64>, reference: &[f64]) -> f64 {
    let mean = reference.iter().sum::<f64>() / reference.len().max(1) as f64;
    let count = reference.len().max(1) as f64;
    differences.map(f64::abs).sum::<f64>() / count / mean.max(f64::MIN_POSITIVE)
}

/// Sudden change of light: luminances of the references before and after it, two independent references of each, so
/// that their noise is not taken for a change.
#[derive(Debug)]
pub(super) struct SuddenChange {
    before: [Vec<f64>; 2],
    after: [Vec<f64>; 2],
}

impl SuddenChange {
    /// * `before`, `after` — two independent references each.
    pub(super) fn new(before: [&Picture; 2], after: [&Picture; 2]) -> Self {
        Self { before: before.map(luminances), after: after.map(luminances) }
    }

    /// Returns how much of the change has not arrived in an image yet: 1 for an image of the light before, 0 for one of
    /// the light after. It is the projection of the image's error on the change, to which noise adds nothing. `None` if
    /// the references show no change.
    pub(super) fn stale(&self, picture: &Picture) -> Option<f64> {
        let [[a, b], [c, d]] = [&self.before, &self.after];
        let (mut error, mut change) = (0.0, 0.0);
        for (i, shown) in luminances(picture).into_iter().enumerate() {
            error += (shown - c[i]) * (b[i] - d[i]);
            change += (a[i] - c[i]) * (b[i] - d[i]);
        }
        (change > 0.0).then(|| error / change)
    }

    /// Returns the share of their histories that pixels keep in regions whose light changes by less than 1 %; `None` if
    /// there are none.
    ///
    /// * `size` — width and height of the images, pixels.
    /// * `frames` — number of frames that each pixel is a mean of, before and after the change.
    pub(super) fn kept(&self, size: [u32; 2], frames: [&[f32]; 2]) -> Option<f64> {
        let mean = |[a, b]: &[Vec<f64>; 2]| a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<_>>();
        let [before, after] = [&self.before, &self.after].map(|both| region_means(size, &mean(both)));
        let is_same = |region: usize| {
            let (before, after) = (before[region], after[region]);
            (before - after).abs() <= 0.01 * before.max(after)
        };
        let (mut kept, mut all) = (0.0, 0.0);
        for (i, (&had, &has)) in frames[0].iter().zip(frames[1]).enumerate() {
            if is_same(region_of(size, i)) {
                // The newest frame counts beside those that are kept
                let had = had.min(MOST_FRAMES);
                kept += f64::from((has - 1.0).min(had));
                all += f64::from(had);
            }
        }
        (all > 0.0).then(|| kept / all)
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;
    use crate::regions::REGION;

    fn picture(values: [f32; 2]) -> Picture {
        let row = |value: f32| std::iter::repeat_n(Vec3::splat(value), REGION as usize);
        Picture::new(2 * REGION, 1, values.into_iter().flat_map(row).collect()).unwrap()
    }

    #[test]
    fn stale_light_is_what_has_not_gone_yet() {
        let (before, after) = (picture([1.0, 3.0]), picture([1.0, 1.0]));
        let change = SuddenChange::new([&before; 2], [&after; 2]);
        let stale = |values| change.stale(&picture(values)).unwrap();
        assert!((stale([1.0, 3.0]) - 1.0).abs() < 1e-6 && stale([1.0, 1.0]).abs() < 1e-6);
        assert!((stale([9.0, 1.2]) - 0.1).abs() < 1e-6, "noise elsewhere");
        // Two references of the light before and two of the light after, with noise that is as large as the change
        let noisy = [[1.0, 1.1], [1.0, 0.9], [1.0, 1.0], [1.0, 1.2]].map(picture);
        let none = SuddenChange::new([&noisy[0], &noisy[1]], [&noisy[2], &noisy[3]]);
        assert_eq!(none.stale(&before), None, "nothing has changed");
    }

    #[test]
    fn histories_count_where_nothing_changes() {
        let (before, after) = (picture([1.0, 3.0]), picture([1.0, 1.0]));
        let change = SuddenChange::new([&before; 2], [&after; 2]);
        let (had, size) = ([10.0; 16], [2 * REGION, 1]);
        for (has, expected) in [(11.0, 1.0), (6.0, 0.5)] {
            let has: Vec<f32> = (0..16).map(|i| if i < 8 { has } else { 1.0 }).collect();
            assert_eq!(change.kept(size, [&had, &has]), Some(expected));
        }
        let everywhere = SuddenChange::new([&picture([1.0, 3.0]); 2], [&picture([2.0, 1.0]); 2]);
        assert_eq!(everywhere.kept(size, [&had, &had]), None, "everything changes");
    }
}
