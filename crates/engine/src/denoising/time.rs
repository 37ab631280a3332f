use std::time::{Duration, Instant};

use sunfleck_image::{AovSample, AovSet, Film, PixelSample};
use sunfleck_math::Vec3;

use super::Denoiser;
use crate::OidnError;

/// Largest edge of the image whose denoising is timed, in pixels.
const EDGE: u32 = 256;
/// Samples per pixel of that image: as many as need the halves to be denoised, and blended.
const SAMPLES: u32 = super::SAMPLES_FOR_HALVES;

impl Denoiser {
    /// Predicts how long [`denoise_with_error`](Self::denoise_with_error) takes for an image of a size, in the current
    /// rayon pool. A small image is denoised to measure it, which takes at most the time of 256 × 256 pixels. Errors:
    /// those of [`denoise`](Self::denoise).
    pub fn predict_time(&self, width: u32, height: u32) -> Result<Duration, OidnError> {
        let film = film(width.clamp(1, EDGE), height.clamp(1, EDGE), Self::AOVS);
        let pixels = |width: u32, height: u32| f64::from(width) * f64::from(height);
        let start = Instant::now();
        self.denoise_with_error(&film)?;
        let ratio = pixels(width, height) / pixels(film.width(), film.height());
        Ok(start.elapsed().mul_f64(ratio))
    }
}

/// Returns a film with as many samples per pixel as need all steps of denoising.
fn film(width: u32, height: u32, aovs: AovSet) -> Film {
    let mut film = Film::new(width, height, aovs);
    for mut band in film.bands(height) {
        for (x, y) in band.rect().pixels() {
            for i in 0..SAMPLES {
                let radiance = Vec3::splat(((x ^ y) + i % 2) as f32);
                band.add(x, y, &PixelSample { radiance, weight: 1.0, aov: AovSample::MISS });
            }
        }
    }
    film
}
