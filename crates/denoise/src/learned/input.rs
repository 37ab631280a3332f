//! The input of the network and of the filter.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_constants::denoise::{self, BLACK_LUMINANCE, LEAST_ALBEDO, MIDDLE_GREY, MOST_IRRADIANCE};
use sunfleck_image::color::luminance;
use sunfleck_math::{Vec3, exp, log};

use super::tensor::{Block, LANES, Tensor, stride};
use super::{ALIGNMENT, INPUTS};
use crate::NoisyImage;
use crate::demodulation::{divisor, valid};
use crate::noisy_image::finite;
use crate::planes::{BORDER, Planes, reflected};

/// Width and height of the blocks whose luminances are averaged.
const METERING_BLOCK_EDGE: usize = denoise::METERING_BLOCK_EDGE as usize;

/// A noisy image and its scales.
pub(super) struct Input<'a> {
    pub(super) image: NoisyImage<'a>,
    /// Factor of radiance.
    scale: f32,
    /// Mean depth.
    depth: f32,
}

impl<'a> Input<'a> {
    pub(super) fn new(image: &NoisyImage<'a>) -> Self {
        Self { image: *image, scale: exposure(image), depth: mean_depth(image) }
    }

    /// Returns the logarithm of 1 + irradiance in the first three planes, padded by reflection.
    pub(super) fn irradiance(&self, level: Level) -> Planes<4> {
        let (width, height) = (self.image.width() as usize, self.image.height() as usize);
        let mut irradiance =
            Planes::new(width.next_multiple_of(ALIGNMENT), height.next_multiple_of(ALIGNMENT));
        irradiance.for_each_row(|y, rows| {
            let y = reflected(y, height);
            dispatch!(level, simd => irradiance_row(simd, &self.image, self.scale, y, rows));
        });
        irradiance
    }

    /// Returns the features of 2×2 pixels as channels: 4 times the index of a feature, plus 2 y, plus x.
    pub(super) fn channels(&self, level: Level, irradiance: &Planes<4>) -> Tensor {
        let (width, height) = (irradiance.width() / 2, irradiance.height() / 2);
        let mut channels = Tensor::new(width, height, INPUTS.div_ceil(LANES));
        channels.for_each_row(|y, rows| {
            dispatch!(level, simd => self.channels_row(simd, irradiance, y, rows));
        });
        channels
    }

    /// Inverts the transformation of irradiance for pixel `i` of the image.
    #[inline(always)]
    pub(super) fn radiance(&self, i: usize, irradiance: [f32; 3]) -> Vec3 {
        let [r, g, b] = irradiance;
        let irradiance = Vec3::new(exp(r) - 1.0, exp(g) - 1.0, exp(b) - 1.0);
        (irradiance * albedo_divisor(&self.image, i) / self.scale).min(Vec3::MAX)
    }

    #[inline(always)]
    fn channels_row<S: Simd>(&self, simd: S, irradiance: &Planes<4>, y: usize, rows: &mut [Block]) {
        let (width, height) = (self.image.width() as usize, self.image.height() as usize);
        let stride = stride(irradiance.width() / 2);
        for half in 0..2 {
            let from = irradiance.row(2 * y + half);
            let first = reflected(2 * y + half, height) * width;
            simd.vectorize(
                #[inline(always)]
                || {
                    for x in 0..irradiance.width() {
                        let [r, g, b, _] = from;
                        let at = BORDER + x;
                        let features =
                            self.features(first + reflected(x, width), Vec3::new(r[at], g[at], b[at]));
                        for (feature, value) in features.into_iter().enumerate() {
                            let block = &mut rows[feature / 4 * stride + x / 2 + 1];
                            block[feature % 4 * 4 + 2 * half + x % 2] = value;
                        }
                    }
                },
            );
        }
    }

    /// Returns the features of pixel `i` of the image, whose transformed irradiance is known.
    #[inline(always)]
    fn features(&self, i: usize, t: Vec3) -> [f32; INPUTS / 4] {
        let image = &self.image;
        let albedo = image.albedo().get(i).map_or(Vec3::ONE, |&albedo| valid(albedo));
        let normal = finite(image.normal().get(i).copied().unwrap_or(Vec3::ZERO));
        let depth = image.depth().get(i).copied().unwrap_or(0.0);
        let nearness = if is_surface(depth) { 1.0 / (1.0 + depth / self.depth) } else { 0.0 };
        let variance = image.variance().get(i).copied().unwrap_or(0.0);
        let variance = if variance > 0.0 && variance.is_finite() { variance } else { 0.0 };
        let deviation =
            (self.scale * variance.sqrt() / (luminance(albedo) + LEAST_ALBEDO)).min(MOST_IRRADIANCE);
        let noise = log(1.0 + deviation) / (1.0 + luminance(t));
        [t.x, t.y, t.z, albedo.x, albedo.y, albedo.z, normal.x, normal.y, normal.z, nearness, noise]
    }
}

#[inline(always)]
fn irradiance_row<S: Simd>(simd: S, image: &NoisyImage, scale: f32, y: usize, [r, g, b, _]: [&mut [f32]; 4]) {
    let width = image.width() as usize;
    let padded = width.next_multiple_of(ALIGNMENT);
    let [r, g, b] = [r, g, b].map(|row| &mut row[BORDER..BORDER + padded]);
    let radiance = &image.radiance()[y * width..][..width];
    simd.vectorize(
        #[inline(always)]
        || {
            for x in 0..width {
                let divisor = albedo_divisor(image, y * width + x);
                let scaled = finite(radiance[x]).max(Vec3::ZERO) * scale / divisor;
                [r[x], g[x], b[x]] = scaled.min(Vec3::splat(MOST_IRRADIANCE)).to_array();
            }
            for row in [&mut *r, &mut *g, &mut *b] {
                for value in &mut row[..width] {
                    *value = log(1.0 + *value);
                }
                for x in width..padded {
                    row[x] = row[reflected(x, width)];
                }
            }
        },
    );
}

#[inline(always)]
fn albedo_divisor(image: &NoisyImage, i: usize) -> Vec3 {
    divisor(image.albedo().get(i).copied().unwrap_or(Vec3::ONE))
}

#[inline(always)]
fn is_surface(depth: f32) -> bool {
    depth > 0.0 && depth.is_finite()
}

/// Returns the factor of radiance that makes the geometric mean of the luminances of blocks that are not black a middle
/// grey; 1 if all are black.
fn exposure(image: &NoisyImage) -> f32 {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let rows: Vec<(f64, u32)> = (0..height.div_ceil(METERING_BLOCK_EDGE))
        .into_par_iter()
        .map(|row| {
            let mut sums = vec![0.0f64; width.div_ceil(METERING_BLOCK_EDGE)];
            let rows = row * METERING_BLOCK_EDGE..height.min((row + 1) * METERING_BLOCK_EDGE);
            for y in rows.clone() {
                for (sum, pixels) in
                    sums.iter_mut().zip(image.radiance()[y * width..][..width].chunks(METERING_BLOCK_EDGE))
                {
                    *sum +=
                        pixels.iter().map(|&p| f64::from(luminance(finite(p).max(Vec3::ZERO)))).sum::<f64>();
                }
            }
            let means = sums.iter().enumerate().map(|(i, sum)| {
                let count = rows.len() * METERING_BLOCK_EDGE.min(width - i * METERING_BLOCK_EDGE);
                #[expect(clippy::cast_possible_truncation, reason = "its logarithm is rounded to f32 anyway")]
                let mean = (sum / count as f64) as f32;
                mean
            });
            let lit = means.filter(|&mean| mean > BLACK_LUMINANCE && mean.is_finite());
            lit.fold((0.0, 0), |(sum, count), mean| (sum + f64::from(log(mean)), count + 1))
        })
        .collect();
    let (sum, count) = rows.iter().fold((0.0, 0), |(sum, count), row| (sum + row.0, count + row.1));
    if count == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a scale")]
    let mean = (sum / f64::from(count)) as f32;
    MIDDLE_GREY / exp(mean)
}

/// Returns the mean depth of the surfaces; 1 if there are none.
fn mean_depth(image: &NoisyImage) -> f32 {
    let surfaces = || image.depth().iter().filter(|&&depth| is_surface(depth));
    let count = surfaces().count();
    if count == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 is in their range")]
    let mean = (surfaces().map(|&depth| f64::from(depth)).sum::<f64>() / count as f64) as f32;
    mean
}
