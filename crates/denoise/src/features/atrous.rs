//! One pass of the filter.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use sunfleck_constants::feature_filter::{DEVIATIONS, INVISIBLE_CONTRAST, NORMAL_WEIGHT, TAP_RADIUS};
use sunfleck_image::color::LUMINANCE;

use super::fireflies::outside;
use super::{Guide, Light};
use crate::planes::{BORDER, load, store};

/// Distance of the farthest tap, in steps.
const RADIUS: usize = TAP_RADIUS as usize;
/// Taps of the cubic B-spline along one axis by their distance in steps, divided by that in the middle.
const SPLINE: [f32; RADIUS + 1] = [1.0, 2.0 / 3.0, 1.0 / 6.0];

/// Returns about `e⁻ˣ` for `x ≥ 0`: (1 - x/8)⁸, which has the same slope at 0, and is 0 from 8 on.
#[inline(always)]
pub(super) fn weight<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let root = (S::f32s::splat(simd, 1.0) - x * 0.125).max(0.0);
    let root2 = root * root;
    let root4 = root2 * root2;
    root4 * root4
}

/// Features of the pixels whose light is filtered, one vector of them.
pub(super) struct Weights<S: Simd> {
    simd: S,
    normal: [S::f32s; 3],
    depth: S::f32s,
    nearness: S::f32s,
}

impl<S: Simd> Weights<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, [nx, ny, nz, z, nearness]: [&[f32]; 5], x: usize) -> Self {
        let normal = [load(simd, nx, x), load(simd, ny, x), load(simd, nz, x)];
        Self { simd, normal, depth: load(simd, z, x), nearness: load(simd, nearness, x) }
    }

    /// Returns how different the features are of pixels that begin at `x` of a row of the guide.
    ///
    /// * `per_distance` — reciprocal of the distance to those pixels.
    #[inline(always)]
    pub(super) fn difference(&self, guide: &[&[f32]; 5], x: usize, per_distance: f32) -> S::f32s {
        let (simd, [nx, ny, nz]) = (self.simd, self.normal);
        let dx = nx - load(simd, guide[0], x);
        let dy = ny - load(simd, guide[1], x);
        let dz = nz - load(simd, guide[2], x);
        let normals = dx.mul_add_precise(dx, dy.mul_add_precise(dy, dz * dz));
        let depths = (self.depth - load(simd, guide[3], x)).abs() * self.nearness;
        normals.mul_add_precise(NORMAL_WEIGHT, depths * per_distance)
    }
}

/// Filters `light` into `out` with taps at distances of `step` pixels.
pub(super) fn filter(level: Level, guide: &Guide, light: &Light, step: usize, out: &mut Light) {
    debug_assert!(RADIUS * step <= BORDER, "taps are inside the border");
    out.for_each_row(|y, rows| dispatch!(level, simd => filter_row(simd, guide, light, step, y, rows)));
}

#[inline(always)]
fn filter_row<S: Simd>(simd: S, guide: &Guide, light: &Light, step: usize, y: usize, rows: [&mut [f32]; 5]) {
    let width = light.width();
    let [out_r, out_g, out_b, out_l, out_variance] = rows;
    let (guide_here, light_here) = (guide.row(y), light.row(y));
    let variances = [y.saturating_sub(1), y, (y + 1).min(light.height() - 1)].map(|y| light.row(y)[4]);
    // Rows of taps inside the image
    let taps: [_; 2 * RADIUS + 1] = std::array::from_fn(|dy| {
        let row = (y + dy * step).checked_sub(RADIUS * step).filter(|&row| row < light.height())?;
        Some((dy.abs_diff(RADIUS), guide.row(row), light.row(row)))
    });
    let per_distance: [f32; RADIUS + 1] = std::array::from_fn(|steps| 1.0 / (step * steps.max(1)) as f32);
    for x in (BORDER..BORDER + width).step_by(S::f32s::LEN) {
        let weights = Weights::new(simd, guide_here, x);
        let luminance = load(simd, light_here[3], x);
        let per_deviation = per_deviation(simd, variances, x, luminance);

        // The pixel itself
        let mut r = load(simd, light_here[0], x);
        let mut g = load(simd, light_here[1], x);
        let mut b = load(simd, light_here[2], x);
        let mut variance = load(simd, light_here[4], x);
        let mut total = S::f32s::splat(simd, 1.0);

        // Its neighbours
        for (dy, guide, light) in taps.iter().flatten() {
            for i in 0..=2 * RADIUS {
                let dx = i.abs_diff(RADIUS);
                // The corners have hardly any weight
                if matches!((dx, *dy), (0, 0) | (RADIUS, RADIUS)) {
                    continue;
                }
                let at = x + i * step - RADIUS * step;
                let features = weights.difference(guide, at, per_distance[dx.max(*dy)]);
                let luminances = (luminance - load(simd, light[3], at)).abs();
                let difference = luminances.mul_add_precise(per_deviation, features);
                let w = weight::<S>(simd, difference) * (SPLINE[dx] * SPLINE[*dy]);
                total += w;
                r = w.mul_add_precise(load(simd, light[0], at), r);
                g = w.mul_add_precise(load(simd, light[1], at), g);
                b = w.mul_add_precise(load(simd, light[2], at), b);
                variance = (w * w).mul_add_precise(load(simd, light[4], at), variance);
            }
        }

        let scale = S::f32s::splat(simd, 1.0) / total;
        (r, g, b) = (r * scale, g * scale, b * scale);
        store::<S>(out_r, x, r);
        store::<S>(out_g, x, g);
        store::<S>(out_b, x, b);
        store::<S>(out_l, x, r * LUMINANCE[0] + g * LUMINANCE[1] + b * LUMINANCE[2]);
        store::<S>(out_variance, x, variance * scale * scale);
    }
    outside(width, [out_r, out_g, out_b, out_l, out_variance]);
}

/// Returns the reciprocal of the difference of luminances whose weight is 1/e, from the variances of 3×3 pixels.
#[inline(always)]
fn per_deviation<S: Simd>(
    simd: S,
    [above, here, below]: [&[f32]; 3],
    x: usize,
    luminance: S::f32s,
) -> S::f32s {
    let outer = across(simd, above, x) + across(simd, below, x);
    let variance = across(simd, here, x) * 0.5 + outer * 0.25;
    let invisible = luminance.abs() * INVISIBLE_CONTRAST + f32::MIN_POSITIVE;
    S::f32s::splat(simd, 1.0) / (variance.sqrt() * DEVIATIONS + invisible)
}

/// Returns the average of three pixels of a row, weighted 1, 2, 1.
#[inline(always)]
fn across<S: Simd>(simd: S, row: &[f32], x: usize) -> S::f32s {
    load(simd, row, x) * 0.5 + (load(simd, row, x - 1) + load(simd, row, x + 1)) * 0.25
}
