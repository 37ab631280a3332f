//! What is known of lights from frames before: a view that moves sees nearly the same, so that its virtual point lights need not jump.

use sunfleck_sampling::rng;

use super::choice::Cumulative;

/// Seeds decisions about what is kept.
const KEEPING: u32 = 0x6b65_6570;

/// What each light brought to the picture, and which lights had virtual point lights.
#[derive(Debug, Default)]
pub(super) struct Known {
    found: Vec<Found>,
    chosen: Option<Chosen>,
}

/// Lights that virtual point lights stand for.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// Number of frames before.
    frame: u32,
    /// The probability of each light.
    shares: Vec<f64>,
    /// The light of each virtual point light; [`NO_LIGHT`](sunfleck_constants::igi::NO_LIGHT) if nothing shone.
    lights: Vec<u32>,
}

/// Factor by which what is remembered of lights decays per frame; about the last twenty frames count.
pub const MEMORY_DECAY: f32 = 0.95;

/// What paths found of a light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Luminance.
    pub(super) sum: f64,
    pub(super) times: f64,
}

impl Found {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of times")]
    pub(super) fn rounded(&self) -> (f64, u32) {
        (self.sum, self.times.round() as u32)
    }
}

impl Known {
    /// Adds what is remembered to what was found, and remembers that. Of other lights than before nothing is known.
    pub(super) fn recall(&mut self, found: &mut [Found]) {
        let known = &mut self.found;
        if known.len() == found.len() {
            for (found, known) in found.iter_mut().zip(&*known) {
                found.sum += f64::from(MEMORY_DECAY) * known.sum;
                found.times += f64::from(MEMORY_DECAY) * known.times;
            }
        }
        known.clear();
        known.extend_from_slice(found);
    }

    /// The lights of all virtual point lights: those of the frame before as far as that can be.
    ///
    /// * `shares` — the probability of each light. * `fresh` — chooses one for each, where there is none.
    pub(super) fn keep(&mut self, shares: Vec<f64>, fresh: impl Fn() -> Vec<u32>, seed: u32) -> Vec<u32> {
        let before = self.chosen.take().filter(|before| before.shares.len() == shares.len());
        let chosen = match before {
            Some(before) => before.follow(shares, seed),
            None => Chosen { frame: 0, shares, lights: fresh() },
        };
        let lights = chosen.lights.clone();
        self.chosen = Some(chosen);
        lights
    }
}

impl Chosen {
    /// Changes as few lights as their new probabilities allow, by the maximal coupling of both distributions: a light whose probability p
    /// becomes q is kept with probability min(1, q / p), and those that are not get one in proportion to max(0, q - p). So
    /// each is a choice by q, and the expected share of changes is half the sum of |q - p|, less than by any other scheme.
    fn follow(self, shares: Vec<f64>, seed: u32) -> Self {
        let Self { frame, shares: old, mut lights } = self;
        let kept = |(i, &light): (u32, &u32)| {
            let share = |shares: &[f64]| shares.get(light as usize).copied().unwrap_or(0.0);
            f64::from(rng::uniform([i, frame, seed, KEEPING])) * share(&old) < share(&shares)
        };
        let lost: Vec<usize> =
            (0..).zip(&lights).filter(|&pair| !kept(pair)).map(|(i, _)| i as usize).collect();
        let gains = shares.iter().zip(&old).map(|(new, old)| (new - old).max(0.0));
        let gains = Cumulative::new(gains);
        let offset = f64::from(rng::uniform([frame, seed, KEEPING, 0]));
        for (number, &i) in lost.iter().enumerate() {
            // At equal steps, so that no two go to one light if there are others
            let at = (number as f64 + offset) / lost.len() as f64;
            lights[i] = gains.at(at).and_then(|light| u32::try_from(light).ok()).unwrap_or(lights[i]);
        }
        Self { frame: frame.wrapping_add(1), shares, lights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lights_are_kept_as_far_as_can_be_and_follow_their_probabilities() {
        const COUNT: usize = 100_000;
        let (old, new) = (vec![0.1, 0.5, 0.0, 0.4], vec![0.2, 0.3, 0.1, 0.4]);
        let mut memory = Known::default();
        let fresh = || (0..COUNT).map(|i| [0, 1, 1, 1, 1, 1, 3, 3, 3, 3][i % 10]).collect();
        let before = memory.keep(old, fresh, 7);
        let after = memory.keep(new.clone(), Vec::new, 7);
        let share = |light| after.iter().filter(|&&l| l == light).count() as f64 / COUNT as f64;
        for (light, expected) in (0u32..).zip(&new) {
            // Five standard deviations
            assert!((share(light) - expected).abs() < 5.0 * (0.25f64 / COUNT as f64).sqrt(), "light {light}");
        }
        let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count() as f64 / COUNT as f64;
        assert!((moved - 0.2).abs() < 0.01, "half of 0.1 + 0.2 + 0.1: {moved}");
        assert_eq!(memory.keep(new, Vec::new, 7), after, "nothing changes if nothing changes");
    }

    #[test]
    fn what_goes_on_is_averaged_and_what_has_ended_is_forgotten() {
        let mut memory = Known::default();
        let mut frame = [Found::default(); 2];
        for _ in 0..400 {
            frame = [Found { sum: 2.0, times: 1.0 }, Found::default()];
            memory.recall(&mut frame);
        }
        assert!((frame[0].sum - 40.0).abs() < 1e-3 && (frame[0].times - 20.0).abs() < 1e-3, "{frame:?}");
        for _ in 0..400 {
            frame = [Found::default(); 2];
            memory.recall(&mut frame);
        }
        assert!(frame[0].sum < 1e-4, "{frame:?}");
        let mut others = [Found { sum: 1.0, times: 1.0 }];
        memory.recall(&mut others);
        assert_eq!(others[0].sum, 1.0, "other lights");
    }
}
