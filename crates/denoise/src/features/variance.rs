//! Variance of pixels for which the renderer knows none.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use sunfleck_constants::feature_filter::{OUTSIDE_LUMINANCE, VARIANCE_RADIUS};

use super::atrous::{Weights, weight};
use super::{Guide, Light};
use crate::planes::{BORDER, fill_border, load, store};

/// Distance of the farthest neighbour, in pixels.
const RADIUS: usize = VARIANCE_RADIUS as usize;

/// Writes `light` to `out`, with variances of 0 replaced by the variance of the luminances of the neighbours on the
/// same surface, which includes that of the irradiance itself.
pub(super) fn estimate(level: Level, guide: &Guide, light: &Light, out: &mut Light) {
    out.for_each_row(|y, rows| dispatch!(level, simd => estimate_row(simd, guide, light, y, rows)));
}

#[inline(always)]
fn estimate_row<S: Simd>(simd: S, guide: &Guide, light: &Light, y: usize, rows: [&mut [f32]; 5]) {
    let width = light.width();
    let from = light.row(y);
    let variance = match rows {
        [r, g, b, l, variance] => {
            for (to, from) in [r, g, b, l].into_iter().zip(from) {
                to.copy_from_slice(from);
            }
            variance
        }
    };
    variance.copy_from_slice(from[4]);
    let guide_here = guide.row(y);
    let taps: [_; 2 * RADIUS + 1] = std::array::from_fn(|dy| {
        let row = (y + dy).checked_sub(RADIUS).filter(|&row| row < light.height())?;
        Some((dy.abs_diff(RADIUS), guide.row(row), light.row(row)[3]))
    });
    let zero = S::f32s::splat(simd, 0.0);
    for x in (BORDER..BORDER + width).step_by(S::f32s::LEN) {
        let known = load(simd, from[4], x);
        let unknown = known.simd_le(0.0);
        if !unknown.any_true() {
            continue;
        }
        let weights = Weights::new(simd, guide_here, x);
        let (mut total, mut sum, mut squares) = (zero, zero, zero);
        for (dy, guide, luminance) in taps.iter().flatten() {
            for i in 0..=2 * RADIUS {
                let at = x + i - RADIUS;
                let distance = i.abs_diff(RADIUS).max(*dy).max(1);
                let value = load(simd, luminance, at);
                let difference = weights.difference(guide, at, 1.0 / distance as f32);
                // Outside of the image nothing counts
                let inside = value.simd_lt(OUTSIDE_LUMINANCE);
                let value = inside.select(value, zero);
                let w = inside.select(weight::<S>(simd, difference), zero);
                total += w;
                sum = w.mul_add_precise(value, sum);
                squares = (w * value).mul_add_precise(value, squares);
            }
        }
        let mean = sum / total;
        let estimated = (squares / total - mean * mean).max(0.0);
        store::<S>(variance, x, unknown.select(estimated, known));
    }
    fill_border(variance, width, 0.0);
}
