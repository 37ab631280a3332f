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

    /// Samples per pixel after which to see whether they are enough. Noise falls with the square root of their number, so how many are
    /// needed follows from the noise measured.
    ///
    /// * `samples` — that there are. * `noise` — of them.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a number of samples; more than there can be is the largest"
    )]
    pub fn next_look(&self, samples: u32, noise: Option<f32>) -> u32 {
        let by_noise = match (self.noise, noise) {
            (None, _) => u32::MAX,
            (Some(goal), Some(noise)) if samples >= Self::LEAST_SAMPLES_FOR_NOISE => {
                needed(samples, noise, goal).ceil() as u32
            }
            _ => Self::LEAST_SAMPLES_FOR_NOISE,
        };
        by_noise.max(samples.saturating_add(1)).min(self.target())
    }

    /// The largest share over all rules.
    ///
    /// * `reached` — samples per pixel, that of a pass in parts. * `noise` — after `measured_at` samples.
    pub fn share_done(&self, reached: f32, elapsed: Duration, measured_at: u32, noise: Option<f32>) -> f32 {
        let by_samples = reached / self.target() as f32;
        let by_time = self.time.map_or(0.0, |limit| elapsed.as_secs_f32() / limit.as_secs_f32().max(1e-3));
        let by_noise = match (self.noise, noise) {
            (Some(goal), Some(noise)) => reached / needed(measured_at, noise, goal).max(1.0),
            _ => 0.0,
        };
        by_samples.max(by_time).max(by_noise).clamp(0.0, 1.0)
    }
}

/// Samples that bring noise down to a goal, where some have so much.
fn needed(samples: u32, noise: f32, goal: f32) -> f32 {
    samples as f32 * (noise / goal) * (noise / goal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_looked_at_when_it_may_be_low_enough() {
        let rules = |samples| StopRules { samples, noise: Some(0.1), ..StopRules::default() };
        // Twice the noise wanted: four times the samples
        assert_eq!(rules(None).next_look(20, Some(0.2)), 80);
        assert_eq!(rules(Some(50)).next_look(20, Some(0.2)), 50);
        // What there is says too little, or nothing
        assert_eq!(rules(None).next_look(3, Some(0.2)), StopRules::LEAST_SAMPLES_FOR_NOISE);
        assert_eq!(rules(None).next_look(16, None), 17);
        assert_eq!(rules(None).next_look(20, Some(0.05)), 21);
        assert_eq!(StopRules { noise: Some(0.0), ..rules(None) }.next_look(20, Some(0.2)), u32::MAX);
        assert_eq!(StopRules { samples: Some(9), ..StopRules::default() }.next_look(2, None), 9);
    }
}
