//! Errors of an image, as `sunfleck compare` computes them.

use serde::Serialize;
use sunfleck_image::metrics::{self, DEFAULT_PIXELS_PER_DEGREE, SizeMismatch};
use sunfleck_image::{Picture, ToneCurve};

use crate::BenchError;

/// Errors of an image against its reference.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PictureErrors {
    /// Mean FLIP at exposure 0, without a tone curve.
    pub flip: f64,
    /// Mean FLIP at the metered exposure of the reference, without a tone curve.
    pub flip_metered: f64,
    /// Relative mean squared error.
    pub relmse: f64,
}

impl PictureErrors {
    /// Compares an image with its reference. Errors: they have different sizes.
    ///
    /// * `exposure_stops` — metered exposure of the reference.
    pub(super) fn measure(
        picture: &Picture,
        reference: &Picture,
        exposure_stops: f32,
    ) -> Result<Self, BenchError> {
        Ok(Self {
            flip: mean_flip(picture, reference, 0.0)?,
            flip_metered: mean_flip(picture, reference, exposure_stops)?,
            relmse: metrics::relmse(picture, reference).map_err(wrong_size)?,
        })
    }
}

fn mean_flip(picture: &Picture, reference: &Picture, exposure_stops: f32) -> Result<f64, BenchError> {
    let [shown, ideal] =
        [picture, reference].map(|p| p.map(|radiance| ToneCurve::Linear.apply(radiance, exposure_stops)));
    Ok(metrics::flip(&shown, &ideal, DEFAULT_PIXELS_PER_DEGREE).map_err(wrong_size)?.mean())
}

fn wrong_size(error: SizeMismatch) -> BenchError {
    BenchError::Scene(error.to_string())
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    #[test]
    fn the_exposure_matters_to_flip_alone() {
        let grey = |value: f32| Picture::from_fn(16, 16, |_, _| Vec3::splat(value)).unwrap();
        let small = Picture::from_fn(8, 8, |_, _| Vec3::ONE).unwrap();
        // Both are white at exposure 0
        let errors = PictureErrors::measure(&grey(4.4), &grey(4.0), -4.0).unwrap();
        assert!(errors.flip == 0.0 && errors.flip_metered > 0.01, "{errors:?}");
        assert!((errors.relmse - 0.16 / 16.01).abs() < 1e-6, "{errors:?}");
        assert!(PictureErrors::measure(&grey(1.0), &small, 0.0).is_err());
    }
}
