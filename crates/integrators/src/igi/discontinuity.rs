//! The discontinuity buffer [Wald03, §12]: neighbours lit by other sets of VPLs share their irradiance if they see the same
//! surface. Over a window as large as the pattern of sets, every set has the same weight, and the structured noise is gone.
//!
//! Irradiance is filtered, not radiance: textures stay as sharp as they are.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x16};
use sunfleck_constants::igi::{LEAST_COS, STEP};
use sunfleck_image::TileRect;
use sunfleck_math::{Vec3, vec3};
use sunfleck_transport::vectors::{LANES, V, dot};

use super::window::Window;
use crate::tile_light::{DISTANCE, EdgeSample, HIGHLIGHT, NS, REFLECTED, SURFACE, TileLight, WEIGHT};

/// The radiance of a tile's pixels after filtering.
///
/// * `window` — looks at the tile. * `radius` — it reaches so many pixels to each side; 0 leaves all as it is.
pub(super) fn filter(level: Level, window: &Window, radius: u32, tile: &TileLight) -> Vec<Vec3> {
    let mut filtered = dispatch!(level, simd => filter_tile(simd, window, radius as usize, tile.rect));
    for edge in tile.edges.chunk_by(|a, b| a.pixel == b.pixel) {
        filtered[edge[0].pixel as usize] = filter_edge(window, radius, tile, edge);
    }
    tile.radiance.iter().zip(filtered).map(|(radiance, filtered)| *radiance + filtered).collect()
}

/// Reflected light and highlights of the pixels of a tile.
#[inline(always)]
fn filter_tile<S: Simd>(simd: S, window: &Window, radius: usize, rect: TileRect) -> Vec<Vec3> {
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

/// Pixels side by side: the mean of highlights over all neighbours on the same surface, and the pixel's own weight times
/// their irradiance, which is their reflected light over their weight.
#[inline(always)]
fn filter_block<S: Simd>(simd: S, window: &Window, radius: usize, at: usize) -> V<S> {
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

/// A pixel whose samples meet several surfaces: each takes its irradiance from the pixels around that see its surface alone. Where there
/// is none, from single samples of the pixels around that see it too.
fn filter_edge(window: &Window, radius: u32, tile: &TileLight, samples: &[EdgeSample]) -> Vec3 {
    let pixel = samples[0].pixel;
    let (x, y) = (pixel % tile.rect.width(), pixel / tile.rect.width());
    let mut sum = tile.three(HIGHLIGHT, pixel as usize);
    if radius == 0 {
        return sum + tile.three(REFLECTED, pixel as usize);
    }
    let mut around = (Vec3::ZERO, Vec3::ZERO);
    for (i, sample) in samples.iter().enumerate() {
        let known = i > 0 && samples[i - 1].surface.continues(&sample.surface, 0.0);
        if !known {
            around = window.of_pixels(x, y, &sample.surface);
            if around.1 == Vec3::ZERO {
                around = window.of_samples(x, y, &sample.surface);
            }
        }
        let (reflected, weight) = around;
        for c in 0..3 {
            sum[c] += if weight[c] > 0.0 { sample.weight[c] * reflected[c] / weight[c] } else { 0.0 };
        }
    }
    sum
}
