//! Prediction of frame times, from which resolution and samples of the next frame are chosen.

use std::time::Duration;

/// Edge lengths of previews, relative to the image at rest.
const SCALES: [f32; 8] = [1.0, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125, 0.0625];

/// Target time of a frame at rest, unless one sample per pixel takes longer.
const REST_FRAME: Duration = Duration::from_millis(250);

/// Linear model of frame times, learnt from the frames so far: a fixed part, and a part per sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Seconds per sample of a pixel; `None` while unknown.
    seconds: Option<f64>,
    /// Seconds that do not depend on the number of samples; `None` while unknown.
    fixed: Option<f64>,
    /// Number of samples of all pixels, and seconds, of the last frame.
    last: Option<(f64, f64)>,
    frames: u64,
    scale: usize,
}

impl Pace {
    /// Updates the model with the time of a frame.
    pub(super) fn learn(&mut self, pixels: u64, samples: u32, took: Duration) {
        let (size, took) = (pixels.max(1) as f64 * f64::from(samples.max(1)), took.as_secs_f64());
        self.frames += 1;
        if self.frames == 2 {
            // The first frame included one-time initialisation
            (self.seconds, self.last) = (None, None);
        }
        // Two frames of different sizes separate the fixed part from the part per sample
        if let Some((previous_size, previous_time)) = self.last.replace((size, took))
            && (size > 1.3 * previous_size || previous_size > 1.3 * size)
        {
            let slope = ((took - previous_time) / (size - previous_size)).max(0.0);
            let found = (took - slope * size).max(0.0);
            if self.fixed.is_none() {
                self.seconds = None;
            }
            self.fixed = Some(self.fixed.map_or(found, |before| 0.5 * (before + found)));
        }
        let found = (took - self.fixed.unwrap_or(0.0)).max(0.1 * took) / size;
        self.seconds = Some(self.seconds.map_or(found, |before| 0.7 * before + 0.3 * found));
    }

    /// Returns the relative edge length of the next preview.
    ///
    /// * `pixels` — number of pixels of the image at rest. * `time` — target time of the preview.
    pub(super) fn scale(&mut self, pixels: u64, time: Duration) -> f32 {
        let Some(seconds) = self.seconds else {
            // Start with a size that every machine can render quickly
            self.scale = 4;
            return SCALES[self.scale];
        };
        if self.frames == 2 && self.scale > 0 {
            // Try another size once, to learn the fixed part
            self.scale -= 1;
            return SCALES[self.scale];
        }
        let seconds_of = |scale: usize| seconds * pixels as f64 * f64::from(SCALES[scale] * SCALES[scale]);
        // Smaller images do not help if the fixed part dominates
        let fixed = self.fixed.unwrap_or(0.0);
        let target = (time.as_secs_f64() - fixed).max(0.3 * fixed);
        let best = (0..SCALES.len()).find(|&scale| seconds_of(scale) <= target).unwrap_or(SCALES.len() - 1);
        // Hysteresis, since changes of size are visible
        if best > self.scale && seconds_of(self.scale) > 1.3 * target
            || best < self.scale && seconds_of(best) < 0.8 * target
        {
            self.scale = best;
        }
        SCALES[self.scale]
    }

    /// Returns the samples per pixel of the next frame at rest.
    ///
    /// * `pixels` — number of pixels of the image at rest.
    pub(super) fn samples(&self, pixels: u64) -> u32 {
        let Some(seconds) = self.seconds else { return 1 };
        let fit = (REST_FRAME.as_secs_f64() - self.fixed.unwrap_or(0.0)).max(0.0)
            / (seconds * pixels as f64).max(1e-6);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 1..=64")]
        let samples = fit.clamp(1.0, 64.0) as u32;
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIXELS: u64 = 1_000_000;
    const FRAME: Duration = Duration::from_millis(50);

    #[test]
    fn slow_machines_render_small_previews() {
        let scale = |micros: u64| {
            let mut pace = Pace::default();
            pace.learn(PIXELS, 1, Duration::from_micros(micros));
            pace.scale(PIXELS, FRAME)
        };
        assert_eq!(scale(10_000), 1.0);
        assert!(scale(1_000_000) <= 0.25, "{}", scale(1_000_000));
        assert_eq!(scale(1_000_000_000), 0.0625);
    }

    #[test]
    fn a_size_that_fits_is_kept() {
        let mut pace = Pace::default();
        let sizes: Vec<f32> = (0u64..20)
            .map(|i| {
                // About 50 ms at half the edge length
                pace.learn(PIXELS, 1, Duration::from_millis(200 + (i % 3) * 10));
                pace.scale(PIXELS, FRAME)
            })
            .collect();
        // Another size is tried once, at the start
        assert!(sizes[2..].windows(2).all(|pair| pair[0] == pair[1]), "{sizes:?}");
    }

    #[test]
    fn the_fixed_part_does_not_shrink_previews() {
        // 45 ms fixed, and 10 ms for all pixels
        let mut pace = Pace::default();
        let mut size = pace.scale(PIXELS, FRAME);
        for _ in 0..20 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a million")]
            let pixels = (PIXELS as f32 * size * size) as u64;
            pace.learn(pixels, 1, Duration::from_micros(45_000 + pixels / 100));
            size = pace.scale(PIXELS, FRAME);
        }
        assert!(size >= 0.75, "{pace:?}");
    }

    #[test]
    fn fast_frames_at_rest_have_many_samples() {
        let mut pace = Pace::default();
        assert_eq!(pace.samples(PIXELS), 1, "before the first frame");
        pace.learn(PIXELS, 1, Duration::from_millis(25));
        assert_eq!(pace.samples(PIXELS), 10);
    }
}
