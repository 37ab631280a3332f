//! The discontinuity buffer [Wald03, §12]: neighbours lit by other sets of VPLs share their irradiance if they see the same
//! surface. Over a window as large as the pattern of sets, every set has the same weight, and the structured noise is gone.
//!
//! Irradiance is filtered, not radiance: textures stay as sharp as they are.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x16};
use rayon::prelude::*;
use sunfleck_image::TileRect;
use sunfleck_math::{Vec3, vec3};

use super::tile_light::{EdgeSample, Surface, TileLight};
use crate::vectors::{LANES, V, dot};

/// Normals of one surface agree at least so well: cosine.
pub(super) const LEAST_COS: f32 = 0.9;
/// Distances of one surface differ by no more than this share for each pixel.
pub(super) const STEP: f32 = 0.02;

/// What the filter looks at: the numbers of each pixel, row by row, in each row number by number, with a border all around.
#[derive(Debug)]
pub(super) struct Features {
    /// Pixels of a row.
    stride: usize,
    floats: Vec<f32>,
    /// Whether there are highlights at all.
    highlights: bool,
    /// For each row of the film the samples of pixels on edges, with their columns, which increase.
    edges: Vec<Vec<(u32, EdgeSample)>>,
}

/// Where the three of each kind begin, and the numbers that stand alone.
const REFLECTED: usize = 0;
const HIGHLIGHT: usize = 3;
const WEIGHT: usize = 6;
const NS: usize = 9;
const DISTANCE: usize = 12;
/// [`Surface::id`].
const SURFACE: usize = 13;
const NUMBERS: usize = 14;

/// Pixels around the film, enough for the largest window; what a whole vector reads beyond it is not used.
const BORDER: usize = 8;

impl Features {
    pub(super) fn new([width, height]: [u32; 2], tiles: &[TileLight]) -> Self {
        let stride = width as usize + 2 * BORDER;
        let mut floats = vec![0.0f32; stride * NUMBERS * (height as usize + 2 * BORDER)];
        let fill = |(y, row): (usize, &mut [f32])| {
            let y = u32::try_from(y).unwrap_or(u32::MAX);
            for tile in tiles.iter().filter(|tile| (tile.rect.y0..tile.rect.y1).contains(&y)) {
                let first = tile.rect.width() as usize * (y - tile.rect.y0) as usize;
                let pixels = &tile.pixels[first..][..tile.rect.width() as usize];
                for (pixel, x) in pixels.iter().zip(tile.rect.x0 as usize + BORDER..) {
                    // Light of several surfaces is of no use to neighbours
                    let Some(surface) = pixel.surface.filter(|_| pixel.pure) else { continue };
                    for c in 0..3 {
                        row[(REFLECTED + c) * stride + x] = pixel.reflected[c];
                        row[(HIGHLIGHT + c) * stride + x] = pixel.highlight[c];
                        row[(WEIGHT + c) * stride + x] = pixel.weight[c];
                        row[(NS + c) * stride + x] = surface.ns[c];
                    }
                    row[DISTANCE * stride + x] = surface.distance;
                    row[SURFACE * stride + x] = surface.id as f32;
                }
            }
        };
        let rows = floats.par_chunks_exact_mut(stride * NUMBERS).skip(BORDER).take(height as usize);
        rows.enumerate().for_each(fill);
        let shines = |tile: &TileLight| tile.pixels.iter().any(|pixel| pixel.highlight != Vec3::ZERO);
        let mut edges = vec![Vec::new(); height as usize];
        for TileLight { rect, edges: of_tile, .. } in tiles {
            for edge in of_tile {
                let (x, y) = (rect.x0 + edge.pixel % rect.width(), rect.y0 + edge.pixel / rect.width());
                edges[y as usize].push((x, *edge));
            }
        }
        edges.par_iter_mut().for_each(|row| row.sort_by_key(|(column, _)| *column));
        Self { stride, floats, highlights: tiles.par_iter().any(shines), edges }
    }

    /// The surface at a place; none continues it where there is none.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers below 2²⁴")]
    fn surface_at(&self, at: usize) -> Surface {
        let number = |number: usize| self.floats[at + number * self.stride];
        Surface { ns: self.vector(NS, at), distance: number(DISTANCE), id: number(SURFACE) as u32 }
    }

    /// Light and weight of the pixels around one that see a surface alone.
    fn of_pixels(&self, x: u32, y: u32, radius: usize, surface: &Surface) -> (Vec3, Vec3) {
        let start = self.at(x, y) - radius * self.row() - radius;
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        for row in 0..=2 * radius {
            for at in (start + row * self.row()..).take(2 * radius + 1) {
                let likely = self.floats[at + SURFACE * self.stride] == surface.id as f32;
                if likely && self.surface_at(at).continues(surface, radius as f32) {
                    reflected += self.vector(REFLECTED, at);
                    weight += self.vector(WEIGHT, at);
                }
            }
        }
        (reflected, weight)
    }

    /// Light and weight of the samples around a pixel that see a surface beside others.
    fn of_samples(&self, x: u32, y: u32, radius: usize, surface: &Surface) -> (Vec3, Vec3) {
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        let rows = (y as usize).saturating_sub(radius)..=(y as usize + radius).min(self.edges.len() - 1);
        for edges in &self.edges[rows] {
            let first = edges.partition_point(|(column, _)| (*column as usize + radius) < x as usize);
            let around =
                edges[first..].iter().take_while(|(column, _)| *column as usize <= x as usize + radius);
            for (_, sample) in around.filter(|(_, sample)| sample.surface.continues(surface, radius as f32)) {
                reflected += sample.reflected;
                weight += sample.weight;
            }
        }
        (reflected, weight)
    }

    fn vector(&self, first: usize, at: usize) -> Vec3 {
        let number = |number: usize| self.floats[at + number * self.stride];
        vec3(number(first), number(first + 1), number(first + 2))
    }

    fn at(&self, x: u32, y: u32) -> usize {
        (y as usize + BORDER) * self.row() + x as usize + BORDER
    }

    /// From a pixel to the one below.
    fn row(&self) -> usize {
        self.stride * NUMBERS
    }
}

/// The radiance of each tile's pixels after filtering.
///
/// * `radius` — the window reaches so many pixels to each side; 0 leaves all as it is.
pub(super) fn filter(level: Level, features: &Features, radius: u32, tiles: &[TileLight]) -> Vec<Vec<Vec3>> {
    let of_tile = |tile: &TileLight| {
        let mut filtered = dispatch!(level, simd => filter_tile(simd, features, radius as usize, tile.rect));
        for edge in tile.edges.chunk_by(|a, b| a.pixel == b.pixel) {
            filtered[edge[0].pixel as usize] = filter_edge(features, radius as usize, tile, edge);
        }
        tile.pixels.iter().zip(filtered).map(|(pixel, filtered)| pixel.radiance + filtered).collect()
    };
    tiles.par_iter().map(of_tile).collect()
}

/// Reflected light and highlights of the pixels of a tile.
#[inline(always)]
fn filter_tile<S: Simd>(simd: S, features: &Features, radius: usize, rect: TileRect) -> Vec<Vec3> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut filtered = Vec::with_capacity(rect.area());
            for y in rect.y0..rect.y1 {
                for x in (rect.x0..rect.x1).step_by(LANES) {
                    let [r, g, b] = filter_block(simd, features, radius, features.at(x, y));
                    let (r, g, b) = (r.to_array(), g.to_array(), b.to_array());
                    let count = ((rect.x1 - x) as usize).min(LANES);
                    filtered.extend((0..count).map(|i| vec3(r[i], g[i], b[i])));
                }
            }
            filtered
        },
    )
}

/// Pixels side by side: the mean of highlights over all neighbours on the same surface, and the pixel's own weight times
/// their irradiance, which is their reflected light over their weight.
#[inline(always)]
fn filter_block<S: Simd>(simd: S, features: &Features, radius: usize, at: usize) -> V<S> {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    let load = |number: usize, at: usize| {
        let at = at + number * features.stride;
        f32x16::from_slice(simd, &features.floats[at..at + LANES])
    };
    let three = |first: usize, at: usize| [load(first, at), load(first + 1, at), load(first + 2, at)];
    let (here, distance, surface) = (three(NS, at), load(DISTANCE, at), load(SURFACE, at));
    let tolerance = distance * f32x16::splat(simd, STEP * (radius as f32 + 1.0));
    let (mut reflected, mut highlight, mut weight) = ([zero; 3], [zero; 3], [zero; 3]);
    let mut count = zero;
    for row in 0..=2 * radius {
        let start = at + row * features.row() - radius * features.row() - radius;
        for at in start..=start + 2 * radius {
            let same = dot(here, three(NS, at)).simd_ge(f32x16::splat(simd, LEAST_COS))
                & (load(DISTANCE, at) - distance).abs().simd_le(tolerance)
                & load(SURFACE, at).simd_eq(surface);
            for c in 0..3 {
                reflected[c] += same.select(load(REFLECTED + c, at), zero);
                weight[c] += same.select(load(WEIGHT + c, at), zero);
            }
            if features.highlights {
                count += same.select(one, zero);
                for (c, highlight) in highlight.iter_mut().enumerate() {
                    *highlight += same.select(load(HIGHLIGHT + c, at), zero);
                }
            }
        }
    }
    let total = |c: usize| {
        let irradiance = weight[c].simd_gt(zero).select(reflected[c] / weight[c], zero);
        let highlight = count.simd_gt(zero).select(highlight[c] / count, zero);
        load(WEIGHT + c, at) * irradiance + highlight
    };
    [total(0), total(1), total(2)]
}

/// A pixel whose samples meet several surfaces: each takes its irradiance from the pixels around that see its surface alone. Where there
/// is none, from single samples of the pixels around that see it too.
fn filter_edge(features: &Features, radius: usize, tile: &TileLight, samples: &[EdgeSample]) -> Vec3 {
    let pixel = samples[0].pixel;
    let own = &tile.pixels[pixel as usize];
    let (x, y) = (tile.rect.x0 + pixel % tile.rect.width(), tile.rect.y0 + pixel / tile.rect.width());
    let mut sum = own.highlight;
    if radius == 0 {
        return sum + own.reflected;
    }
    let mut around = (Vec3::ZERO, Vec3::ZERO);
    for (i, sample) in samples.iter().enumerate() {
        let known = i > 0 && samples[i - 1].surface.continues(&sample.surface, 0.0);
        if !known {
            around = features.of_pixels(x, y, radius, &sample.surface);
            if around.1 == Vec3::ZERO {
                around = features.of_samples(x, y, radius, &sample.surface);
            }
        }
        let (reflected, weight) = around;
        for c in 0..3 {
            sum[c] += if weight[c] > 0.0 { sample.weight[c] * reflected[c] / weight[c] } else { 0.0 };
        }
    }
    sum
}
