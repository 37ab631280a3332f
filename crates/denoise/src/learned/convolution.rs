//! Convolutions.
//!
//! A tile of pixels and one or two blocks of 16 output channels are accumulated in registers, over input channels and
//! taps in a fixed order with fused multiply-adds, so that results have the same bits at every SIMD level.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x16};

use super::tensor::{Block, LANES, Tensor, stride};
use super::weights::Layer;

/// Weights of 16 input and 16 output channels: `[input][output]`.
type Matrix = [Block; LANES];

/// Weights of a square kernel for the channels of one tensor.
struct Kernel {
    /// Taps along one axis.
    size: usize,
    /// Blocks of input channels.
    inputs: usize,
    /// By block of output channels, block of input channels, and tap.
    matrices: Vec<Matrix>,
}

impl Kernel {
    /// Packs weights.
    ///
    /// * `weight` — the weight of an output channel, an input channel and a tap (y, x).
    fn new(
        outputs: usize,
        inputs: Range<usize>,
        size: usize,
        weight: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Self {
        let (out_blocks, in_blocks) = (outputs.div_ceil(LANES), inputs.len().div_ceil(LANES));
        let mut matrices = vec![[[0.0; LANES]; LANES]; out_blocks * in_blocks * size * size];
        for (o, i) in (0..outputs).flat_map(|o| (0..inputs.len()).map(move |i| (o, i))) {
            for tap in 0..size * size {
                let matrix = ((o / LANES) * in_blocks + i / LANES) * size * size + tap;
                matrices[matrix][i % LANES][o % LANES] = weight(o, inputs.start + i, tap / size, tap % size);
            }
        }
        Self { size, inputs: in_blocks, matrices }
    }
}

/// A convolution with bias, ready to run.
pub(super) struct Convolution {
    bias: Vec<Block>,
    kernel: Kernel,
    /// Kernels of the part of the input that has half the resolution, by parity of y and x of the output.
    doubled: Vec<Kernel>,
    relu: bool,
}

impl Convolution {
    /// Packs a layer.
    pub(super) fn new(layer: &Layer, relu: bool) -> Self {
        let kernel =
            Kernel::new(layer.outputs, 0..layer.inputs, layer.size, |o, i, y, x| layer.weight(o, i, y, x));
        Self { bias: bias(layer), kernel, doubled: Vec::new(), relu }
    }

    /// Packs a layer of 3×3 taps whose first `doubled` input channels have half the resolution.
    ///
    /// Each of those pixels is seen as 2×2 equal ones, so 3×3 taps see 2×2 different pixels; the weights of the taps
    /// that see the same pixel are added. Which ones those are depends on the parity of the coordinates.
    pub(super) fn new_joined(layer: &Layer, doubled: usize) -> Self {
        let weight = |o, i, y, x| layer.weight(o, i, y, x);
        let kernel = Kernel::new(layer.outputs, doubled..layer.inputs, layer.size, weight);
        let parities = (0..4).map(|parity| {
            Kernel::new(layer.outputs, 0..doubled, 2, |o, i, y, x| {
                let (rows, columns) = (taps(parity / 2, y), taps(parity % 2, x));
                rows.flat_map(|y| columns.clone().map(move |x| (y, x))).map(|(y, x)| weight(o, i, y, x)).sum()
            })
        });
        Self { bias: bias(layer), doubled: parities.collect(), kernel, relu: true }
    }

    /// Returns the number of blocks of output channels.
    pub(super) fn blocks(&self) -> usize {
        self.bias.len()
    }

    /// Convolves a tensor; outside of it, everything is 0.
    pub(super) fn run(&self, level: Level, source: &Tensor) -> Tensor {
        let mut out = Tensor::new(source.width(), source.height(), self.blocks());
        out.for_each_row(|y, rows| {
            dispatch!(level, simd => self.run_row(simd, source, y, 0..self.blocks(), rows));
        });
        out
    }

    /// Convolves some blocks of output channels for one row. Its borders are overwritten.
    #[inline(always)]
    pub(super) fn run_row<S: Simd>(
        &self,
        simd: S,
        source: &Tensor,
        y: usize,
        blocks: Range<usize>,
        out: &mut [Block],
    ) {
        // A kernel of one tap begins at the pixel, that of three taps in the border
        let start = usize::from(self.kernel.size == 1);
        let part = Part { source, kernel: &self.kernel, y: y + start, x: start };
        let target =
            Target { blocks, count: source.width(), stride: stride(source.width()), first: 1, step: 1 };
        self.run_tiles(simd, &part, None, &target, out);
    }

    /// Convolves the channels of two tensors, of which `low` has half the resolution.
    pub(super) fn run_joined(&self, level: Level, low: &Tensor, skip: &Tensor) -> Tensor {
        let mut out = Tensor::new(skip.width(), skip.height(), self.blocks());
        out.for_each_row(|y, rows| {
            dispatch!(level, simd => self.run_joined_row(simd, low, skip, y, rows));
        });
        out
    }

    #[inline(always)]
    fn run_joined_row<S: Simd>(&self, simd: S, low: &Tensor, skip: &Tensor, y: usize, out: &mut [Block]) {
        for parity in 0..2 {
            let kernel = &self.doubled[2 * (y % 2) + parity];
            let first = Part { source: low, kernel, y: y / 2 + y % 2, x: parity };
            let second = Part { source: skip, kernel: &self.kernel, y, x: parity };
            let target = Target {
                blocks: 0..self.blocks(),
                count: low.width(),
                stride: stride(skip.width()),
                first: 1 + parity,
                step: 2,
            };
            self.run_tiles(simd, &first, Some(&second), &target, out);
        }
    }

    /// Covers a row with tiles that fit in the registers.
    #[inline(always)]
    fn run_tiles<S: Simd>(
        &self,
        simd: S,
        first: &Part,
        second: Option<&Part>,
        target: &Target,
        out: &mut [Block],
    ) {
        let mut block = target.blocks.start;
        while block < target.blocks.end {
            match S::f32s::LEN {
                16 if block + 1 < target.blocks.end => {
                    self.run_blocks::<S, 12, 2>(simd, first, second, target, block, out);
                    block += 2;
                }
                16 => {
                    self.run_blocks::<S, 12, 1>(simd, first, second, target, block, out);
                    block += 1;
                }
                8 => {
                    self.run_blocks::<S, 6, 1>(simd, first, second, target, block, out);
                    block += 1;
                }
                _ => {
                    self.run_blocks::<S, 3, 1>(simd, first, second, target, block, out);
                    block += 1;
                }
            }
        }
    }

    /// Convolves `B` blocks of output channels in tiles of `P` pixels.
    #[inline(always)]
    fn run_blocks<S: Simd, const P: usize, const B: usize>(
        &self,
        simd: S,
        first: &Part,
        second: Option<&Part>,
        target: &Target,
        block: usize,
        out: &mut [Block],
    ) {
        for x in (0..target.count).step_by(P) {
            let mut sums = [[f32x16::splat(simd, 0.0); B]; P];
            for pixel in &mut sums {
                for (b, sum) in pixel.iter_mut().enumerate() {
                    *sum = f32x16::load_array_ref(simd, &self.bias[block + b]);
                }
            }
            accumulate::<S, P, B, 1>(simd, &mut sums, first, x, block);
            if let Some(second) = second {
                accumulate::<S, P, B, 2>(simd, &mut sums, second, 2 * x, block);
            }
            for (p, pixel) in sums.into_iter().enumerate() {
                for (b, sum) in pixel.into_iter().enumerate() {
                    let sum = if self.relu { sum.max(0.0) } else { sum };
                    let row = (block + b - target.blocks.start) * target.stride;
                    sum.store_array(&mut out[row + target.first + (x + p) * target.step]);
                }
            }
        }
    }
}

/// Returns the indices of those of three taps that see the same doubled pixel.
///
/// * `parity` — of the coordinate of the output; `pixel` — 0 or 1, the first or second of the pixels that are seen.
fn taps(parity: usize, pixel: usize) -> Range<usize> {
    match (parity, pixel) {
        (0, 0) => 0..1,
        (0, _) => 1..3,
        (_, 0) => 0..2,
        _ => 2..3,
    }
}

fn bias(layer: &Layer) -> Vec<Block> {
    let mut bias = vec![[0.0; LANES]; layer.outputs.div_ceil(LANES)];
    for (o, &value) in layer.bias.iter().enumerate() {
        bias[o / LANES][o % LANES] = value;
    }
    bias
}

/// Pixels of an input and the weights for them.
struct Part<'a> {
    source: &'a Tensor,
    kernel: &'a Kernel,
    /// Row of the first tap, borders included.
    y: usize,
    /// Column of the first tap for the first output, borders included.
    x: usize,
}

/// Outputs to write.
struct Target {
    blocks: Range<usize>,
    /// Number of outputs in a row.
    count: usize,
    /// Length of the row of a block.
    stride: usize,
    /// Column of the first output.
    first: usize,
    /// Distance of outputs.
    step: usize,
}

/// Adds the products of the input and the weights to the sums of a tile, whose pixels are `STEP` apart.
#[inline(always)]
fn accumulate<S: Simd, const P: usize, const B: usize, const STEP: usize>(
    simd: S,
    sums: &mut [[f32x16<S>; B]; P],
    part: &Part,
    x: usize,
    block: usize,
) {
    let Kernel { size, inputs, ref matrices } = *part.kernel;
    let taps = size * size;
    let mut local = *sums;
    for input in 0..inputs {
        for ky in 0..size {
            let row = part.source.row(part.y + ky, input);
            for kx in 0..size {
                let pixels = &row[part.x + x + kx..][..(P - 1) * STEP + 1];
                let mut weights = [&matrices[0]; B];
                for (b, weights) in weights.iter_mut().enumerate() {
                    *weights = &matrices[((block + b) * inputs + input) * taps + ky * size + kx];
                }
                for channel in 0..LANES {
                    let mut w = [f32x16::splat(simd, 0.0); B];
                    for b in 0..B {
                        w[b] = f32x16::load_array_ref(simd, &weights[b][channel]);
                    }
                    for p in 0..P {
                        let value = f32x16::splat(simd, pixels[p * STEP][channel]);
                        for b in 0..B {
                            local[p][b] = value.mul_add_precise(w[b], local[p][b]);
                        }
                    }
                }
            }
        }
    }
    *sums = local;
}
