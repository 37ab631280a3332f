//! Samples whose random numbers are drawn together.

use sunfleck_shading::{BATCH_SIZE, BatchRow};

use crate::view::{SampleId, View};

/// Pixels and indices of up to [`BATCH_SIZE`] samples.
#[derive(Debug)]
pub(super) struct SampleRows {
    pixel: [[u32; BATCH_SIZE]; 2],
    sample: [u32; BATCH_SIZE],
    count: usize,
}

impl Default for SampleRows {
    fn default() -> Self {
        Self { pixel: [[0; BATCH_SIZE]; 2], sample: [0; BATCH_SIZE], count: 0 }
    }
}

impl SampleRows {
    /// Replaces the samples; those beyond [`BATCH_SIZE`] are ignored.
    #[inline(always)]
    pub(super) fn set(&mut self, ids: impl Iterator<Item = SampleId>) {
        self.count = 0;
        for (i, id) in ids.enumerate().take(BATCH_SIZE) {
            ([self.pixel[0][i], self.pixel[1][i]], self.sample[i]) = (id.pixel, id.sample);
            self.count = i + 1;
        }
    }

    /// Draws the uniforms of a pair of dimensions.
    ///
    /// * `dimension` — even; see [`Sampler::fill_2d`](sunfleck_sampling::Sampler::fill_2d).
    #[inline(always)]
    pub(super) fn draw(&self, view: &View<'_>, dimension: u32, [u, v]: [&mut BatchRow; 2]) {
        let Self { pixel: [x, y], sample, count: n } = self;
        view.sampler.fill_2d([&x[..*n], &y[..*n]], &sample[..*n], dimension, [&mut u[..*n], &mut v[..*n]]);
    }
}
