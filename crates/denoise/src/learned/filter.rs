//! Filters all resolutions with the predicted kernels, and blends them from coarse to fine.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_math::{Vec3, exp};

use super::convolution::Convolution;
use super::input::Input;
use super::pyramid::{Weighted, pyramid};
use super::tensor::{Block, LANES, Tensor, stride};
use super::{LEVELS, TAPS};
use crate::planes::{BORDER, Planes, replicate_border};

/// Distance of the farthest tap.
const RADIUS: usize = 2;
/// Pixels that are filtered together.
const CHUNK: usize = 32;

/// Result of a resolution.
type Filtered = Planes<3>;

/// Applies the heads to the features, and the kernels that they predict to the irradiance. Returns the radiance.
///
/// * `features` — of 1/2 to 1/16 of the resolution; `heads` — from the full to 1/16 of the resolution.
pub(super) fn filter(
    level: Level,
    input: &Input,
    irradiance: Weighted,
    features: &[Tensor],
    heads: &[Convolution],
) -> Vec<Vec3> {
    let images = pyramid(level, irradiance, &features[0], &heads[0], LEVELS);

    // From 1/16 to 1/2 of the resolution
    let mut coarse: Option<Filtered> = None;
    for l in (1..=LEVELS).rev() {
        let (features, head, image) = (&features[l - 1], &heads[l], &images[l]);
        let mut filtered = Filtered::new(image.width(), image.height());
        filtered.for_each_row_with(
            || Scratch::new(features, head, image.width()),
            |scratch, y, rows| {
                dispatch!(level, simd => {
                    head.run_row(simd, features, y, 0..head.blocks(), &mut scratch.outputs);
                    scratch.unpack(head.blocks(), features.width());
                    filter_row(simd, scratch, image, coarse.as_ref(), y, rows);
                });
            },
        );
        coarse = Some(filtered);
    }

    // The full resolution, without padding
    let (width, height) = (input.image.width() as usize, input.image.height() as usize);
    let mut out = vec![Vec3::ZERO; width * height];
    let scratch = || {
        let length = images[0].width() + 2 * BORDER;
        (Scratch::new(&features[0], &heads[0], images[0].width()), [(); 3].map(|()| vec![0.0; length]))
    };
    out.par_chunks_mut(2 * width).enumerate().for_each_init(scratch, |(scratch, rows), (y, out)| {
        dispatch!(level, simd => {
            heads[0].run_row(simd, &features[0], y, 0..heads[0].blocks(), &mut scratch.outputs);
            for (half, out) in out.chunks_exact_mut(width).enumerate() {
                let y = 2 * y + half;
                scratch.unpack_shuffled(features[0].width(), half);
                let [r, g, b] = rows;
                filter_row(simd, scratch, &images[0], coarse.as_ref(), y, [&mut *r, &mut *g, &mut *b]);
                radiance_row(simd, input, y * width, [r, g, b], out);
            }
        });
    });
    out
}

#[inline(always)]
fn radiance_row<S: Simd>(simd: S, input: &Input, first: usize, [r, g, b]: [&[f32]; 3], out: &mut [Vec3]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (x, out) in out.iter_mut().enumerate() {
                *out = input.radiance(first + x, [r[BORDER + x], g[BORDER + x], b[BORDER + x]]);
            }
        },
    );
}

/// Memory of one row of the filter.
struct Scratch {
    /// Outputs of a head: rows of blocks of channels.
    outputs: Vec<Block>,
    /// The same as planes of `length` pixels: the taps, and the blend weight.
    planes: Vec<f32>,
    length: usize,
    /// A row of the coarser result, and the same at twice the resolution.
    coarse: [Vec<f32>; 2],
}

impl Scratch {
    /// Allocates memory for an image of a width.
    fn new(features: &Tensor, head: &Convolution, width: usize) -> Self {
        let length = width.next_multiple_of(CHUNK);
        Self {
            outputs: vec![[0.0; LANES]; head.blocks() * stride(features.width())],
            planes: vec![0.0; (TAPS + 1) * length],
            length,
            coarse: [vec![0.0; length + 2 * BORDER], vec![0.0; length]],
        }
    }

    /// Unpacks outputs of the resolution of the features.
    fn unpack(&mut self, blocks: usize, width: usize) {
        let stride = stride(width);
        for channel in 0..(TAPS + 1).min(blocks * LANES) {
            let row = &self.outputs[channel / LANES * stride + 1..][..width];
            for (to, from) in self.planes[channel * self.length..].iter_mut().zip(row) {
                *to = from[channel % LANES];
            }
        }
    }

    /// Unpacks one of two rows of twice the resolution of the features.
    fn unpack_shuffled(&mut self, width: usize, half: usize) {
        let stride = stride(width);
        for channel in 0..=TAPS {
            let row = &self.outputs[channel / 4 * stride + 1..][..width];
            let first = channel % 4 * 4 + 2 * half;
            let plane = &mut self.planes[channel * self.length..][..2 * width];
            for (to, from) in plane.chunks_exact_mut(2).zip(row) {
                to.copy_from_slice(&from[first..first + 2]);
            }
        }
    }
}

/// Filters a row, and blends it with the coarser result, if there is one.
#[inline(always)]
fn filter_row<S: Simd>(
    simd: S,
    scratch: &mut Scratch,
    image: &Weighted,
    coarse: Option<&Filtered>,
    y: usize,
    rows: [&mut [f32]; 3],
) {
    let width = image.width();
    let taps: [[&[f32]; 4]; 2 * RADIUS + 1] =
        std::array::from_fn(|dy| image.row((y + dy).saturating_sub(RADIUS).min(image.height() - 1)));
    let [r, g, b] = rows;
    for x in (0..width).step_by(CHUNK) {
        let mut sums = [[0.0; CHUNK]; 3];
        simd.vectorize(
            #[inline(always)]
            || filter_chunk(&scratch.planes, scratch.length, &taps, x, &mut sums),
        );
        for (row, sum) in [&mut *r, &mut *g, &mut *b].into_iter().zip(&sums) {
            row[BORDER + x..][..CHUNK].copy_from_slice(sum);
        }
    }
    if let Some(coarse) = coarse {
        let Scratch { planes, length, coarse: [mixed, doubled], .. } = scratch;
        let blend = &mut planes[TAPS * *length..][..width];
        simd.vectorize(
            #[inline(always)]
            || {
                for blend in blend.iter_mut() {
                    *blend = 1.0 / (1.0 + exp(-*blend));
                }
            },
        );
        for (channel, row) in [&mut *r, &mut *g, &mut *b].into_iter().enumerate() {
            simd.vectorize(
                #[inline(always)]
                || {
                    double_row(coarse, channel, y, mixed, doubled);
                    for ((value, &coarse), &blend) in row[BORDER..].iter_mut().zip(&*doubled).zip(&*blend) {
                        *value = blend * *value + (1.0 - blend) * coarse;
                    }
                },
            );
        }
    }
    for row in [r, g, b] {
        replicate_border(row, width);
    }
}

/// Filters some pixels with normalised exponentials as weights.
#[inline(always)]
fn filter_chunk(
    planes: &[f32],
    length: usize,
    taps: &[[&[f32]; 4]; 2 * RADIUS + 1],
    x: usize,
    sums: &mut [[f32; CHUNK]; 3],
) {
    // The largest logit, so that exponentials do not overflow
    let mut most = [f32::MIN; CHUNK];
    for plane in planes.chunks_exact(length).take(TAPS) {
        for (most, &logit) in most.iter_mut().zip(&plane[x..x + CHUNK]) {
            *most = if logit > *most { logit } else { *most };
        }
    }
    let mut total = [0.0; CHUNK];
    let [red, green, blue] = sums;
    for (tap, plane) in planes.chunks_exact(length).take(TAPS).enumerate() {
        let at = BORDER + x + tap % (2 * RADIUS + 1) - RADIUS;
        let [r, g, b, weight] = taps[tap / (2 * RADIUS + 1)].map(|row| &row[at..at + CHUNK]);
        let logits = &plane[x..x + CHUNK];
        for i in 0..CHUNK {
            let w = exp(logits[i] - most[i]) * weight[i];
            total[i] += w;
            red[i] += w * r[i];
            green[i] += w * g[i];
            blue[i] += w * b[i];
        }
    }
    for i in 0..CHUNK {
        let scale = 1.0 / total[i];
        red[i] *= scale;
        green[i] *= scale;
        blue[i] *= scale;
    }
}

/// Interpolates a row of twice the resolution bilinearly between the centres of pixels.
///
/// * `mixed` — memory for a row between two of the coarse image; `doubled` — the result.
#[inline(always)]
fn double_row(coarse: &Filtered, channel: usize, y: usize, mixed: &mut [f32], doubled: &mut [f32]) {
    let width = coarse.width();
    let near = coarse.row(y / 2)[channel];
    let far =
        if y.is_multiple_of(2) { (y / 2).saturating_sub(1) } else { (y / 2 + 1).min(coarse.height() - 1) };
    let far = coarse.row(far)[channel];
    // With one pixel of the border on both sides
    let mixed = &mut mixed[..width + 2];
    for ((mixed, &near), &far) in mixed.iter_mut().zip(&near[BORDER - 1..]).zip(&far[BORDER - 1..]) {
        *mixed = 0.75 * near + 0.25 * far;
    }
    for (pair, mixed) in doubled.chunks_exact_mut(2).zip(mixed.windows(3)) {
        pair[0] = 0.75 * mixed[1] + 0.25 * mixed[0];
        pair[1] = 0.75 * mixed[1] + 0.25 * mixed[2];
    }
}
