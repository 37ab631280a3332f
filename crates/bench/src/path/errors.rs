//! Errors of an image where the references of all renderers agree.

use serde::Serialize;
use sunfleck_image::color::luminance;
use sunfleck_image::metrics::{self, SizeMismatch};
use sunfleck_image::{Picture, ToneCurve, automatic_exposure};

use crate::BenchError;

/// Edge length of the regions in which references are compared, pixels.
const REGION: u32 = 16;
/// Largest relative difference of the mean colours of a region.
const SAME: f64 = 0.01;

/// Regions of an image that count.
#[derive(Debug)]
pub(super) struct Mask {
    /// For each pixel, whether its region counts.
    counts: Vec<bool>,
    /// Regions that do not count, by column and row.
    left_out: Vec<[u32; 2]>,
}

impl Mask {
    /// Returns the regions in which the mean colours of all references differ by less than 1 %.
    pub(super) fn where_references_agree(references: &[&Picture]) -> Result<Self, BenchError> {
        let Some((first, others)) = references.split_first() else {
            return Err(BenchError::Scene("there is no reference".into()));
        };
        let (width, height) = (first.width(), first.height());
        let columns = width.div_ceil(REGION);
        let mut left_out = Vec::new();
        for other in others {
            let found = metrics::mean_relative_error_per_region(other, first, REGION).map_err(wrong_size)?;
            let differ = found.errors.iter().zip(0..).filter(|(error, _)| **error > SAME || error.is_nan());
            left_out.extend(differ.map(|(_, index)| [index % columns, index / columns]));
        }
        left_out.sort_unstable();
        left_out.dedup();
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| [x / REGION, y / REGION]));
        Ok(Self { counts: pixels.map(|region| left_out.binary_search(&region).is_err()).collect(), left_out })
    }

    /// Returns the regions that are left out, by column and row.
    pub(super) fn masked(&self) -> Vec<[u32; 2]> {
        self.left_out.clone()
    }

    /// Returns an image that equals the reference where a region is left out.
    fn apply(&self, image: &Picture, reference: &Picture) -> Picture {
        let mut masked = image.clone();
        let pixels = masked.pixels_mut().iter_mut().zip(reference.pixels()).zip(&self.counts);
        pixels.filter(|(_, counts)| !**counts).for_each(|((pixel, &reference), _)| *pixel = reference);
        masked
    }

    /// Returns the mean over the pixels that count, of a mean over all pixels that is zero elsewhere.
    fn mean_where_it_counts(&self, mean: f64) -> f64 {
        let counted = self.counts.iter().filter(|counts| **counts).count();
        mean * self.counts.len() as f64 / counted.max(1) as f64
    }
}

/// Errors of an image.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Errors {
    /// Root of the relative mean squared error, whose constant in the divisor is 0.01 of the squared mean luminance.
    pub root_relmse: f64,
    /// Root mean squared error over the mean luminance.
    pub rmse: f64,
    /// Mean FLIP of both images as displayed at the automatic exposure of the reference.
    pub flip: f64,
}

impl Errors {
    pub(super) fn measure(image: &Picture, reference: &Picture, mask: &Mask) -> Result<Self, BenchError> {
        let pixels = reference.pixels();
        let mean = pixels.iter().map(|&rgb| luminance(rgb)).sum::<f32>() / pixels.len().max(1) as f32;
        let scale = 1.0 / mean.max(f32::MIN_POSITIVE);
        let [image, reference] = [&mask.apply(image, reference), reference].map(|p| p.map(|rgb| rgb * scale));
        let stops = automatic_exposure(&reference);
        let [shown, ideal] =
            [&image, &reference].map(|p| p.map(|rgb| ToneCurve::default().apply(rgb, stops)));
        let flip = metrics::flip(&shown, &ideal, metrics::DEFAULT_PIXELS_PER_DEGREE).map_err(wrong_size)?;
        let relmse = metrics::relmse(&image, &reference).map_err(wrong_size)?;
        let mse = metrics::mse(&image, &reference).map_err(wrong_size)?;
        Ok(Self {
            root_relmse: mask.mean_where_it_counts(relmse).sqrt(),
            rmse: mask.mean_where_it_counts(mse).sqrt(),
            flip: mask.mean_where_it_counts(flip.mean()),
        })
    }

    /// Returns the errors of several renderings: squared errors are averaged.
    pub(super) fn mean(all: &[Self]) -> Self {
        let mean = |value: fn(&Self) -> f64| all.iter().map(value).sum::<f64>() / all.len().max(1) as f64;
        Self {
            root_relmse: mean(|errors| errors.root_relmse * errors.root_relmse).sqrt(),
            rmse: mean(|errors| errors.rmse * errors.rmse).sqrt(),
            flip: mean(|errors| errors.flip),
        }
    }
}

fn wrong_size(error: SizeMismatch) -> BenchError {
    BenchError::Scene(error.to_string())
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    fn grey(value: impl Fn(u32, u32) -> f32) -> Picture {
        Picture::from_fn(40, 20, |x, y| Vec3::splat(value(x, y))).expect("a size that fits")
    }

    #[test]
    fn regions_that_differ_do_not_count() {
        let reference = grey(|_, _| 2.0);
        let other = grey(|x, _| if x < 16 { 2.03 } else { 2.01 });
        let mask = Mask::where_references_agree(&[&reference, &other]).expect("same size");
        assert_eq!(mask.masked(), [[0, 0], [0, 1]]);
        // An error of 10 % everywhere, and any error at all where nothing counts
        let image = grey(|x, _| if x < 16 { 50.0 } else { 2.2 });
        let errors = Errors::measure(&image, &reference, &mask).expect("same size");
        assert!((errors.rmse - 0.1).abs() < 1e-4, "{errors:?}");
        assert!((errors.root_relmse - 0.1 / 1.01_f64.sqrt()).abs() < 1e-4, "{errors:?}");
        assert!(errors.flip > 0.0 && errors.flip < 0.5, "{errors:?}");
    }
}
