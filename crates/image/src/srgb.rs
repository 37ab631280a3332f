//! The transfer functions of sRGB [IEC61966-2-1, transfer].

use sunfleck_math::{Vec3, pow};

/// Encodes one linear component. The function is odd, so that it is defined for negative values.
#[inline]
pub fn srgb_from_linear(linear: f32) -> f32 {
    let x = linear.abs();
    let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * pow(x, 1.0 / 2.4) - 0.055 };
    encoded.copysign(linear)
}

/// Decodes one component: the inverse of [`srgb_from_linear`].
#[inline]
pub fn linear_from_srgb(encoded: f32) -> f32 {
    let x = encoded.abs();
    let linear = if x <= 0.040_45 { x / 12.92 } else { pow((x + 0.055) / 1.055, 2.4) };
    linear.copysign(encoded)
}

/// Applies [`srgb_from_linear`] to each component.
#[inline]
pub fn srgb_from_linear_rgb(linear: Vec3) -> Vec3 {
    Vec3::new(srgb_from_linear(linear.x), srgb_from_linear(linear.y), srgb_from_linear(linear.z))
}

/// Applies [`linear_from_srgb`] to each component.
#[inline]
pub fn linear_from_srgb_rgb(encoded: Vec3) -> Vec3 {
    Vec3::new(linear_from_srgb(encoded.x), linear_from_srgb(encoded.y), linear_from_srgb(encoded.z))
}

/// Returns [`linear_from_srgb`] of the 256 byte values divided by 255, for decoding many texels.
pub fn linear_from_srgb8_table() -> [f32; 256] {
    std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // Middle grey of 18 % is 0.4614 encoded; byte 128 is 21.586 % linear; the curve is continuous at the knee
        assert!((srgb_from_linear(0.18) - 0.461_356).abs() < 1e-5);
        assert!((linear_from_srgb(128.0 / 255.0) - 0.215_861).abs() < 1e-5);
        assert!((linear_from_srgb(0.5) - 0.214_041).abs() < 1e-5);
        assert_eq!(srgb_from_linear(0.0), 0.0);
        assert!((srgb_from_linear(1.0) - 1.0).abs() < 1e-6);
        assert!((srgb_from_linear(0.003_130_8) - srgb_from_linear(0.003_130_9)).abs() < 1e-5);
    }

    #[test]
    fn every_byte_round_trips() {
        for (byte, &linear) in linear_from_srgb8_table().iter().enumerate() {
            assert!((srgb_from_linear(linear) * 255.0 - byte as f32).abs() < 1e-3, "{byte}");
        }
    }

    #[test]
    fn monotone_and_odd() {
        let mut last = -1.0;
        for i in 0..=4000 {
            let x = i as f32 / 2000.0;
            let y = srgb_from_linear(x);
            assert!(y > last);
            assert_eq!(srgb_from_linear(-x), -y);
            last = y;
        }
    }
}
