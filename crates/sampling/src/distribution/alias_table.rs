//! Alias method: sampling of discrete distributions in constant time.

use sunfleck_math::float::ONE_MINUS_EPSILON;

use super::{DistributionError, checked_sum};

/// Alias table, which samples one of n items in proportion to its weight in constant time [Walker74; Vose91].
///
/// Samples are not monotone in the uniform, so more than n strata do not improve the stratification among the items.
#[derive(Clone, Debug, PartialEq)]
pub struct AliasTable {
    bins: Vec<AliasBin>,
}

/// Bin of an alias table, one n-th of the unit interval. Its first part selects the item of the same index, the rest
/// selects the alias.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AliasBin {
    /// Size of the first part as a fraction of the bin.
    pub threshold: f32,
    /// Index of the item that the rest of the bin selects.
    pub alias: u32,
    /// Probability of the item of the same index.
    pub pmf: f32,
}

impl AliasTable {
    /// Maximum number of weights, which is the number of distinct uniforms.
    ///
    /// Probabilities have an error of at most 2⁻²⁴, which is noticeable in tables of more than 2¹⁶ items.
    pub const MAX_WEIGHTS: usize = 1 << 24;

    /// Builds the table for `weights`, one per item.
    ///
    /// # Errors
    /// If there are no weights or more than [`AliasTable::MAX_WEIGHTS`], if a weight is negative or not finite, or if
    /// all weights are zero.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "indices are below 2²⁴, probabilities are stored as f32"
    )]
    pub fn new(weights: &[f32]) -> Result<Self, DistributionError> {
        let sum = checked_sum(weights)?;
        let count = weights.len();
        if count > Self::MAX_WEIGHTS {
            return Err(DistributionError::TooMany { count });
        }
        let probability = |weight: f32| f64::from(weight) / sum;
        let mut bins: Vec<AliasBin> = (0..count as u32)
            .map(|index| AliasBin {
                threshold: 1.0,
                alias: index,
                pmf: probability(weights[index as usize]) as f32,
            })
            .collect();

        // Stacks of underfull bins and of items that exceed a bin, both in the order of their indices
        let mut filled: Vec<f64> = weights.iter().map(|&weight| probability(weight) * count as f64).collect();
        let (mut under, mut over): (Vec<usize>, Vec<usize>) = (0..count).partition(|&i| filled[i] < 1.0);
        while let (Some(low), Some(&high)) = (under.pop(), over.last()) {
            // An item of excess weight fills the rest of the bin.
            bins[low].threshold = filled[low] as f32;
            bins[low].alias = high as u32;
            filled[high] -= 1.0 - filled[low];
            if filled[high] < 1.0 {
                over.pop();
                under.push(high);
            }
        }

        // Rounding may leave bins that are not quite full; their threshold stays 1. An item of probability zero must
        // not be selected: if its bin was not filled, the item of the largest weight becomes its alias.
        let heaviest = (0..count).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
        for (index, bin) in (0..).zip(&mut bins).filter(|(_, bin)| bin.pmf == 0.0) {
            bin.threshold = 0.0;
            if bin.alias == index {
                bin.alias = heaviest as u32;
            }
        }
        Ok(Self { bins })
    }

    /// Returns the number of items, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.bins.len()
    }

    /// Returns the bins, one per item.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = AliasBin> {
        self.bins.iter().copied()
    }

    /// Returns the index of an item, its probability, and a new uniform in [0, 1) remapped from the remainder of `u`.
    ///
    /// * `u` — uniform in [0, 1).
    ///
    /// The new uniform has log₂ n fewer random bits than `u`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the index of a bin")]
    #[allow(clippy::cast_sign_loss, reason = "u is not negative; if it were, the cast would saturate")]
    pub fn sample(&self, u: f32) -> (usize, f32, f32) {
        let scaled = u * self.bins.len() as f32;
        let index = (scaled as usize).min(self.bins.len() - 1);
        let rest = (scaled - index as f32).clamp(0.0, ONE_MINUS_EPSILON);
        let bin = self.bins[index];
        if rest < bin.threshold {
            (index, bin.pmf, (rest / bin.threshold).min(ONE_MINUS_EPSILON))
        } else {
            let alias = bin.alias as usize;
            (
                alias,
                self.bins[alias].pmf,
                ((rest - bin.threshold) / (1.0 - bin.threshold)).min(ONE_MINUS_EPSILON),
            )
        }
    }

    /// Returns the probability of an item; 0 if the index is out of range.
    #[inline(always)]
    pub fn pmf(&self, index: usize) -> f32 {
        self.bins.get(index).map_or(0.0, |bin| bin.pmf)
    }
}
