use std::time::Duration;

/// How much of the size at rest a picture has while something moves, along an edge.
const SCALES: [f32; 8] = [1.0, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125, 0.0625];

/// As long may a frame take while something moves: 20 frames a second, and the hand still feels connected.
const MOVING_FRAME: Duration = Duration::from_millis(50);

/// As long a frame at rest takes, if a sample does not take longer: often enough to see it get better.
const REST_FRAME: Duration = Duration::from_millis(250);

/// How fast frames were, to foretell how long others will take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Seconds for a sample of a pixel.
    seconds: Option<f64>,
    scale: usize,
}

impl Pace {
    /// Learns from a frame.
    pub(super) fn learn(&mut self, pixels: u64, samples: u32, took: Duration) {
        let found = took.as_secs_f64() / (pixels.max(1) as f64 * f64::from(samples.max(1)));
        self.seconds = Some(self.seconds.map_or(found, |before| 0.7 * before + 0.3 * found));
    }

    /// Of the next moving frame of a picture of so many pixels at rest.
    pub(super) fn scale(&mut self, pixels: u64) -> f32 {
        let Some(seconds) = self.seconds else {
            // Nothing is known yet: begin with something that any machine can do
            self.scale = 4;
            return SCALES[self.scale];
        };
        let time = |scale: usize| seconds * pixels as f64 * f64::from(SCALES[scale] * SCALES[scale]);
        let goal = MOVING_FRAME.as_secs_f64();
        let best = (0..SCALES.len()).find(|&scale| time(scale) <= goal).unwrap_or(SCALES.len() - 1);
        // A size that just fits is kept: changing it is seen
        if best > self.scale && time(self.scale) > 1.3 * goal || best < self.scale && time(best) < 0.8 * goal
        {
            self.scale = best;
        }
        SCALES[self.scale]
    }

    /// Of the next frame at rest.
    pub(super) fn samples(&self, pixels: u64) -> u32 {
        let Some(seconds) = self.seconds else { return 1 };
        let fit = REST_FRAME.as_secs_f64() / (seconds * pixels as f64).max(1e-6);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 1..=64")]
        let samples = fit.clamp(1.0, 64.0) as u32;
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIXELS: u64 = 1_000_000;

    #[test]
    fn slow_machines_get_small_pictures() {
        let scale = |micros: u64| {
            let mut pace = Pace::default();
            pace.learn(PIXELS, 1, Duration::from_micros(micros));
            pace.scale(PIXELS)
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
                // Around 50 ms at half the size
                pace.learn(PIXELS, 1, Duration::from_millis(200 + (i % 3) * 10));
                pace.scale(PIXELS)
            })
            .collect();
        assert!(sizes.windows(2).all(|pair| pair[0] == pair[1]), "{sizes:?}");
    }

    #[test]
    fn fast_frames_at_rest_have_many_samples() {
        let mut pace = Pace::default();
        assert_eq!(pace.samples(PIXELS), 1, "before anything is known");
        pace.learn(PIXELS, 1, Duration::from_millis(25));
        assert_eq!(pace.samples(PIXELS), 10);
    }
}
