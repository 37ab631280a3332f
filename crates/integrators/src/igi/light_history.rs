//! Light sampling history of a temporal sequence: successive frames see nearly the same lights, so reusing the samples
//! keeps virtual point lights in place and avoids flicker.

use sunfleck_sampling::rng;

use super::light_distribution::DiscreteCdf;

/// Seed of the decisions about which lights are kept.
const KEEPING: u32 = 0x6b65_6570;

/// Contribution of each light to the image, and the lights of all virtual point lights, in earlier frames.
#[derive(Debug, Default)]
pub(super) struct LightHistory {
    contributions: Vec<LightContribution>,
    vpl_lights: Option<VplLights>,
}

/// The light that each virtual point light was sampled from.
#[derive(Clone, Debug)]
pub(super) struct VplLights {
    /// Number of earlier frames.
    frame: u32,
    /// Probability of each light.
    probabilities: Vec<f64>,
    /// Light of each virtual point light; [`NO_LIGHT`](sunfleck_constants::igi::NO_LIGHT) if no light emitted.
    lights: Vec<u32>,
}

/// Factor by which the contributions of earlier frames decay per frame; about the last twenty frames count.
pub const HISTORY_DECAY: f32 = 0.95;

/// Contribution of a light to the image, estimated by paths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LightContribution {
    /// Sum of luminances.
    pub(super) sum: f64,
    /// Number of summands.
    pub(super) count: f64,
}

impl LightContribution {
    /// Returns the sum and the rounded number of summands.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    pub(super) fn rounded(&self) -> (f64, u32) {
        (self.sum, self.count.round() as u32)
    }
}

impl LightHistory {
    /// Adds the decayed contributions of earlier frames to those of this frame, and stores the result. The history is
    /// discarded if the number of lights changed.
    pub(super) fn accumulate(&mut self, contributions: &mut [LightContribution]) {
        let stored = &mut self.contributions;
        if stored.len() == contributions.len() {
            for (current, stored) in contributions.iter_mut().zip(&*stored) {
                current.sum += f64::from(HISTORY_DECAY) * stored.sum;
                current.count += f64::from(HISTORY_DECAY) * stored.count;
            }
        }
        stored.clear();
        stored.extend_from_slice(contributions);
    }

    /// Returns the light of each virtual point light, reusing as many of the previous frame's as possible.
    ///
    /// * `probabilities` — probability of each light.
    /// * `fresh` — samples a light for each virtual point light, if there is no history.
    pub(super) fn reuse_lights(
        &mut self,
        probabilities: Vec<f64>,
        fresh: impl Fn() -> Vec<u32>,
        seed: u32,
    ) -> Vec<u32> {
        let before =
            self.vpl_lights.take().filter(|before| before.probabilities.len() == probabilities.len());
        let current = match before {
            Some(before) => before.resample(probabilities, seed),
            None => VplLights { frame: 0, probabilities, lights: fresh() },
        };
        let lights = current.lights.clone();
        self.vpl_lights = Some(current);
        lights
    }
}

impl VplLights {
    /// Changes as few lights as the new probabilities allow, by the maximal coupling of both distributions: a light
    /// whose probability p becomes q is kept with probability min(1, q / p), and each light that is not kept is
    /// replaced by one sampled in proportion to max(0, q - p). Every light is then distributed by q, and the expected
    /// share of changes is half the sum of |q - p|, the least possible.
    fn resample(self, probabilities: Vec<f64>, seed: u32) -> Self {
        let Self { frame, probabilities: old, mut lights } = self;
        let kept = |(i, &light): (u32, &u32)| {
            let of_light = |probabilities: &[f64]| probabilities.get(light as usize).copied().unwrap_or(0.0);
            f64::from(rng::uniform([i, frame, seed, KEEPING])) * of_light(&old) < of_light(&probabilities)
        };
        let lost: Vec<usize> =
            (0..).zip(&lights).filter(|&pair| !kept(pair)).map(|(i, _)| i as usize).collect();
        let gains = probabilities.iter().zip(&old).map(|(new, old)| (new - old).max(0.0));
        let gains = DiscreteCdf::new(gains);
        let offset = f64::from(rng::uniform([frame, seed, KEEPING, 0]));
        for (number, &i) in lost.iter().enumerate() {
            // Stratified, so that no light is taken twice while others are left out
            let u = (number as f64 + offset) / lost.len() as f64;
            lights[i] = gains.sample(u).and_then(|light| u32::try_from(light).ok()).unwrap_or(lights[i]);
        }
        Self { frame: frame.wrapping_add(1), probabilities, lights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_lights_as_possible_are_kept_and_all_follow_their_probabilities() {
        const COUNT: usize = 100_000;
        let (old, new) = (vec![0.1, 0.5, 0.0, 0.4], vec![0.2, 0.3, 0.1, 0.4]);
        let mut history = LightHistory::default();
        let fresh = || (0..COUNT).map(|i| [0, 1, 1, 1, 1, 1, 3, 3, 3, 3][i % 10]).collect();
        let before = history.reuse_lights(old, fresh, 7);
        let after = history.reuse_lights(new.clone(), Vec::new, 7);
        let share = |light| after.iter().filter(|&&l| l == light).count() as f64 / COUNT as f64;
        for (light, expected) in (0u32..).zip(&new) {
            // Five standard deviations
            assert!((share(light) - expected).abs() < 5.0 * (0.25f64 / COUNT as f64).sqrt(), "light {light}");
        }
        let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count() as f64 / COUNT as f64;
        assert!((moved - 0.2).abs() < 0.01, "half of 0.1 + 0.2 + 0.1: {moved}");
        assert_eq!(history.reuse_lights(new, Vec::new, 7), after, "equal probabilities change no light");
    }

    #[test]
    fn constant_contributions_accumulate_and_old_ones_decay() {
        let mut history = LightHistory::default();
        let mut frame = [LightContribution::default(); 2];
        for _ in 0..400 {
            frame = [LightContribution { sum: 2.0, count: 1.0 }, LightContribution::default()];
            history.accumulate(&mut frame);
        }
        assert!((frame[0].sum - 40.0).abs() < 1e-3 && (frame[0].count - 20.0).abs() < 1e-3, "{frame:?}");
        for _ in 0..400 {
            frame = [LightContribution::default(); 2];
            history.accumulate(&mut frame);
        }
        assert!(frame[0].sum < 1e-4, "{frame:?}");
        let mut others = [LightContribution { sum: 1.0, count: 1.0 }];
        history.accumulate(&mut others);
        assert_eq!(others[0].sum, 1.0, "the number of lights changed");
    }
}
