//! Which light to sample.

use sunfleck_sampling::distribution::{AliasBin, AliasTable};

/// The share of choices that do not look at power, so that a faint light near by is found too.
const UNIFORM_SHARE: f64 = 0.1;

/// A distribution over lights: in proportion to power, mixed with a little uniform.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// `None` if there is no light, or more than [`AliasTable::MAX_WEIGHTS`]: then scattering alone finds them.
    alias: Option<AliasTable>,
}

impl Selection {
    /// * `powers` — positive; infinite ones count as very large.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities fit f32")]
    pub(super) fn new(powers: &[f32]) -> Self {
        let powers: Vec<f64> = powers.iter().map(|&power| f64::from(power.min(f32::MAX))).collect();
        let total: f64 = powers.iter().sum();
        let even = UNIFORM_SHARE / powers.len() as f64;
        let probability = |power: f64| even + (1.0 - UNIFORM_SHARE) * power / total;
        let weights: Vec<f32> = powers.into_iter().map(|power| probability(power) as f32).collect();
        Self { alias: AliasTable::new(&weights).ok() }
    }

    /// A light and the probability of its choice; `None` if there is none.
    #[inline(always)]
    pub(super) fn sample(&self, u: f32) -> Option<(usize, f32)> {
        let (light, probability, _) = self.alias.as_ref()?.sample(u);
        Some((light, probability))
    }

    /// For a GPU: of each bin the size of its own part, the alias and the probability.
    pub(super) fn packed(&self) -> Vec<u32> {
        let bin = |bin: AliasBin| [bin.threshold.to_bits(), bin.alias, bin.pmf.to_bits()];
        self.alias.iter().flat_map(AliasTable::bins).flat_map(bin).collect()
    }

    /// The probability of choosing a light.
    #[inline(always)]
    pub(super) fn probability(&self, light: usize) -> f32 {
        match &self.alias {
            Some(alias) => alias.pmf(light),
            None => 0.0,
        }
    }
}
