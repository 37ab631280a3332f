//! Planes from a [`NoisyImage`].

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_constants::feature_filter::{
    BACKGROUND_DEPTH, BLACK_ALBEDO, BLACK_NORMAL, LEAST_SLOPE, MOST_IRRADIANCE, MOST_SLOPE,
};
use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;

use super::{Guide, Light};
use crate::NoisyImage;
use crate::demodulation;
use crate::noisy_image::finite;
use crate::planes::{BORDER, fill_border, replicate_border};

/// Returns the [`Light`] of an image. Outside of the image, the luminance is that of the nearest pixel, and the rest 0.
pub(super) fn light(level: Level, image: &NoisyImage) -> Light {
    let mut light = Light::new(image.width() as usize, image.height() as usize);
    let (width, height) = (light.width(), light.height());
    debug_assert_eq!(image.radiance().len(), width * height, "one value per pixel");
    light.for_each_row(|y, [r, g, b, l, variance]| {
        dispatch!(level, simd => light_row(simd, image, y, [&mut *r, &mut *g, &mut *b, &mut *l, &mut *variance]));
        fill_border(l, width, 0.0);
    });
    light
}

#[inline(always)]
fn light_row<S: Simd>(simd: S, image: &NoisyImage, y: usize, [r, g, b, l, variance]: [&mut [f32]; 5]) {
    let width = image.width() as usize;
    let here = y * width..(y + 1) * width;
    let [r, g, b, l, variance] = [r, g, b, l, variance].map(|plane| &mut plane[BORDER..BORDER + width]);
    let radiance = &image.radiance()[here.clone()];
    let albedo = image.albedo().get(here.clone());
    let known = image.variance().get(here);
    simd.vectorize(
        #[inline(always)]
        || {
            for x in 0..width {
                [r[x], g[x], b[x]] = finite(radiance[x]).to_array();
            }
            // The luminance of the divisor, which is replaced below
            l.fill(1.0);
            if let Some(albedo) = albedo {
                for x in 0..width {
                    let divisor = divisor(albedo[x]);
                    r[x] = (r[x] / divisor.x).clamp(-MOST_IRRADIANCE, MOST_IRRADIANCE);
                    g[x] = (g[x] / divisor.y).clamp(-MOST_IRRADIANCE, MOST_IRRADIANCE);
                    b[x] = (b[x] / divisor.z).clamp(-MOST_IRRADIANCE, MOST_IRRADIANCE);
                    l[x] = luminance(divisor);
                }
            }
            if let Some(known) = known {
                for x in 0..width {
                    let scaled = known[x] / (l[x] * l[x]);
                    variance[x] = if scaled.is_finite() {
                        scaled.clamp(0.0, MOST_IRRADIANCE * MOST_IRRADIANCE)
                    } else {
                        0.0
                    };
                }
            }
            for x in 0..width {
                l[x] = luminance(Vec3::new(r[x], g[x], b[x]));
            }
        },
    );
}

/// Returns the [`Guide`] of an image. Outside of the image, all is 0. Features that are unknown do not guide.
pub(super) fn guide(level: Level, image: &NoisyImage) -> Guide {
    let mut guide = Guide::new(image.width() as usize, image.height() as usize);
    guide.for_each_row(|y, rows| dispatch!(level, simd => guide_row(simd, image, y, rows)));
    guide
}

#[inline(always)]
fn guide_row<S: Simd>(simd: S, image: &NoisyImage, y: usize, [nx, ny, nz, z, nearness]: [&mut [f32]; 5]) {
    let (width, height) = (image.width() as usize, image.height() as usize);
    if !image.normal().is_empty() {
        let normals = &image.normal()[y * width..][..width];
        simd.vectorize(
            #[inline(always)]
            || {
                let [nx, ny, nz] = [nx, ny, nz].map(|plane| &mut plane[BORDER..BORDER + width]);
                for x in 0..width {
                    [nx[x], ny[x], nz[x]] = finite(normals[x]).to_array();
                }
            },
        );
    }
    if let Some(albedo) = image.albedo().get(y * width..(y + 1) * width) {
        for (nz, &albedo) in nz[BORDER..].iter_mut().zip(albedo) {
            *nz += if is_black(albedo) { BLACK_NORMAL } else { 0.0 };
        }
    }
    if image.depth().is_empty() {
        return;
    }
    let row = |y: usize| &image.depth()[y * width..][..width];
    let (above, here, below) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
    simd.vectorize(
        #[inline(always)]
        || {
            for (z, &depth) in z[BORDER..].iter_mut().zip(here) {
                *z = distance(depth);
            }
            replicate_border(z, width);
            for x in 0..width {
                let depth = z[BORDER + x];
                // The lesser of the differences to both sides is that on the same surface
                let across = (depth - z[BORDER + x - 1]).abs().min((z[BORDER + x + 1] - depth).abs());
                let down = (depth - distance(above[x])).abs().min((distance(below[x]) - depth).abs());
                let slope = across.max(down).max(LEAST_SLOPE * depth).min(MOST_SLOPE * depth);
                nearness[BORDER + x] = 1.0 / slope;
            }
        },
    );
    fill_border(z, width, 0.0);
}

/// Returns what radiance is divided by, and irradiance multiplied with.
#[inline(always)]
pub(super) fn divisor(albedo: Vec3) -> Vec3 {
    if is_black(albedo) { Vec3::ONE } else { demodulation::divisor(albedo) }
}

#[inline(always)]
fn is_black(albedo: Vec3) -> bool {
    demodulation::valid(albedo).max_element() <= BLACK_ALBEDO
}

/// Returns a depth for which differences are meaningful: [`BACKGROUND_DEPTH`] if there is no surface.
#[inline(always)]
fn distance(depth: f32) -> f32 {
    if depth > 0.0 { depth.min(BACKGROUND_DEPTH) } else { BACKGROUND_DEPTH }
}
