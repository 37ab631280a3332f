//! Rules that end a rendering: number of samples, time, noise.

use std::time::Duration;

/// Rules that end a rendering, which stops when the first of them is met. Without any rule, [`DEFAULT_SAMPLES`] samples
/// per pixel are rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopRules {
    /// Number of samples per pixel.
    pub samples: Option<u32>,
    /// Time limit; the first pass is always completed.
    pub time: Option<Duration>,
    /// Upper bound of the mean relative standard error of the pixels (see
    /// [`Film::noise`](sunfleck_image::Film::noise)). On the CPU, pixels of large relative error get more samples. A
    /// GPU takes samples for independent, so it overstates the noise of the sampler `sobol` by about a third and
    /// renders more.
    pub noise: Option<f32>,
}

/// Number of samples per pixel if there is no stop rule.
pub const DEFAULT_SAMPLES: u32 = 16;

impl StopRules {
    /// Least number of samples per pixel for which the noise is estimated.
    pub const LEAST_SAMPLES_FOR_NOISE: u32 = 16;

    /// Returns the number of samples per pixel after which a rendering stops at the latest.
    pub fn target(&self) -> u32 {
        match *self {
            Self { samples: None, time: None, noise: None } => DEFAULT_SAMPLES,
            Self { samples, .. } => samples.unwrap_or(u32::MAX),
        }
    }

    /// Returns whether the time limit is reached.
    pub fn out_of_time(&self, elapsed: Duration) -> bool {
        self.time.is_some_and(|limit| elapsed >= limit)
    }

    /// Returns whether the noise is at most the limit.
    ///
    /// * `noise` — `None` if it is not known yet.
    pub fn clean(&self, noise: Option<f32>) -> bool {
        self.noise.zip(noise).is_some_and(|(goal, noise)| noise <= goal)
    }

    /// Returns the number of samples per pixel after which to measure the noise again. Noise falls with the square root
    /// of the number of samples, so the number needed follows from the noise measured.
    ///
    /// * `samples` — current number of samples. * `noise` — their noise.
    #[allow(clippy::cast_possible_truncation, reason = "a number of samples, saturating")]
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

    /// Returns the share of the work done, 0 … 1: the largest over all rules.
    ///
    /// * `reached` — samples per pixel, with the completed fraction of the current pass.
    /// * `noise` — noise after `measured_at` samples.
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

/// Returns the number of samples that reduce the noise of `samples` samples to `goal`.
fn needed(samples: u32, noise: f32, goal: f32) -> f32 {
    samples as f32 * (noise / goal) * (noise / goal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_measured_again_when_it_may_have_reached_the_limit() {
        let rules = |samples| StopRules { samples, noise: Some(0.1), ..StopRules::default() };
        // Twice the noise limit: four times the samples
        assert_eq!(rules(None).next_look(20, Some(0.2)), 80);
        assert_eq!(rules(Some(50)).next_look(20, Some(0.2)), 50);
        // The noise is measured on too few samples, unknown, or already low enough
        assert_eq!(rules(None).next_look(3, Some(0.2)), StopRules::LEAST_SAMPLES_FOR_NOISE);
        assert_eq!(rules(None).next_look(16, None), 17);
        assert_eq!(rules(None).next_look(20, Some(0.05)), 21);
        assert_eq!(StopRules { noise: Some(0.0), ..rules(None) }.next_look(20, Some(0.2)), u32::MAX);
        assert_eq!(StopRules { samples: Some(9), ..StopRules::default() }.next_look(2, None), 9);
    }
}
