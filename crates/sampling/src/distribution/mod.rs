//! Tabulated distributions, sampled in proportion to weights.
//!
//! Weights must be finite and not negative, and at least one must be positive; otherwise a [`DistributionError`] is
//! returned. Items of weight zero are never sampled. Sums are computed in f64 in the order of the weights, so that
//! tables are the same on every machine. Since uniforms are multiples of 2⁻²⁴, probabilities are accurate to about
//! 2⁻²⁴.

mod alias_table;
mod guide;
mod piecewise_1d;
mod piecewise_2d;

pub use alias_table::{AliasBin, AliasTable};
pub use piecewise_1d::Piecewise1D;
pub use piecewise_2d::Piecewise2D;

/// Error for weights that do not define a distribution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DistributionError {
    /// There are no weights.
    #[error("there are no weights; at least one is required")]
    Empty,
    /// A weight is negative, infinite or NaN.
    #[error("weight {index} is {weight}; weights must be finite and not negative")]
    Weight {
        /// Index of the weight.
        index: usize,
        /// Value of the weight.
        weight: f32,
    },
    /// All weights are zero.
    #[error("all {count} weights are zero; at least one must be positive")]
    AllZero {
        /// Number of weights.
        count: usize,
    },
    /// The number of weights differs from the size of the table.
    #[error("there are {count} weights for a table of {width} × {height}")]
    Size {
        /// Number of weights.
        count: usize,
        /// Number of columns of the table.
        width: usize,
        /// Number of rows of the table.
        height: usize,
    },
    /// There are more weights than distinct uniforms.
    #[error("there are {count} weights; the maximum is {}", AliasTable::MAX_WEIGHTS)]
    TooMany {
        /// Number of weights.
        count: usize,
    },
}

/// Returns the sum of the weights, or an error if they do not define a distribution.
fn checked_sum(weights: &[f32]) -> Result<f64, DistributionError> {
    if weights.is_empty() {
        return Err(DistributionError::Empty);
    }
    let is_valid = |weight: f32| weight.is_finite() && weight >= 0.0;
    if let Some((index, &weight)) = weights.iter().enumerate().find(|&(_, &weight)| !is_valid(weight)) {
        return Err(DistributionError::Weight { index, weight });
    }
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    if sum > 0.0 { Ok(sum) } else { Err(DistributionError::AllZero { count: weights.len() }) }
}
