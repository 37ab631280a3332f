//! Piecewise-constant densities on the unit square, sampled by marginal and conditional distributions.

use sunfleck_math::{Vec2, vec2};

use super::piecewise_1d::{append, invert, piece_at};
use super::{DistributionError, Piecewise1D, checked_sum, guide};

/// Piecewise-constant density on [0, 1)², for example of an environment map.
///
/// A row is sampled from the marginal distribution, then a column from the conditional distribution of that row. The
/// mapping is continuous and monotone along each axis, except for steps between rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Piecewise2D {
    width: usize,
    /// Marginal distribution of the rows.
    rows: Piecewise1D,
    /// Conditional densities along each row, `width` values per row.
    density_in_row: Vec<f32>,
    /// Conditional cumulative probabilities along each row, `width + 1` values per row.
    cumulative_in_row: Vec<f32>,
    /// Guide tables along each row, `width + 1` values per row.
    guide_in_row: Vec<u32>,
}

impl Piecewise2D {
    /// Builds the density in proportion to `weights`, which are `height` rows of `width` each; the first row is v = 0.
    ///
    /// # Errors
    /// If there are not `width * height` weights, if a weight is negative or not finite, or if all weights are zero.
    #[allow(clippy::cast_possible_truncation, reason = "probabilities are stored as f32")]
    pub fn new(weights: &[f32], width: usize, height: usize) -> Result<Self, DistributionError> {
        let count = weights.len();
        if width.checked_mul(height) != Some(count) {
            return Err(DistributionError::Size { count, width, height });
        }
        let total = checked_sum(weights)?;
        let mut density_in_row = Vec::with_capacity(count);
        let mut cumulative_in_row = Vec::with_capacity(count + height);
        let mut row_probabilities = Vec::with_capacity(height);
        for row in weights.chunks_exact(width) {
            let sum: f64 = row.iter().copied().map(f64::from).sum();
            // A row of weight zero is never sampled, so its values do not matter.
            append(&mut density_in_row, &mut cumulative_in_row, row, if sum > 0.0 { sum } else { 1.0 });
            row_probabilities.push((sum / total) as f32);
        }
        let mut guide_in_row = Vec::with_capacity(cumulative_in_row.len());
        cumulative_in_row.chunks_exact(width + 1).for_each(|row| guide::append(&mut guide_in_row, row));
        let rows = Piecewise1D::new(&row_probabilities)?;
        Ok(Self { width, rows, density_in_row, cumulative_in_row, guide_in_row })
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the marginal distribution of the rows.
    pub fn rows(&self) -> &Piecewise1D {
        &self.rows
    }

    /// Returns the conditional densities along each row, `width` values per row.
    pub fn density_in_row(&self) -> &[f32] {
        &self.density_in_row
    }

    /// Returns the conditional cumulative probabilities along each row, `width + 1` values per row.
    pub fn cumulative_in_row(&self) -> &[f32] {
        &self.cumulative_in_row
    }

    /// Returns a sample in [0, 1)² and its density per unit area.
    #[inline(always)]
    pub fn sample(&self, u: Vec2) -> (Vec2, f32) {
        let (v, pdf_row, row) = self.rows.sample(u.y);
        let in_row = row * (self.width + 1)..(row + 1) * (self.width + 1);
        let (u, column) = invert(&self.cumulative_in_row[in_row.clone()], &self.guide_in_row[in_row], u.x);
        (vec2(u, v), pdf_row * self.density_in_row[row * self.width + column])
    }

    /// Returns the density at the point `uv`, per unit area; 0 outside [0, 1)².
    #[inline(always)]
    pub fn pdf(&self, uv: Vec2) -> f32 {
        let height = self.density_in_row.len() / self.width;
        let (Some(column), Some(row)) = (piece_at(uv.x, self.width), piece_at(uv.y, height)) else {
            return 0.0;
        };
        self.rows.pdf(uv.y) * self.density_in_row[row * self.width + column]
    }
}
