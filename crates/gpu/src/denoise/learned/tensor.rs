use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Features of one resolution: two arrays, of which each convolution reads one and writes the other. Each holds planes
/// of channels, whose rows consist of vectors of four pixels.
#[derive(Debug)]
pub(super) struct Tensor {
    /// Width and height in pixels.
    pub(super) size: [usize; 2],
    arrays: [Array<[f32; 4]>; 2],
    /// Index of the array with the newest features.
    newest: usize,
}

impl Tensor {
    /// Allocates features.
    ///
    /// * `inputs` — most channels that are written from outside; `width` — most channels of a convolution.
    pub(super) fn new(gpu: &Gpu, size: [usize; 2], inputs: usize, width: usize) -> Result<Self, GpuError> {
        let vectors = size[0].div_ceil(4) * size[1];
        let array = |channels: usize| Array::zeroed(gpu, "features", channels * vectors);
        Ok(Self { size, arrays: [array(inputs.max(width))?, array(width)?], newest: 0 })
    }

    /// Returns the newest features.
    pub(super) fn newest(&self) -> &wgpu::Buffer {
        &self.arrays[self.newest].buffer
    }

    /// Returns the array that the next convolution writes.
    pub(super) fn next(&self) -> &wgpu::Buffer {
        &self.arrays[1 - self.newest].buffer
    }

    /// Makes what was written the newest features.
    pub(super) fn advance(&mut self) {
        self.newest = 1 - self.newest;
    }
}
