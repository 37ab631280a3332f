use std::time::{Duration, Instant};

use sunfleck_image::{AovSample, Film, PixelSample};
use sunfleck_math::Vec3;

use super::{Denoiser, SAMPLES_FOR_HALVES};
use crate::OidnError;

/// Largest edge of the image whose denoising is timed, in pixels.
const EDGE: u32 = 128;

impl Denoiser {
    /// Predicts how long [`denoise_with_error`](Self::denoise_with_error) takes for an image of a size, in the current
    /// rayon pool. A small image, of at most 128 × 128 pixels, is denoised twice to measure it. Errors: those of
    /// [`denoise`](Self::denoise).
    ///
    /// * `estimates` — whether there are enough samples to [estimate the error](Self::SAMPLES_FOR_ERROR), too.
    pub fn predict_time(&self, width: u32, height: u32, estimates: bool) -> Result<Duration, OidnError> {
        let samples = if estimates { SAMPLES_FOR_HALVES } else { 1 };
        let film = film(width.clamp(1, EDGE), height.clamp(1, EDGE), samples);
        let pixels = |width: u32, height: u32| f64::from(width) * f64::from(height);
        // The first time includes what is done once
        self.denoise_with_error(&film)?;
        let start = Instant::now();
        self.denoise_with_error(&film)?;
        let ratio = pixels(width, height) / pixels(film.width(), film.height());
        Ok(start.elapsed().mul_f64(ratio))
    }
}

/// Returns a film of a pattern.
fn film(width: u32, height: u32, samples: u32) -> Film {
    let mut film = Film::new(width, height, Denoiser::AOVS);
    for mut band in film.bands(height) {
        for (x, y) in band.rect().pixels() {
            for i in 0..samples {
                let radiance = Vec3::splat(((x ^ y) + i % 2) as f32);
                band.add(x, y, &PixelSample { radiance, weight: 1.0, aov: AovSample::MISS });
            }
        }
    }
    film
}
