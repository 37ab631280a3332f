//! The irradiance at all resolutions.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use sunfleck_constants::denoise::{LEAST_CONFIDENCE, MOST_CONFIDENCE};
use sunfleck_math::exp;

use super::TAPS;
use super::convolution::Convolution;
use super::tensor::{Block, LANES, Tensor, stride};
use crate::planes::{BORDER, Planes, replicate_border};

/// First output of the head that is a weight as a neighbour, of the upper left of 2×2 pixels.
const FIRST: usize = 4 * (TAPS + 1);

/// Three components of transformed irradiance, and the weight of the pixel as a neighbour.
pub(super) type Weighted = Planes<4>;

/// Returns the images of all resolutions, the full one first.
///
/// A pixel of a coarser image is the weighted average of 2×2 pixels, and has the average of their weights.
///
/// * `irradiance` — three planes of the full resolution; `features` and `head` — what the weights follow from.
pub(super) fn pyramid(
    level: Level,
    mut irradiance: Weighted,
    features: &Tensor,
    head: &Convolution,
    coarser: usize,
) -> Vec<Weighted> {
    let width = irradiance.width();
    irradiance.for_each_row_with(
        || vec![[0.0; LANES]; stride(features.width())],
        |scratch, y, rows| dispatch!(level, simd => weigh(simd, features, head, scratch, y, width, rows)),
    );
    let mut images = vec![irradiance];
    for l in 0..coarser {
        let next = halved(level, &images[l]);
        images.push(next);
    }
    images
}

/// Writes the weights of a row of the full resolution, and extends all planes into the border.
#[inline(always)]
fn weigh<S: Simd>(
    simd: S,
    features: &Tensor,
    head: &Convolution,
    scratch: &mut [Block],
    y: usize,
    width: usize,
    rows: [&mut [f32]; 4],
) {
    let block = FIRST / LANES;
    head.run_row(simd, features, y / 2, block..block + 1, scratch);
    let weights = &mut *rows[3];
    let weights = &mut weights[BORDER..BORDER + width];
    for (x, weight) in weights.iter_mut().enumerate() {
        *weight = scratch[1 + x / 2][FIRST % LANES + 2 * (y % 2) + x % 2];
    }
    simd.vectorize(
        #[inline(always)]
        || {
            for weight in weights {
                *weight = exp(weight.clamp(LEAST_CONFIDENCE, MOST_CONFIDENCE));
            }
        },
    );
    for row in rows {
        replicate_border(row, width);
    }
}

/// Returns the image of half the resolution.
fn halved(level: Level, finer: &Weighted) -> Weighted {
    let mut coarser = Weighted::new(finer.width() / 2, finer.height() / 2);
    let width = coarser.width();
    coarser.for_each_row(|y, rows| {
        dispatch!(level, simd => halved_row(simd, finer.row(2 * y), finer.row(2 * y + 1), width, rows));
    });
    coarser
}

#[inline(always)]
fn halved_row<S: Simd>(
    simd: S,
    above: [&[f32]; 4],
    below: [&[f32]; 4],
    width: usize,
    [r, g, b, weight]: [&mut [f32]; 4],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for x in 0..width {
                let at = BORDER + 2 * x;
                let [w00, w01, w10, w11] = [above[3][at], above[3][at + 1], below[3][at], below[3][at + 1]];
                let sum = (w00 + w01) + (w10 + w11);
                weight[BORDER + x] = 0.25 * sum;
                let channels = [(above[0], below[0]), (above[1], below[1]), (above[2], below[2])];
                for ((above, below), out) in channels.into_iter().zip([&mut *r, &mut *g, &mut *b]) {
                    let upper = w00 * above[at] + w01 * above[at + 1];
                    let lower = w10 * below[at] + w11 * below[at + 1];
                    out[BORDER + x] = (upper + lower) / sum;
                }
            }
        },
    );
    for row in [r, g, b, weight] {
        replicate_border(row, width);
    }
}
