//! The discontinuity buffer [Wald03, §12]: averages the irradiance of neighbouring pixels, which other sets of VPLs
//! light, if they see the same surface. In a window as large as the pattern of sets, every set has the same weight, so
//! the structured noise is removed.
//!
//! The filter works on irradiance instead of radiance, so textures stay sharp.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x16};
use sunfleck_constants::igi::{LEAST_COS, STEP};
use sunfleck_image::TileRect;
use sunfleck_math::{Vec3, vec3};
use sunfleck_transport::vectors::{LANES, V, dot};

use super::window::FilterWindow;
use crate::tile_light::{DISTANCE, EdgeSample, HIGHLIGHT, NS, REFLECTED, SURFACE, TileLight, WEIGHT};

/// Returns the filtered radiance of a tile's pixels.
///
/// * `window` — holds the tile and its surroundings.
/// * `radius` — radius of the filter, pixels; 0 does not filter.
pub(super) fn filter(level: Level, window: &FilterWindow, radius: u32, tile: &TileLight) -> Vec<Vec3> {
    let mut filtered = dispatch!(level, simd => filter_tile(simd, window, radius as usize, tile.rect));
    for edge in tile.edges.chunk_by(|a, b| a.pixel == b.pixel) {
        filtered[edge[0].pixel as usize] = filter_edge(window, radius, tile, edge);
    }
    tile.radiance.iter().zip(filtered).map(|(radiance, filtered)| *radiance + filtered).collect()
}

/// Returns the filtered reflected radiance and highlights of a tile, without treatment of edges.
#[inline(always)]
fn filter_tile<S: Simd>(simd: S, window: &FilterWindow, radius: usize, rect: TileRect) -> Vec<Vec3> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut filtered = Vec::with_capacity(rect.area());
            for y in 0..rect.height() {
                for x in (0..rect.width()).step_by(LANES) {
                    let [r, g, b] = filter_block(simd, window, radius, window.at(x, y));
                    let (r, g, b) = (r.to_array(), g.to_array(), b.to_array());
                    let count = ((rect.width() - x) as usize).min(LANES);
                    filtered.extend((0..count).map(|i| vec3(r[i], g[i], b[i])));
                }
            }
            filtered
        },
    )
}

/// Filters sixteen pixels of a row: the mean of highlights over all neighbours on the same surface, plus the pixel's
/// own weight times their irradiance, which is their reflected radiance over their weight.
#[inline(always)]
fn filter_block<S: Simd>(simd: S, window: &FilterWindow, radius: usize, at: usize) -> V<S> {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    let load = |number: usize, at: usize| {
        let at = at + number * window.stride;
        f32x16::from_slice(simd, &window.floats[at..at + LANES])
    };
    let three = |first: usize, at: usize| [load(first, at), load(first + 1, at), load(first + 2, at)];
    let (here, distance, surface) = (three(NS, at), load(DISTANCE, at), load(SURFACE, at));
    let tolerance = distance * f32x16::splat(simd, STEP * (radius as f32 + 1.0));
    let (mut reflected, mut highlight, mut weight) = ([zero; 3], [zero; 3], [zero; 3]);
    let mut count = zero;
    for row in 0..=2 * radius {
        let start = at + row * window.row() - radius * window.row() - radius;
        for at in start..=start + 2 * radius {
            let same = dot(here, three(NS, at)).simd_ge(f32x16::splat(simd, LEAST_COS))
                & (load(DISTANCE, at) - distance).abs().simd_le(tolerance)
                & load(SURFACE, at).simd_eq(surface);
            for c in 0..3 {
                reflected[c] += same.select(load(REFLECTED + c, at), zero);
                weight[c] += same.select(load(WEIGHT + c, at), zero);
            }
            if window.highlights {
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

/// Filters a pixel whose samples hit several surfaces. The irradiance of each sample is that of the neighbouring pixels
/// that see only its surface; if there are none, that of single samples of neighbouring pixels on the surface.
fn filter_edge(window: &FilterWindow, radius: u32, tile: &TileLight, samples: &[EdgeSample]) -> Vec3 {
    let pixel = samples[0].pixel;
    let (x, y) = (pixel % tile.rect.width(), pixel / tile.rect.width());
    let mut sum = tile.vector(HIGHLIGHT, pixel as usize);
    if radius == 0 {
        return sum + tile.vector(REFLECTED, pixel as usize);
    }
    let mut sums = (Vec3::ZERO, Vec3::ZERO);
    for (i, sample) in samples.iter().enumerate() {
        let same_as_before = i > 0 && samples[i - 1].surface.continues(&sample.surface, 0.0);
        if !same_as_before {
            sums = window.sum_pixels(x, y, &sample.surface);
            if sums.1 == Vec3::ZERO {
                sums = window.sum_edge_samples(x, y, &sample.surface);
            }
        }
        let (reflected, weight) = sums;
        for c in 0..3 {
            sum[c] += if weight[c] > 0.0 { sample.weight[c] * reflected[c] / weight[c] } else { 0.0 };
        }
    }
    sum
}
