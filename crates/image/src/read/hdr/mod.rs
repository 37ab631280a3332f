//! Decoding of Radiance HDR pictures [Ward91, exponents], in all dialects: RGBE and XYZE; run-length encoding of both
//! kinds or none; scanlines along any edge; exposures, colour corrections and primaries in the header.

mod header;
mod scanline;
#[cfg(test)]
mod tests;

use sunfleck_math::Vec3;

use self::header::{Header, Orientation};
use super::Decoded;
use super::note::Notes;
use super::size::StatedSize;
use crate::ImageError;
use crate::color::rec709_from_xyz;

/// Beginning of every picture: the rest of the line names the program or the format.
pub(super) const MAGIC: [u8; 2] = *b"#?";

/// Largest ratio of compression: a run of 127 equal values takes two bytes, longer ones are rare.
const COMPRESSION: u64 = 1024;

pub(super) fn decode(bytes: &[u8], limit: u64, notes: &mut Notes) -> Result<Decoded, ImageError> {
    let (header, mut rest) = Header::read(bytes, notes).map_err(malformed)?;
    let Orientation { width, height, .. } = header.orientation;
    let size = StatedSize {
        format: "HDR",
        width: u64::from(width),
        height: u64::from(height),
        file_bits: 32,
        texel_bytes: 16,
    };
    size.check(limit, bytes.len(), COMPRESSION)?;

    let mut texels = vec![[0.0, 0.0, 0.0, 1.0]; width as usize * height as usize];
    let (count, length) = header.orientation.scanlines();
    let mut scanline = vec![[0; 4]; length as usize];
    for i in 0..count {
        if let Err(reason) = scanline::read(&mut rest, &mut scanline) {
            if i == 0 {
                return Err(malformed(reason));
            }
            notes.missing(format!("{} of {count} scanlines are black: {reason}", count - i));
            break;
        }
        for (j, &rgbe) in (0..).zip(&scanline) {
            let [r, g, b] = linear(&header, rgbe).to_array();
            texels[header.orientation.index(i, j)] = [r, g, b, 1.0];
        }
    }
    Ok(Decoded::Rgba32F { width, height, texels })
}

/// Returns the radiance of a pixel in linear Rec. 709.
fn linear(header: &Header, rgbe: [u8; 4]) -> Vec3 {
    let value = header.factor * color_of(rgbe);
    match &header.rec709_from_rgb {
        _ if header.xyz => rec709_from_xyz(value),
        Some(matrix) => *matrix * value,
        None => value,
    }
}

/// Returns the three components that share an exponent: m · 2^(e − 136) [Ward91, exponents].
fn color_of([r, g, b, exponent]: [u8; 4]) -> Vec3 {
    if exponent == 0 {
        return Vec3::ZERO;
    }
    // 2^(e − 136) in two factors, since the smallest ones are subnormal
    let power = |n: i32| f32::from_bits(u32::try_from(127 + n).unwrap_or(1) << 23);
    let half = (i32::from(exponent) - 136) / 2;
    let scale = power(half) * power(i32::from(exponent) - 136 - half);
    Vec3::new(f32::from(r), f32::from(g), f32::from(b)) * scale
}

fn malformed(reason: impl Into<String>) -> ImageError {
    ImageError::Malformed { format: "HDR", reason: reason.into() }
}
