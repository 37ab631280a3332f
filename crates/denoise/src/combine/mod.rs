//! Blends a denoised image with the noisy one, such that the error is least.
//!
//! A denoiser that is applied to a converged image only adds its bias. Renderers that keep the means of two independent
//! halves of the samples, `A` and `B`, can tell how much it removes of the noise and how much of the image
//! [Rousselle12, dual buffers]. Here both halves are denoised, to `D_A` and `D_B`. With
//!
//! * the mean `I = (A + B) / 2` and half of the difference `a = (A - B) / 2`, which is noise only, of the same variance
//!   as that of `I`;
//! * the same of the denoised halves, `D = (D_A + D_B) / 2` and `d = (D_A - D_B) / 2`;
//!
//! the squared error of `I` is `a²` on average, and that of `D` is `(I - D)² + 2ad - a²`. The latter is the squared
//! distance of `D_A` to `B` and of `D_B` to `A`, which are independent, without the variance of `A` and `B`, and
//! without half of the variance of `D_A` and `D_B`, which the mean `D` does not have. So the expected squared error of
//! `I + w (D - I)` is least for
//!
//! `w = s ⟨a (a - d)⟩ / ⟨(I - D)²⟩`,
//!
//! where ⟨⟩ is an average: the noise that is removed relative to all that is removed. Without noise w is 0, so that the
//! result converges to `I`. If the denoiser removes nothing but noise, w is 1. The factor s, the variance of `I` over
//! that of `a`, is 1 for independent halves. The errors of stratified halves partly cancel in `I`, and s is less.
//!
//! [`relative_error`] estimates the residual error from the same differences.

mod error;
mod window;

pub use error::relative_error;

use rayon::prelude::*;
use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;

use crate::noisy_image::finite;
use crate::planes::{BORDER, Planes};
use crate::{NoisyImage, NoisyImageError};

/// Factor of w, which is estimated from few pixels and clamped to 1. Without it, noise would stay where w should be 1.
const SLACK: f32 = 1.15;
/// Least square of what is removed of an outlier, relative to the average of its window.
const OUTLIER: f32 = 9.0;
/// Sum of the weights of pixels in two sums over windows of 9×9, and that of their squares.
const AREA: f32 = 6561.0;
const SQUARES: f32 = 489.0 * 489.0;
/// Luminance, relative to the mean of the image, that is added to that of pixels to which errors are relative.
const RELATIVE_LUMINANCE: f64 = 0.02;

/// A half of the samples: the mean radiance of each pixel, and the result of denoising it.
#[derive(Clone, Copy, Debug)]
pub struct Half<'a> {
    /// Mean radiance of the samples of this half.
    pub noisy: &'a [Vec3],
    /// The same, denoised without knowledge of the other half. Features may be shared.
    pub denoised: &'a [Vec3],
}

/// Result of [`blend`].
#[derive(Clone, Debug, PartialEq)]
pub struct Blended {
    /// Radiance, row by row.
    pub image: Vec<Vec3>,
    /// Weight of the denoised image in each pixel.
    pub weights: Vec<Weight>,
}

/// Weight of a denoised image: w above.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    /// Weight, in [0, 1].
    pub value: f32,
    /// Variance of the weight, which is estimated from noise; 0 where it is clamped to 0 or 1.
    pub variance: f32,
}

impl Weight {
    /// The denoised image alone.
    const ONE: Self = Self { value: 1.0, variance: 0.0 };
}

/// Blends an image with the result of denoising it, as two independent halves of its samples advise.
///
/// * `halves` — two parts of the samples, of about the same number. * `noise_of_half_difference` — the variance of the
///   mean of all samples over that of half of the difference between the halves: s above.
/// * `noisy` — the mean of all samples. * `denoised` — the same, denoised: it has less noise than the denoised halves, and
///   the same bias.
///
/// Errors count relative to the luminance of the denoised image, and are averaged over about 9×9 pixels. The result has
/// the same bits on every CPU, whatever the number of threads. Values that are not finite count as 0.
///
/// Errors: not one value per pixel, or no pixels. Never panics.
pub fn blend(
    width: u32,
    height: u32,
    halves: [Half; 2],
    noise_of_half_difference: f32,
    noisy: &[Vec3],
    denoised: &[Vec3],
) -> Result<Blended, NoisyImageError> {
    NoisyImage::new(width, height, noisy)?;
    NoisyImage::new(width, height, denoised)?;
    for half in halves {
        NoisyImage::new(width, height, half.noisy)?;
        NoisyImage::new(width, height, half.denoised)?;
    }
    let (width, height) = (width as usize, height as usize);
    let least = least_luminance(width, halves);
    let mut noise = Planes::<4>::new(width, height);
    noise.for_each_row(|y, [removed_noise, squares, removed, pixels]| {
        pixels[BORDER..BORDER + width].fill(1.0);
        for x in 0..width {
            let pixel = Pixel::new(halves, y * width + x);
            let (noise, all) = pixel.removed(least, noise_of_half_difference);
            if noise.is_finite() && all.is_finite() {
                (removed_noise[BORDER + x], squares[BORDER + x], removed[BORDER + x]) =
                    (noise, (noise * noise).min(f32::MAX / AREA), all);
            }
        }
    });
    let noise = window::sums(&window::sums(&noise));

    let mut image = vec![Vec3::ZERO; width * height];
    let mut weights = vec![Weight::default(); width * height];
    let rows = image.par_chunks_exact_mut(width).zip(weights.par_chunks_exact_mut(width));
    rows.enumerate().for_each(|(y, (image, weights))| {
        let [removed_noise, squares, removed, pixels] = noise.row(y);
        for (x, (image, weight)) in image.iter_mut().zip(weights).enumerate() {
            let pixel = Pixel::new(halves, y * width + x);
            let [removed_noise, squares, removed, pixels] =
                [removed_noise, squares, removed, pixels].map(|sums| sums[BORDER + x]);
            weight.value = blend_weight(removed_noise, removed);
            if weight.value > 0.0 && weight.value < 1.0 {
                // The variance of the sum over the window, relative to the square of that of what is removed
                let variance = (squares - removed_noise * removed_noise / pixels) * (SQUARES / AREA);
                weight.variance = (SLACK * SLACK * variance / (removed * removed)).clamp(0.0, 1.0);
            }
            // Even a small part of an outlier is visible, so its own halves decide about it
            let (own_noise, own) = pixel.removed(least, noise_of_half_difference);
            if own * pixels > OUTLIER * removed {
                let own = blend_weight(own_noise, own);
                if own > weight.value {
                    *weight = Weight { value: own, variance: 0.0 };
                }
            }
            let (noisy, denoised) = (finite(noisy[y * width + x]), finite(denoised[y * width + x]));
            *image = noisy + (denoised - noisy) * weight.value;
        }
    });
    Ok(Blended { image, weights })
}

/// Returns the weight of the denoised image.
fn blend_weight(removed_noise: f32, removed: f32) -> f32 {
    let weight = SLACK * removed_noise / removed;
    // Where nothing is removed, both images are the same
    if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 }
}

/// What is known about a pixel.
struct Pixel {
    noisy: Vec3,
    denoised: Vec3,
    half_difference: Vec3,
    denoised_half_difference: Vec3,
}

impl Pixel {
    #[inline(always)]
    fn new([a, b]: [Half; 2], i: usize) -> Self {
        let (noisy_a, noisy_b) = (finite(a.noisy[i]) * 0.5, finite(b.noisy[i]) * 0.5);
        let (denoised_a, denoised_b) = (finite(a.denoised[i]) * 0.5, finite(b.denoised[i]) * 0.5);
        Self {
            noisy: noisy_a + noisy_b,
            denoised: denoised_a + denoised_b,
            half_difference: noisy_a - noisy_b,
            denoised_half_difference: denoised_a - denoised_b,
        }
    }

    /// Returns the noise that denoising removes, squared, and all that it removes, relative to the luminance.
    ///
    /// * `least` — see [`least_luminance`]. * `noise_of_half_difference` — see [`blend`].
    #[inline(always)]
    fn removed(&self, least: f32, noise_of_half_difference: f32) -> (f32, f32) {
        let noise = self.half_difference.dot(self.half_difference - self.denoised_half_difference)
            * noise_of_half_difference;
        let all = (self.denoised - self.noisy).length_squared();
        let scale = 1.0 / (luminance(self.denoised).max(0.0) + least);
        (noise * scale * scale, all * scale * scale)
    }
}

/// Returns the luminance that is added to those of pixels; positive.
fn least_luminance(width: usize, halves: [Half; 2]) -> f32 {
    let denoised = halves[0].denoised;
    let rows: Vec<f64> = (0..denoised.len() / width)
        .into_par_iter()
        .map(|y| {
            let pixels = (y * width..(y + 1) * width).map(|i| Pixel::new(halves, i).denoised);
            pixels.map(|pixel| f64::from(luminance(pixel).max(0.0))).sum()
        })
        .collect();
    #[expect(clippy::cast_possible_truncation, reason = "a scale")]
    let least = (RELATIVE_LUMINANCE * rows.iter().sum::<f64>() / denoised.len() as f64) as f32;
    least.clamp(f32::MIN_POSITIVE.sqrt(), f32::MAX)
}

#[cfg(test)]
mod tests;
