//! Limits outliers, which the filter would spread over their neighbourhood.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use sunfleck_constants::feature_filter::{OUTLIER_DEVIATIONS, OUTLIER_RADIUS, OUTSIDE_LUMINANCE};

use super::Light;
use crate::planes::{BORDER, fill_border, load, store};

/// Distance of the farthest neighbour, in pixels.
const RADIUS: usize = OUTLIER_RADIUS as usize;

/// Reduces irradiance whose luminance exceeds what its 24 nearest neighbours and its own variance make plausible.
///
/// Neighbours outside of the image do not count.
/// The luminance of a pixel is limited to the mean of its neighbours plus three of their standard deviations, but never
/// to less than itself minus three of its own. A variance of 0 is an unknown one, and vouches for nothing.
/// The result is biased: too dark.
pub(super) fn limit(level: Level, noisy: &Light) -> Light {
    let mut limited = Light::new(noisy.width(), noisy.height());
    let mut inside = vec![1.0; noisy.width() + 2 * BORDER];
    fill_border(&mut inside, noisy.width(), 0.0);
    limited.for_each_row(|y, rows| dispatch!(level, simd => limit_row(simd, noisy, &inside, y, rows)));
    limited
}

/// Limits a row.
///
/// * `inside` — 1 for each pixel of a row, 0 in its borders.
#[inline(always)]
fn limit_row<S: Simd>(simd: S, noisy: &Light, inside: &[f32], y: usize, rows: [&mut [f32]; 5]) {
    let (width, height) = (noisy.width(), noisy.height());
    let neighbours: [Option<&[f32]>; 2 * RADIUS + 1] = std::array::from_fn(|dy| {
        let row = (y + dy).checked_sub(RADIUS).filter(|&row| row < height)?;
        Some(noisy.row(row)[3])
    });
    let [r, g, b, l, variance] = noisy.row(y);
    let [out_r, out_g, out_b, out_l, out_variance] = rows;
    let zero = S::f32s::splat(simd, 0.0);
    for x in (BORDER..BORDER + width).step_by(S::f32s::LEN) {
        // Mean and variance of the neighbours
        let (mut sum, mut squares, mut count) = (zero, zero, zero);
        for (dy, row) in neighbours.iter().enumerate() {
            let Some(row) = row else { continue };
            for dx in 0..=2 * RADIUS {
                if (dx, dy) != (RADIUS, RADIUS) {
                    let value = load(simd, row, x + dx - RADIUS);
                    sum += value;
                    squares += value * value;
                    count += load(simd, inside, x + dx - RADIUS);
                }
            }
        }
        let luminance = load(simd, l, x);
        let share = S::f32s::splat(simd, 1.0) / count.max(1.0);
        // The only pixel of an image has no neighbours to doubt it
        let mean = count.simd_gt(0.0).select(sum * share, luminance);
        let spread = (squares * share - mean * mean).max(0.0).sqrt();

        // What is plausible
        let known = load(simd, variance, x);
        let vouched = luminance - known.sqrt() * OUTLIER_DEVIATIONS;
        let vouched = known.simd_gt(0.0).select(vouched, zero).max(0.0);
        let most = (mean + spread * OUTLIER_DEVIATIONS).max(vouched);
        let factor = luminance.simd_gt(most).select(most / luminance, S::f32s::splat(simd, 1.0));

        store::<S>(out_r, x, load(simd, r, x) * factor);
        store::<S>(out_g, x, load(simd, g, x) * factor);
        store::<S>(out_b, x, load(simd, b, x) * factor);
        store::<S>(out_l, x, luminance * factor);
        store::<S>(out_variance, x, known * factor * factor);
    }
    outside(width, [out_r, out_g, out_b, out_l, out_variance]);
}

/// Sets the values of a row outside of the image: they have no weight, and add nothing.
#[inline(always)]
pub(super) fn outside(width: usize, [r, g, b, l, variance]: [&mut [f32]; 5]) {
    for row in [r, g, b, variance] {
        fill_border(row, width, 0.0);
    }
    fill_border(l, width, OUTSIDE_LUMINANCE);
}
