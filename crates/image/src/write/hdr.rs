use sunfleck_math::Vec3;

use crate::Picture;

/// Encodes a Radiance HDR file with run-length encoding [Ward91, real pixels].
///
/// Negative and NaN components become 0, and components are clamped to the largest value of the format (1.7 · 10³⁸).
/// The relative error of the largest component of a pixel is at most 2⁻⁸.
pub fn encode_hdr(picture: &Picture) -> Vec<u8> {
    let (width, height) = (picture.width(), picture.height());
    let mut bytes =
        format!("#?RADIANCE\nSOFTWARE=sunfleck\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n")
            .into_bytes();
    for row in picture.rows() {
        let pixels: Vec<[u8; 4]> = row.iter().map(|&p| rgbe(p)).collect();
        match u16::try_from(width) {
            // The format supports run-length encoding for these widths only
            Ok(width) if (8..0x8000).contains(&width) => {
                let [high, low] = width.to_be_bytes();
                bytes.extend([2, 2, high, low]);
                for component in 0..4 {
                    let plane: Vec<u8> = pixels.iter().map(|p| p[component]).collect();
                    encode_runs(&plane, &mut bytes);
                }
            }
            _ => bytes.extend(pixels.as_flattened()),
        }
    }
    bytes
}

/// Largest value of the format: the largest mantissa with the largest exponent, 255 · 2¹¹⁹.
const LARGEST: f32 = 255.0 * f32::from_bits((119 + 127) << 23);

/// Encodes a pixel as three mantissas with the exponent of the largest component, `mantissa * 2^(exponent - 136)`.
fn rgbe(color: Vec3) -> [u8; 4] {
    let color = color.max(Vec3::ZERO).min(Vec3::splat(LARGEST));
    let largest = color.max_element();
    if largest < 1e-38 {
        return [0; 4];
    }
    // largest = 0.1… * 2^exponent; taken from the bits, since a logarithm would be rounded
    let exponent_of = |x: f32| (x.to_bits() >> 23).cast_signed() - 126;
    let mut exponent = exponent_of(largest);
    // If the largest mantissa is rounded up to 256, use the next exponent
    if (f64::from(largest) * 2f64.powi(8 - exponent)).round() > 255.0 {
        exponent += 1;
    }
    let scale = 2f64.powi(8 - exponent);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0..=255")]
    let mantissa = |x: f32| (f64::from(x) * scale).round().min(255.0) as u8;
    #[expect(clippy::cast_sign_loss, reason = "it is clamped")]
    let biased = (exponent + 128).clamp(1, 255) as u8;
    [mantissa(color.x), mantissa(color.y), mantissa(color.z), biased]
}

/// Encodes runs of at least four equal bytes as (128 + length, byte), the rest as (length, bytes …).
fn encode_runs(plane: &[u8], out: &mut Vec<u8>) {
    let run_at = |i: usize| plane[i..].iter().take(127).take_while(|&&b| b == plane[i]).count();
    let mut i = 0;
    while i < plane.len() {
        let run = run_at(i);
        if run >= 4 {
            #[expect(clippy::cast_possible_truncation, reason = "a run is at most 127")]
            out.extend([128 + run as u8, plane[i]]);
            i += run;
            continue;
        }
        // Literal bytes until the next run
        let start = i;
        while i < plane.len() && i - start < 128 && run_at(i) < 4 {
            i += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 128 literal bytes")]
        out.push((i - start) as u8);
        out.extend(&plane[start..i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_the_format_description() {
        assert_eq!(rgbe(Vec3::ONE), [128, 128, 128, 129]);
        assert_eq!(rgbe(Vec3::new(0.5, 0.25, 0.0)), [128, 64, 0, 128]);
        assert_eq!(rgbe(Vec3::ZERO), [0; 4]);
        assert_eq!(rgbe(Vec3::new(-1.0, f32::NAN, 0.0)), [0; 4]);
        assert_eq!(rgbe(Vec3::splat(f32::INFINITY)), [255; 4]);
        // The mantissa 255.97 is rounded up to the next power of two
        assert_eq!(rgbe(Vec3::splat(0.9999)), [128, 128, 128, 129]);
    }

    #[test]
    fn runs_and_literals() {
        let mut out = Vec::new();
        encode_runs(&[7, 7, 7, 7, 7, 1, 2, 2, 3], &mut out);
        assert_eq!(out, [133, 7, 4, 1, 2, 2, 3]);
        out.clear();
        encode_runs(&[9; 300], &mut out);
        assert_eq!(out, [255, 9, 255, 9, 128 + 46, 9]);
    }
}
