//! The discontinuity buffer [Wald03, §12]: neighbours lit by other sets of VPLs share their irradiance if they see the same
//! surface. Over a window as large as the pattern of sets, every set has the same weight, and the structured noise is gone.
//!
//! Irradiance is filtered, not radiance: textures stay as sharp as they are.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};
use rayon::prelude::*;
use sunfleck_image::TileRect;
use sunfleck_math::{Vec3, vec3};

use super::tile_light::{EdgeSample, Surface, TileLight};

/// Normals of one surface agree at least so well: cosine.
pub(super) const LEAST_COS: f32 = 0.9;
/// Distances of one surface differ by no more than this share for each pixel.
pub(super) const STEP: f32 = 0.02;

/// What the filter looks at, as planes of the whole film with a border all around.
#[derive(Debug)]
pub(super) struct Features {
    stride: usize,
    reflected: [Vec<f32>; 3],
    highlight: [Vec<f32>; 3],
    weight: [Vec<f32>; 3],
    ns: [Vec<f32>; 3],
    distance: Vec<f32>,
    /// [`Surface::id`].
    surface: Vec<f32>,
}

/// Pixels that are filtered together.
const LANES: usize = 8;
/// Pixels around the film, enough for the largest window and a whole vector.
const BORDER: usize = 8;

impl Features {
    pub(super) fn new([width, height]: [u32; 2], tiles: &[TileLight]) -> Self {
        let stride = width as usize + 2 * BORDER;
        let len = stride * (height as usize + 2 * BORDER);
        let plane = || vec![0.0f32; len];
        let mut planes = Self {
            stride,
            reflected: [plane(), plane(), plane()],
            highlight: [plane(), plane(), plane()],
            weight: [plane(), plane(), plane()],
            ns: [plane(), plane(), plane()],
            distance: plane(),
            surface: plane(),
        };
        for tile in tiles {
            for ((x, y), pixel) in tile.rect.pixels().zip(&tile.pixels) {
                // Light of several surfaces is of no use to neighbours
                let Some(surface) = pixel.surface.filter(|_| pixel.pure) else { continue };
                let at = planes.at(x, y);
                for c in 0..3 {
                    planes.reflected[c][at] = pixel.reflected[c];
                    planes.highlight[c][at] = pixel.highlight[c];
                    planes.weight[c][at] = pixel.weight[c];
                    planes.ns[c][at] = surface.ns[c];
                }
                planes.distance[at] = surface.distance;
                planes.surface[at] = surface.id as f32;
            }
        }
        planes
    }

    /// The surface at a place; none continues it where there is none.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers below 2²⁴")]
    fn surface_at(&self, at: usize) -> Surface {
        Surface { ns: self.vector(&self.ns, at), distance: self.distance[at], id: self.surface[at] as u32 }
    }

    fn vector(&self, planes: &[Vec<f32>; 3], at: usize) -> Vec3 {
        vec3(planes[0][at], planes[1][at], planes[2][at])
    }

    fn at(&self, x: u32, y: u32) -> usize {
        (y as usize + BORDER) * self.stride + x as usize + BORDER
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
fn filter_block<S: Simd>(simd: S, features: &Features, radius: usize, at: usize) -> [f32x8<S>; 3] {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let load = |plane: &[f32], at: usize| f32x8::from_slice(simd, &plane[at..at + LANES]);
    let here = [load(&features.ns[0], at), load(&features.ns[1], at), load(&features.ns[2], at)];
    let (distance, surface) = (load(&features.distance, at), load(&features.surface, at));
    let tolerance = distance * f32x8::splat(simd, STEP * (radius as f32 + 1.0));
    let (mut reflected, mut highlight, mut weight) = ([zero; 3], [zero; 3], [zero; 3]);
    let mut count = zero;
    for row in 0..=2 * radius {
        let start = at + row * features.stride - radius * features.stride - radius;
        for at in start..=start + 2 * radius {
            let ns = [load(&features.ns[0], at), load(&features.ns[1], at), load(&features.ns[2], at)];
            let cos = here[0] * ns[0] + here[1] * ns[1] + here[2] * ns[2];
            let same = cos.simd_ge(f32x8::splat(simd, LEAST_COS))
                & (load(&features.distance, at) - distance).abs().simd_le(tolerance)
                & load(&features.surface, at).simd_eq(surface);
            count += same.select(one, zero);
            for c in 0..3 {
                reflected[c] += same.select(load(&features.reflected[c], at), zero);
                highlight[c] += same.select(load(&features.highlight[c], at), zero);
                weight[c] += same.select(load(&features.weight[c], at), zero);
            }
        }
    }
    let total = |c: usize| {
        let irradiance = weight[c].simd_gt(zero).select(reflected[c] / weight[c], zero);
        let highlight = count.simd_gt(zero).select(highlight[c] / count, zero);
        load(&features.weight[c], at) * irradiance + highlight
    };
    [total(0), total(1), total(2)]
}

/// A pixel whose samples meet several surfaces: each takes its irradiance from the pixels around that see its surface alone.
/// Where there is none, the pixel's own light has to do.
fn filter_edge(features: &Features, radius: usize, tile: &TileLight, samples: &[EdgeSample]) -> Vec3 {
    let pixel = samples[0].pixel;
    let own = &tile.pixels[pixel as usize];
    let (x, y) = (tile.rect.x0 + pixel % tile.rect.width(), tile.rect.y0 + pixel / tile.rect.width());
    let mut sum = own.highlight;
    if radius == 0 {
        return sum + own.reflected;
    }
    let start = features.at(x, y) - radius * features.stride - radius;
    for sample in samples {
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        for row in 0..=2 * radius {
            for at in (start + row * features.stride..).take(2 * radius + 1) {
                if features.surface_at(at).continues(&sample.surface, radius as f32) {
                    reflected += features.vector(&features.reflected, at);
                    weight += features.vector(&features.weight, at);
                }
            }
        }
        let (reflected, weight) =
            if weight == Vec3::ZERO { (own.reflected, own.weight) } else { (reflected, weight) };
        for c in 0..3 {
            sum[c] += if weight[c] > 0.0 { sample.weight[c] * reflected[c] / weight[c] } else { 0.0 };
        }
    }
    sum
}
