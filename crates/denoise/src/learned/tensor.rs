//! Activations of the network.

use rayon::prelude::*;

/// Channels that are adjacent in memory.
pub(super) const LANES: usize = 16;
/// Widths are padded to a multiple of this, twice the number of pixels of the largest tile of a convolution.
const ALIGNMENT: usize = 24;

/// One pixel of a block of channels.
pub(super) type Block = [f32; LANES];

/// Activations of a layer: rows of blocks of 16 channels of pixels.
///
/// A border of zeros surrounds the pixels: pixel (x, y) is at `x + 1` of row `y + 1`. To the right, the border has at
/// least one pixel and extends the row so that tiles fit.
pub(super) struct Tensor {
    width: usize,
    height: usize,
    blocks: usize,
    data: Vec<Block>,
}

impl Tensor {
    /// Makes a tensor of zeros.
    pub(super) fn new(width: usize, height: usize, blocks: usize) -> Self {
        let data = vec![[0.0; LANES]; (height + 2) * blocks * stride(width)];
        Self { width, height, blocks, data }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Returns a row of a block, borders included; row 0 is the upper border.
    #[inline(always)]
    pub(super) fn row(&self, y: usize, block: usize) -> &[Block] {
        let stride = stride(self.width);
        &self.data[(y * self.blocks + block) * stride..][..stride]
    }

    /// Calls `write` with the y of each pixel row and the rows of all blocks, in parallel. The borders may be
    /// overwritten.
    pub(super) fn for_each_row(&mut self, write: impl Fn(usize, &mut [Block]) + Sync) {
        let (width, stride) = (self.width, stride(self.width));
        let rows = self.data.par_chunks_exact_mut(self.blocks * stride).skip(1).take(self.height);
        rows.enumerate().for_each(|(y, rows)| {
            write(y, rows);
            for row in rows.chunks_exact_mut(stride) {
                row[0] = [0.0; LANES];
                row[width + 1..].fill([0.0; LANES]);
            }
        });
    }

    /// Returns the averages of 2×2 pixels. Width and height must be even.
    pub(super) fn halved(&self) -> Self {
        let mut out = Self::new(self.width / 2, self.height / 2, self.blocks);
        let (width, stride) = (out.width, stride(out.width));
        out.for_each_row(|y, rows| {
            for (block, out) in rows.chunks_exact_mut(stride).enumerate() {
                let (above, below) = (self.row(2 * y + 1, block), self.row(2 * y + 2, block));
                for x in 0..width {
                    let at = 2 * x + 1;
                    for c in 0..LANES {
                        let sum = (above[at][c] + above[at + 1][c]) + (below[at][c] + below[at + 1][c]);
                        out[x + 1][c] = 0.25 * sum;
                    }
                }
            }
        });
        out
    }
}

/// Returns the length of a row of a block.
#[inline(always)]
pub(super) fn stride(width: usize) -> usize {
    width.next_multiple_of(ALIGNMENT) + 2
}
