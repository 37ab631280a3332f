//! Distribution of lights in proportion to power.

use sunfleck_sampling::distribution::{AliasBin, AliasTable};

/// Weight of the uniform part of the distribution, so that a faint light nearby is sampled, too.
const UNIFORM_SHARE: f64 = 0.1;

/// Distribution of lights in proportion to power, mixed with a uniform distribution of weight [`UNIFORM_SHARE`].
#[derive(Clone, Debug, Default)]
pub(super) struct PowerDistribution {
    /// `None` if there are no lights, or more than [`AliasTable::MAX_WEIGHTS`]. In the latter case,
    /// only bsdf sampling finds the lights.
    alias: Option<AliasTable>,
}

impl PowerDistribution {
    /// Makes the distribution of lights with these powers.
    ///
    /// * `powers` — positive; infinite values are clamped.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities fit f32")]
    pub(super) fn new(powers: &[f32]) -> Self {
        let powers: Vec<f64> = powers.iter().map(|&power| f64::from(power.min(f32::MAX))).collect();
        let total: f64 = powers.iter().sum();
        let even = UNIFORM_SHARE / powers.len() as f64;
        let probability = |power: f64| even + (1.0 - UNIFORM_SHARE) * power / total;
        let weights: Vec<f32> = powers.into_iter().map(|power| probability(power) as f32).collect();
        Self { alias: AliasTable::new(&weights).ok() }
    }

    /// Samples a light. Returns its index and its probability; `None` if there are no lights.
    #[inline(always)]
    pub(super) fn sample(&self, u: f32) -> Option<(usize, f32)> {
        let (light, probability, _) = self.alias.as_ref()?.sample(u);
        Some((light, probability))
    }

    /// Returns the alias table for the GPU: the threshold, the alias, and the probability of each bin.
    pub(super) fn packed(&self) -> Vec<u32> {
        let bin = |bin: AliasBin| [bin.threshold.to_bits(), bin.alias, bin.pmf.to_bits()];
        self.alias.iter().flat_map(AliasTable::bins).flat_map(bin).collect()
    }

    /// Returns the probability with which [`PowerDistribution::sample`] chooses a light.
    #[inline(always)]
    pub(super) fn probability(&self, light: usize) -> f32 {
        match &self.alias {
            Some(alias) => alias.pmf(light),
            None => 0.0,
        }
    }
}
