//! Estimate of the error of a denoised image, from two halves of its samples.

use rayon::prelude::*;
use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;

use super::{Half, Pixel, Weight, window};
use crate::noisy_image::finite;
use crate::planes::{BORDER, Planes};
use crate::{NoisyImage, NoisyImageError};

/// Lower bound of luminances to which errors are relative, as a fraction of the mean luminance of the image: that of
/// [`Film::noise`](sunfleck_image::Film::noise).
const LEAST_LUMINANCE: f64 = 0.1;
/// Largest distance of a half to the image, relative to the mean distance in its window.
const OUTLIER: f32 = 8.0;
/// Largest difference that counts, so that squares are finite.
const HUGE: f32 = 1e12;

/// Estimates the mean relative error of the luminance of an image that was denoised, comparable to
/// [`Film::noise`](sunfleck_image::Film::noise) of one that was not: 0.01 means that the typical error of a pixel is
/// 1 %.
///
/// It is the mean over pixels of `√⟨e²⟩ / max(Y, 0.1 Ȳ)`, where `Y` is the luminance of the pixel, `Ȳ` the mean
/// luminance of the image, and `⟨e²⟩` the estimated squared error of the luminance, averaged over about 9×9 pixels,
/// without which it would be noise, and at least 0. Values that are not finite count as 0. The result has the same
/// bits on every CPU, whatever the number of threads.
///
/// * `halves`, `noise_of_half_difference` — see [`blend`](super::blend). It has to be known: for stratified halves of
///   few samples, 1 gives much too small an error.
/// * `image` — the image: the result of denoising all samples, or of blending it. Its luminance is used alone: the
///   error is that of the mean of the halves, denoised and blended, which is slightly larger.
/// * `weights` — weight of the denoised image in each pixel, as [`Blended::weights`](super::Blended::weights); empty if
///   it was not blended.
///
/// A half that is far from the image in comparison with its neighbours counts as if it were nearer: the error of single
/// outliers, which denoisers remove, is not known from two numbers.
///
/// Errors: not one value per pixel, or no pixels. Never panics.
pub fn relative_error(
    width: u32,
    height: u32,
    halves: [Half; 2],
    noise_of_half_difference: f32,
    image: &[Vec3],
    weights: &[Weight],
) -> Result<f32, NoisyImageError> {
    NoisyImage::new(width, height, image)?;
    for half in halves {
        NoisyImage::new(width, height, half.noisy)?;
        NoisyImage::new(width, height, half.denoised)?;
    }
    if !weights.is_empty() && weights.len() != image.len() {
        return Err(NoisyImageError::Length { what: "the weights", width, height, found: weights.len() });
    }
    let (width, height) = (width as usize, height as usize);
    let least = least_luminance(image);
    let weight = |i: usize| weights.get(i).copied().unwrap_or(Weight::ONE);

    let mut distances = Planes::<2>::new(width, height);
    distances.for_each_row(|y, [distance, pixels]| {
        pixels[BORDER..BORDER + width].fill(1.0);
        for x in 0..width {
            let [a, b, _] = differences(halves, image, least, weight(y * width + x).value, y * width + x);
            distance[BORDER + x] = 0.5 * (a.abs() + b.abs());
        }
    });
    let distances = window::sums(&window::sums(&distances));

    let mut errors = Planes::<2>::new(width, height);
    errors.for_each_row(|y, [error, pixels]| {
        pixels[BORDER..BORDER + width].fill(1.0);
        let [distance, around] = distances.row(y);
        for x in 0..width {
            let i = y * width + x;
            let most = OUTLIER * distance[BORDER + x] / around[BORDER + x];
            let weight = weight(i);
            let [a, b, denoised_half] = differences(halves, image, least, weight.value, i);
            let (a, b) = (a.clamp(-most, most), b.clamp(-most, most));
            let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
            // Half of the difference of the blended halves
            let blended_half = half + (denoised_half - half) * weight.value;
            let mut squared = mean * mean + noise_of_half_difference * half * (2.0 * blended_half - half);
            if weight.variance > 0.0 {
                // The weight is the one of least error according to the same noise. The estimate is too small by as
                // much as the error of the weight adds to the error of the image
                squared += 2.0 * weight.variance * (mean / weight.value).powi(2);
            }
            error[BORDER + x] = if squared.is_finite() { squared } else { 0.0 };
        }
    });
    let errors = window::sums(&window::sums(&errors));
    let rows: Vec<f64> = (0..height)
        .into_par_iter()
        .map(|y| {
            let [error, pixels] = errors.row(y);
            let means = error.iter().zip(pixels).skip(BORDER).take(width);
            means.map(|(error, pixels)| f64::from((error / pixels).max(0.0).sqrt())).sum()
        })
        .collect();
    #[expect(clippy::cast_possible_truncation, reason = "three digits are significant")]
    let error = (rows.iter().sum::<f64>() / (width * height) as f64) as f32;
    Ok(error)
}

/// Returns the differences of a pixel of the halves to the mean of the blended halves, and half of the difference of
/// the denoised halves, as luminances relative to that of the image.
///
/// The image itself, denoised from all samples, is not used: a denoiser removes less of less noise, so that the noise
/// of the image has more in common with that of the samples than the halves tell.
#[inline(always)]
fn differences(halves: [Half; 2], image: &[Vec3], least: f32, weight: f32, i: usize) -> [f32; 3] {
    let pixel = Pixel::new(halves, i);
    let image = finite(image[i]);
    let blended = pixel.noisy + (pixel.denoised - pixel.noisy) * weight;
    let scale = 1.0 / luminance(image).max(least);
    let (mean, half) = (luminance(pixel.noisy - blended), luminance(pixel.half_difference));
    let differences = [mean + half, mean - half, luminance(pixel.denoised_half_difference)];
    differences.map(|difference| {
        let difference = difference * scale;
        if difference.is_nan() { 0.0 } else { difference.clamp(-HUGE, HUGE) }
    })
}

/// Returns the least luminance to which errors are relative; positive.
fn least_luminance(image: &[Vec3]) -> f32 {
    let sum: f64 = image.iter().map(|&pixel| f64::from(luminance(finite(pixel)))).sum();
    #[expect(clippy::cast_possible_truncation, reason = "a scale")]
    let least = (LEAST_LUMINANCE * sum / image.len() as f64) as f32;
    least.clamp(f32::MIN_POSITIVE.sqrt(), f32::MAX)
}
