use std::time::Duration;

/// When to stop; whichever comes first. Without any, [`StopRules::samples`] counts as [`DEFAULT_SAMPLES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopRules {
    /// After this many samples per pixel.
    pub samples: Option<u32>,
    /// After this much time; the first pass is always completed.
    pub time: Option<Duration>,
    /// When the mean relative standard error of the pixels is at most this (see [`Film::noise`](sunfleck_image::Film::noise)).
    pub noise: Option<f32>,
}

/// Samples per pixel when no stop rule says otherwise.
pub const DEFAULT_SAMPLES: u32 = 32;

impl StopRules {
    /// Fewer samples than this say too little about their own variance.
    pub const LEAST_SAMPLES_FOR_NOISE: u32 = 16;

    /// Samples per pixel that are enough.
    pub fn target(&self) -> u32 {
        match *self {
            Self { samples: None, time: None, noise: None } => DEFAULT_SAMPLES,
            Self { samples, .. } => samples.unwrap_or(u32::MAX),
        }
    }

    /// Whether the time is over.
    pub fn out_of_time(&self, elapsed: Duration) -> bool {
        self.time.is_some_and(|limit| elapsed >= limit)
    }

    /// Whether there is as little noise as is wanted.
    ///
    /// * `noise` — where it can be told.
    pub fn clean(&self, noise: Option<f32>) -> bool {
        self.noise.zip(noise).is_some_and(|(goal, noise)| noise <= goal)
    }

    /// The largest share over all rules. Noise falls with the square root of the samples, so the samples still needed follow
    /// from the noise measured.
    ///
    /// * `reached` — samples per pixel, that of a pass in parts. * `noise` — after `measured_at` samples.
    pub fn share_done(&self, reached: f32, elapsed: Duration, measured_at: u32, noise: Option<f32>) -> f32 {
        let by_samples = reached / self.target() as f32;
        let by_time = self.time.map_or(0.0, |limit| elapsed.as_secs_f32() / limit.as_secs_f32().max(1e-3));
        let by_noise = match (self.noise, noise) {
            (Some(goal), Some(noise)) => {
                reached / (measured_at as f32 * (noise / goal) * (noise / goal)).max(1.0)
            }
            _ => 0.0,
        };
        by_samples.max(by_time).max(by_noise).clamp(0.0, 1.0)
    }
}
