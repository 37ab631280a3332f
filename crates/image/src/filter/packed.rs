//! Table of a filter sampler for the GPU.

use super::FilterSampler;

/// A cell of a filter's tabulated distribution. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct FilterCell {
    /// Probability of a smaller distance from the centre.
    pub below: f32,
    /// Probability of a smaller distance than the end of the cell.
    pub above: f32,
    /// Weight of a sample in this cell along one axis.
    pub weight: f32,
    /// Entry of the guide table: the cell at which the search starts for probabilities from `i / n`, where `i` is the
    /// index of this cell and `n` the number of cells.
    pub guide: u32,
}

impl FilterSampler {
    /// Returns the cells between the centre and the radius.
    pub fn cells(&self) -> Vec<FilterCell> {
        let pairs = self.cdf.windows(2).zip(&self.guide).zip(&self.negative);
        pairs
            .map(|((ends, &guide), &negative)| FilterCell {
                below: ends[0],
                above: ends[1],
                weight: if negative { -self.weight } else { self.weight },
                guide: u32::try_from(guide).unwrap_or(u32::MAX),
            })
            .collect()
    }
}
