//! Dense matrix of form factors, applied to three channels at once.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};
use rayon::prelude::*;

use super::{Channels, FormFactors};

/// Rows are padded with zeros to a multiple of this length.
const LANES: usize = 16;
/// Rows that a thread takes at once.
const ROWS: usize = 32;

/// All form factors, one row after the other.
#[derive(Clone, Debug)]
pub struct DenseMatrix {
    values: Vec<f32>,
    /// Length of a row with its padding.
    stride: usize,
    rows: usize,
}

/// Channels padded to the length of rows.
pub(super) struct Padded([Vec<f32>; 3]);

impl Padded {
    pub(super) fn set(&mut self, patch: usize, value: [f32; 3]) {
        self.0.iter_mut().zip(value).for_each(|(channel, value)| channel[patch] = value);
    }
}

impl DenseMatrix {
    /// Returns all form factors.
    pub fn new(factors: &FormFactors) -> Self {
        let rows = factors.patch_count();
        let stride = rows.next_multiple_of(LANES);
        let mut values = vec![0.0; stride * rows];
        values.par_chunks_mut(stride.max(1)).enumerate().for_each(|(i, row)| {
            for link in factors.row(i) {
                row[link.patch as usize] = link.value;
            }
        });
        Self { values, stride, rows }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the size of the matrix, bytes.
    pub fn byte_count(&self) -> usize {
        size_of_val(self.values.as_slice())
    }

    /// Returns the form factors of a row, without padding.
    pub fn row(&self, row: usize) -> &[f32] {
        self.values.get(row * self.stride..).and_then(|rest| rest.get(..self.rows)).unwrap_or_default()
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f32 {
        self.values[row * self.stride + column]
    }

    pub(super) fn padded(&self, channels: &Channels) -> Padded {
        Padded(channels.planes().map(|channel| {
            let mut padded = channel.to_vec();
            padded.resize(self.stride, 0.0);
            padded
        }))
    }

    /// Multiplies with the channels. Sums have a fixed order, so that the result depends neither on threads nor on the
    /// SIMD level.
    pub fn apply(&self, level: Level, channels: &Channels, out: &mut Channels) {
        let input = self.padded(channels);
        let [red, green, blue] = out.planes_mut();
        let out = red.par_chunks_mut(ROWS).zip(green.par_chunks_mut(ROWS)).zip(blue.par_chunks_mut(ROWS));
        let blocks = self.values.par_chunks((self.stride * ROWS).max(1));
        blocks.zip(out).for_each(|(block, ((red, green), blue))| {
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || {
                apply_block(simd, block, self.stride, &input, [red, green, blue]);
            }));
        });
    }

    /// Returns the product of a row with the channels.
    #[inline(always)]
    pub(super) fn row_product<S: Simd>(&self, simd: S, row: usize, input: &Padded) -> [f32; 3] {
        let [product] = products(simd, [&self.values[row * self.stride..][..self.stride]], input);
        product
    }
}

#[inline(always)]
fn apply_block<S: Simd>(
    simd: S,
    block: &[f32],
    stride: usize,
    input: &Padded,
    [red, green, blue]: [&mut [f32]; 3],
) {
    let mut write = |row: usize, product: [f32; 3]| {
        [red[row], green[row], blue[row]] = product;
    };
    // Two rows at a time read the channels once
    let mut pairs = block.chunks_exact(2 * stride);
    let mut row = 0;
    for pair in &mut pairs {
        let (first, second) = pair.split_at(stride);
        let [a, b] = products(simd, [first, second], input);
        write(row, a);
        write(row + 1, b);
        row += 2;
    }
    if let Some(last) = pairs.remainder().get(..stride) {
        let [product] = products(simd, [last], input);
        write(row, product);
    }
}

/// Returns the products of rows with the three channels. Products are rounded before they are added, since fused
/// multiply-adds differ between SIMD levels.
#[inline(always)]
fn products<S: Simd, const R: usize>(simd: S, rows: [&[f32]; R], input: &Padded) -> [[f32; 3]; R] {
    let mut sums = [[f32x16::splat(simd, 0.0); 3]; R];
    let count = rows[0].len() / LANES;
    for chunk in 0..count {
        let range = chunk * LANES..(chunk + 1) * LANES;
        let channels = input.0.each_ref().map(
            #[inline(always)]
            |channel| f32x16::from_slice(simd, &channel[range.clone()]),
        );
        for (row, sums) in rows.iter().zip(&mut sums) {
            let factors = f32x16::from_slice(simd, &row[range.clone()]);
            for (sum, channel) in sums.iter_mut().zip(channels) {
                *sum += factors * channel;
            }
        }
    }
    sums.map(
        #[inline(always)]
        |of_row| {
            of_row.map(
                #[inline(always)]
                |sum| lane_sum(simd, sum),
            )
        },
    )
}

/// Adds the lanes in pairs.
#[inline(always)]
fn lane_sum<S: Simd>(_: S, lanes: f32x16<S>) -> f32 {
    let mut lanes: [f32; LANES] = lanes.into();
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}
