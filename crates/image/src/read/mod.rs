//! Decoding of image files.

mod exr;
mod formats;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sunfleck_math::Vec3;

use crate::srgb::{linear_from_srgb, linear_from_srgb8_table};
use crate::{ImageError, Picture};

/// How much memory the texels of a decoded image may take by default: 1 GiB.
pub const DEFAULT_DECODE_LIMIT: u64 = 1 << 30;

/// The texels of a file as they are stored, row by row from the top; `width * height` of them, at least one.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// 8-bit files: usually sRGB-encoded colour and linear alpha, what the numbers mean is up to the reader.
    Rgba8 {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Red, green, blue, alpha.
        texels: Vec<[u8; 4]>,
    },
    /// 16-bit files, encoded as 8-bit ones are.
    Rgba16 {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Red, green, blue, alpha.
        texels: Vec<[u16; 4]>,
    },
    /// HDR and EXR: linear. May hold NaN and infinities if the file does.
    Rgba32F {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Red, green, blue, alpha.
        texels: Vec<[f32; 4]>,
    },
}

impl Decoded {
    /// Width and height in texels.
    pub fn size(&self) -> (u32, u32) {
        match *self {
            Self::Rgba8 { width, height, .. }
            | Self::Rgba16 { width, height, .. }
            | Self::Rgba32F { width, height, .. } => (width, height),
        }
    }

    /// 16 bits rounded to 8; the others as they are.
    #[must_use]
    pub fn without_16_bit(self) -> Self {
        match self {
            Self::Rgba16 { width, height, texels } => {
                #[expect(clippy::cast_possible_truncation, reason = "65535 becomes 255")]
                let narrow = |v: u16| ((u32::from(v) + 128) / 257) as u8;
                Self::Rgba8 { width, height, texels: texels.into_iter().map(|t| t.map(narrow)).collect() }
            }
            other => other,
        }
    }

    /// Its colours as linear radiance, without alpha; 8- and 16-bit values are taken for sRGB.
    pub fn into_picture(self) -> Picture {
        let (width, height) = self.size();
        let pixels: Vec<Vec3> = match self {
            Self::Rgba8 { texels, .. } => {
                let table = linear_from_srgb8_table();
                texels
                    .iter()
                    .map(|&[r, g, b, _]| Vec3::from([r, g, b].map(|v| table[usize::from(v)])))
                    .collect()
            }
            Self::Rgba16 { texels, .. } => {
                let linear = |v: u16| linear_from_srgb(f32::from(v) / 65535.0);
                texels.iter().map(|&[r, g, b, _]| Vec3::from([r, g, b].map(linear))).collect()
            }
            Self::Rgba32F { texels, .. } => texels.iter().map(|&[r, g, b, _]| Vec3::new(r, g, b)).collect(),
        };
        Picture::new(width, height, pixels).expect("decoders check the number of texels")
    }
}

/// Decodes PNG, JPEG, GIF (first frame), BMP, TGA, WebP, PNM, Radiance HDR or EXR (first layer with R, G, B or Y).
///
/// * `hint` — a file extension or MIME type (`"tga"`, `"image/png"`), used only when the beginning of `bytes` does not
///   tell the format, which is so for TGA; may be empty.
///
/// Errors: unknown format, malformed data, more than [`DEFAULT_DECODE_LIMIT`] bytes of texels.
pub fn decode(bytes: &[u8], hint: &str) -> Result<Decoded, ImageError> {
    decode_within(bytes, hint, DEFAULT_DECODE_LIMIT)
}

/// [`decode`] with another limit of the bytes that the texels may take.
pub fn decode_within(bytes: &[u8], hint: &str, limit: u64) -> Result<Decoded, ImageError> {
    // The decoders are third-party code: a panic counts as a malformed file
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        if bytes.starts_with(&exr::MAGIC) {
            exr::decode(bytes, limit)
        } else {
            formats::decode(bytes, hint, limit)
        }
    }));
    let decoded = decoded.unwrap_or_else(|_| {
        Err(ImageError::Malformed { format: "picture", reason: "the decoder gave up".to_owned() })
    })?;
    if decoded.size().0 == 0 || decoded.size().1 == 0 {
        return Err(ImageError::Malformed { format: "picture", reason: "it has no pixels".to_owned() });
    }
    Ok(decoded)
}

/// Reads a file as linear radiance; 8- and 16-bit values are taken for sRGB.
///
/// Errors, each with the path: as [`decode`], and a file that cannot be read.
pub fn read_picture(path: &Path) -> Result<Picture, ImageError> {
    let bytes = std::fs::read(path).map_err(|source| ImageError::Read { path: path.to_owned(), source })?;
    let hint = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let decoded = decode(&bytes, hint)
        .map_err(|source| ImageError::InFile { path: path.to_owned(), source: Box::new(source) })?;
    Ok(decoded.into_picture())
}

/// Refuses sizes whose texels would not fit into `limit` bytes.
fn check_size(width: u64, height: u64, bytes_per_texel: u64, limit: u64) -> Result<(), ImageError> {
    let bytes = width.checked_mul(height).and_then(|texels| texels.checked_mul(bytes_per_texel));
    if bytes.is_none_or(|b| b > limit) {
        return Err(ImageError::TooLarge { width, height, limit });
    }
    Ok(())
}
