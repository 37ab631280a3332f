use sunfleck_math::Vec3;

use crate::srgb::srgb_from_linear_rgb;

/// Quantises a display-linear colour in [0, 1] (clamped; NaN counts as 0) to sRGB bytes.
///
/// * `dither` — column and row of the pixel for ordered dithering: the share of pixels that are rounded up is
///   about the fractional part of the value, and their pattern has no low frequencies. This avoids banding of
///   gradients and keeps the mean over a neighbourhood. `None` rounds to the nearest byte.
///
/// The pattern is interleaved gradient noise [Jimenez14, dithering], shifted per channel. Its range is slightly less
/// than one step, so that colours that are exact bytes are not changed.
pub fn quantize(display: Vec3, dither: Option<(u32, u32)>) -> [u8; 3] {
    let steps = srgb_from_linear_rgb(display.max(Vec3::ZERO).min(Vec3::ONE)) * 255.0;
    let mut channel = 0;
    steps.to_array().map(|value| {
        let threshold = dither.map_or(0.5, |(x, y)| 0.5 + 0.98 * (gradient_noise(x, y, channel) - 0.5));
        channel += 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, 255.99]")]
        let byte = (value + threshold) as u8;
        byte
    })
}

/// Returns interleaved gradient noise: values in [0, 1) that are evenly distributed in every 3×3 neighbourhood
/// [Jimenez14, dithering].
///
/// Coordinates wrap at 4096, since the fraction would lose precision in f32 beyond.
fn gradient_noise(x: u32, y: u32, channel: u32) -> f32 {
    let shift = 5.588_238 * channel as f32;
    let (x, y) = ((x % 4096) as f32 + shift, (y % 4096) as f32 + shift);
    (52.982_918 * (0.067_110_56 * x + 0.005_837_15 * y).fract()).fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::srgb::{linear_from_srgb, linear_from_srgb8_table};

    #[test]
    fn exact_bytes_are_kept_with_and_without_dither() {
        for (byte, linear) in linear_from_srgb8_table().into_iter().enumerate() {
            for pixel in 0..64 {
                for dither in [None, Some((pixel * 37, pixel * 101))] {
                    let found = quantize(Vec3::splat(linear), dither);
                    assert_eq!(found.map(usize::from), [byte; 3], "{dither:?}");
                }
            }
        }
    }

    #[test]
    fn dither_keeps_the_mean() {
        for step in [0.1, 0.5, 0.75] {
            let colour = Vec3::splat(linear_from_srgb((100.0 + step) / 255.0));
            let mut sum = [0.0f64; 3];
            for y in 0..64 {
                for x in 0..64 {
                    let bytes = quantize(colour, Some((x, y)));
                    sum.iter_mut().zip(bytes).for_each(|(s, b)| *s += f64::from(b));
                }
            }
            for s in sum {
                let mean = s / 4096.0;
                assert!((mean - 100.0 - f64::from(step)).abs() < 0.03, "{mean} for 100 + {step}");
            }
        }
    }

    #[test]
    fn out_of_range_is_clamped() {
        assert_eq!(quantize(Vec3::new(-1.0, 2.0, f32::NAN), Some((3, 5))), [0, 255, 0]);
    }
}
