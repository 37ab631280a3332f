use sunfleck_math::float::ONE_MINUS_EPSILON;

use super::{DistributionError, checked_sum};

/// Chooses among n things in proportion to their weights, in a time that does not depend on n [Walker74; Vose91].
///
/// Choices are not monotone in the uniform, so stratification among the things is lost beyond n strata.
#[derive(Clone, Debug, PartialEq)]
pub struct AliasTable {
    bins: Vec<AliasBin>,
}

/// One n-th of the unit interval: its first part chooses the thing of the same index, the rest another thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AliasBin {
    /// Size of the first part, in bins.
    pub own: f32,
    /// The thing that the rest chooses.
    pub alias: u32,
    /// Probability of the thing of the same index.
    pub pmf: f32,
}

impl AliasTable {
    /// The most weights: there are no more uniforms. Probabilities err by 2⁻²⁴ at most, so a table of more than 2¹⁶ things
    /// has noticeable errors in each.
    pub const MOST: usize = 1 << 24;

    /// The table of these weights.
    ///
    /// # Errors
    /// If the weights are none, too many, negative, not finite or all zero.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "indices are below 2²⁴, probabilities are stored as f32"
    )]
    pub fn new(weights: &[f32]) -> Result<Self, DistributionError> {
        let sum = checked_sum(weights)?;
        let count = weights.len();
        if count > Self::MOST {
            return Err(DistributionError::TooMany { count });
        }
        let probability = |weight: f32| f64::from(weight) / sum;
        let mut bins: Vec<AliasBin> = (0..count as u32)
            .map(|index| AliasBin {
                own: 1.0,
                alias: index,
                pmf: probability(weights[index as usize]) as f32,
            })
            .collect();

        // Stacks of bins that are not full and of things with more than fits a bin: the order of indices decides all
        let mut filled: Vec<f64> = weights.iter().map(|&weight| probability(weight) * count as f64).collect();
        let (mut under, mut over): (Vec<usize>, Vec<usize>) = (0..count).partition(|&i| filled[i] < 1.0);
        while let (Some(low), Some(&high)) = (under.pop(), over.last()) {
            // The thing with too much fills the bin up
            bins[low].own = filled[low] as f32;
            bins[low].alias = high as u32;
            filled[high] -= 1.0 - filled[low];
            if filled[high] < 1.0 {
                over.pop();
                under.push(high);
            }
        }

        // Rounding may leave bins that lack next to nothing: they stay with their own thing. But one of probability zero must
        // not, and goes to the heaviest
        let heaviest = (0..count).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
        for (index, bin) in (0..).zip(&mut bins).filter(|(_, bin)| bin.pmf == 0.0) {
            bin.own = 0.0;
            if bin.alias == index {
                bin.alias = heaviest as u32;
            }
        }
        Ok(Self { bins })
    }

    /// How many things there are, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.bins.len()
    }

    /// One for each thing.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = AliasBin> {
        self.bins.iter().copied()
    }

    /// A thing, its probability, and a new uniform in [0, 1) made of what the choice left of `u` in [0, 1).
    ///
    /// The new uniform has log₂ n fewer random bits than `u`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the index of a bin")]
    #[allow(clippy::cast_sign_loss, reason = "u is not negative, and if it is, the cast saturates")]
    pub fn sample(&self, u: f32) -> (usize, f32, f32) {
        let scaled = u * self.bins.len() as f32;
        let index = (scaled as usize).min(self.bins.len() - 1);
        let rest = (scaled - index as f32).clamp(0.0, ONE_MINUS_EPSILON);
        let bin = self.bins[index];
        if rest < bin.own {
            (index, bin.pmf, (rest / bin.own).min(ONE_MINUS_EPSILON))
        } else {
            let alias = bin.alias as usize;
            (alias, self.bins[alias].pmf, ((rest - bin.own) / (1.0 - bin.own)).min(ONE_MINUS_EPSILON))
        }
    }

    /// Probability of a thing; 0 if there is no thing of that index.
    #[inline(always)]
    pub fn pmf(&self, index: usize) -> f32 {
        self.bins.get(index).map_or(0.0, |bin| bin.pmf)
    }
}
