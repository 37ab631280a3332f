//! Piecewise-constant densities on the unit interval, sampled by inversion.

use sunfleck_constants::sampling::INSET;
use sunfleck_math::float::ONE_MINUS_EPSILON;

use super::{DistributionError, checked_sum, guide};

/// Piecewise-constant density on [0, 1) with n pieces of equal length. Samples are monotone in the uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Piecewise1D {
    /// Density of each piece; the mean is 1.
    density: Vec<f32>,
    /// Cumulative distribution function: `cumulative[i]` is the probability of the pieces before `i`, n + 1 values from
    /// 0 to 1.
    cumulative: Vec<f32>,
    /// Guide table of `cumulative`.
    guide: Vec<u32>,
}

impl Piecewise1D {
    /// Builds the density in proportion to `weights`, one per piece.
    ///
    /// # Errors
    /// If there are no weights, if a weight is negative or not finite, or if all weights are zero.
    pub fn new(weights: &[f32]) -> Result<Self, DistributionError> {
        let sum = checked_sum(weights)?;
        let mut table = Self { density: Vec::new(), cumulative: Vec::new(), guide: Vec::new() };
        append(&mut table.density, &mut table.cumulative, weights, sum);
        guide::append(&mut table.guide, &table.cumulative);
        Ok(table)
    }

    /// Returns the density of each piece.
    pub fn density(&self) -> &[f32] {
        &self.density
    }

    /// Returns the cumulative distribution function: the probability of the pieces before each piece, and 1 at the end.
    pub fn cumulative(&self) -> &[f32] {
        &self.cumulative
    }

    /// Returns a sample in [0, 1), its density, and the index of its piece.
    #[inline(always)]
    pub fn sample(&self, u: f32) -> (f32, f32, usize) {
        let (x, piece) = invert(&self.cumulative, &self.guide, u);
        (x, self.density[piece], piece)
    }

    /// Returns the density at `x`; 0 outside [0, 1).
    #[inline(always)]
    pub fn pdf(&self, x: f32) -> f32 {
        piece_at(x, self.density.len()).map_or(0.0, |piece| self.density[piece])
    }
}

/// Appends the densities and the cumulative probabilities of `weights`, whose sum is `sum` > 0, to tables.
#[allow(clippy::cast_possible_truncation, reason = "tables are stored as f32")]
pub(super) fn append(density: &mut Vec<f32>, cumulative: &mut Vec<f32>, weights: &[f32], sum: f64) {
    let scale = weights.len() as f64 / sum;
    density.extend(weights.iter().map(|&weight| (f64::from(weight) * scale) as f32));
    let mut running = 0.0;
    cumulative.push(0.0);
    // The last running sum has the same bits as `sum`, so the last quotient is 1, also with trailing zeros.
    cumulative.extend(weights.iter().map(|&weight| {
        running += f64::from(weight);
        (running / sum) as f32
    }));
}

/// Inverts a cumulative distribution function: returns the position in [0, 1) at which it reaches `u`, and the piece
/// that contains it, whose weight is positive.
///
/// * `guide` — [guide table](guide) of the function.
#[inline(always)]
pub(super) fn invert(cumulative: &[f32], guide: &[u32], u: f32) -> (f32, usize) {
    let pieces = cumulative.len() - 1;
    // For `u` below 1 there is a piece with cumulative[i] ≤ u < cumulative[i + 1]; NaN is treated as 1.
    let u = u.min(ONE_MINUS_EPSILON);
    let piece = guide::count_up_to(cumulative, guide, u).clamp(1, pieces) - 1;
    let (before, after) = (cumulative[piece], cumulative[piece + 1]);
    let inside = if after > before { (u - before) / (after - before) } else { 0.0 };
    let position = |x: f32| x / pieces as f32;
    let (start, end) = (position(piece as f32), position((piece + 1) as f32));
    let x = position(piece as f32 + inside).max(start * (1.0 + INSET)).min(end * (1.0 - INSET));
    (x, piece)
}

/// Returns the index of the piece that contains `x`, or `None` outside [0, 1).
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the index of a piece")]
#[allow(clippy::cast_sign_loss, reason = "x is not negative")]
pub(super) fn piece_at(x: f32, pieces: usize) -> Option<usize> {
    (0.0..1.0).contains(&x).then(|| ((x * pieces as f32) as usize).min(pieces - 1))
}
