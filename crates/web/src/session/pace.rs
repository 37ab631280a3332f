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
    /// Seconds for what does not depend on how many there are; `None`: not known yet.
    fixed: Option<f64>,
    /// Of the last frame: samples of pixels, and seconds.
    last: Option<(f64, f64)>,
    frames: u64,
    scale: usize,
}

impl Pace {
    /// Learns from a frame.
    pub(super) fn learn(&mut self, pixels: u64, samples: u32, took: Duration) {
        let (size, took) = (pixels.max(1) as f64 * f64::from(samples.max(1)), took.as_secs_f64());
        self.frames += 1;
        if self.frames == 2 {
            // Before the first one much had to be made that is there now
            (self.seconds, self.last) = (None, None);
        }
        // Two frames of other sizes tell one from the other
        if let Some((before, then)) = self.last.replace((size, took))
            && (size > 1.3 * before || before > 1.3 * size)
        {
            let slope = ((took - then) / (size - before)).max(0.0);
            let found = (took - slope * size).max(0.0);
            if self.fixed.is_none() {
                self.seconds = None;
            }
            self.fixed = Some(self.fixed.map_or(found, |before| 0.5 * (before + found)));
        }
        let found = (took - self.fixed.unwrap_or(0.0)).max(0.1 * took) / size;
        self.seconds = Some(self.seconds.map_or(found, |before| 0.7 * before + 0.3 * found));
    }

    /// Of the next moving frame of a picture of so many pixels at rest.
    pub(super) fn scale(&mut self, pixels: u64) -> f32 {
        let Some(seconds) = self.seconds else {
            // Nothing is known yet: begin with something that any machine can do
            self.scale = 4;
            return SCALES[self.scale];
        };
        if self.frames == 2 && self.scale > 0 {
            // Once, to learn what does not depend on the size
            self.scale -= 1;
            return SCALES[self.scale];
        }
        let time = |scale: usize| seconds * pixels as f64 * f64::from(SCALES[scale] * SCALES[scale]);
        // Small pictures do not help where it is not pixels that take the time
        let fixed = self.fixed.unwrap_or(0.0);
        let goal = (MOVING_FRAME.as_secs_f64() - fixed).max(0.3 * fixed);
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
        // Another size is tried once, in the beginning
        assert!(sizes[2..].windows(2).all(|pair| pair[0] == pair[1]), "{sizes:?}");
    }

    #[test]
    fn what_every_frame_takes_makes_no_picture_smaller() {
        // 45 ms whatever the size, and 10 ms for all pixels
        let mut pace = Pace::default();
        let mut size = pace.scale(PIXELS);
        for _ in 0..20 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a million"
            )]
            let pixels = (PIXELS as f32 * size * size) as u64;
            pace.learn(pixels, 1, Duration::from_micros(45_000 + pixels / 100));
            size = pace.scale(PIXELS);
        }
        assert!(size >= 0.75, "{pace:?}");
    }

    #[test]
    fn fast_frames_at_rest_have_many_samples() {
        let mut pace = Pace::default();
        assert_eq!(pace.samples(PIXELS), 1, "before anything is known");
        pace.learn(PIXELS, 1, Duration::from_millis(25));
        assert_eq!(pace.samples(PIXELS), 10);
    }
}
