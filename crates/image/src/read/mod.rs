//! Decoding of image files.

mod dds;
mod exr;
mod formats;
mod hdr;
mod note;
mod partial;
mod regular;
mod size;
#[cfg(test)]
mod tests;
mod tiff;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sunfleck_math::Vec3;

use self::note::Notes;
pub use self::note::{DecodedFile, ImageNote};
use crate::srgb::{linear_from_srgb, linear_from_srgb8_table};
use crate::{ImageError, Picture};

pub use formats::READABLE_EXTENSIONS;
pub use regular::read_regular_file;

/// Default limit of the memory for the texels of a decoded image: 1 GiB.
pub const DEFAULT_DECODE_LIMIT: u64 = 1 << 30;

/// Texels of a file in the precision of the file: `width * height`, at least one, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// Texels of 8-bit files: usually sRGB-encoded colour and linear alpha; the caller decides on the encoding.
    Rgba8 {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Red, green, blue, alpha.
        texels: Vec<[u8; 4]>,
    },
    /// Texels of 16-bit files, encoded like those of 8-bit files.
    Rgba16 {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Red, green, blue, alpha.
        texels: Vec<[u16; 4]>,
    },
    /// Texels of HDR and EXR files: linear. They contain NaN and infinity where the file does. Those of EXR are
    /// multiplied by alpha ([`DecodedFile::straight`]).
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
    /// Returns width and height in texels.
    pub fn size(&self) -> (u32, u32) {
        match *self {
            Self::Rgba8 { width, height, .. }
            | Self::Rgba16 { width, height, .. }
            | Self::Rgba32F { width, height, .. } => (width, height),
        }
    }

    /// Rounds 16-bit texels to 8 bits; other texels are unchanged.
    #[must_use]
    pub fn without_16_bit(self) -> Self {
        match self {
            Self::Rgba16 { width, height, texels } => Self::Rgba8 {
                width,
                height,
                texels: texels.into_iter().map(|t| t.map(narrow_to_8_bits)).collect(),
            },
            other => other,
        }
    }

    /// Converts the texels to linear radiance without alpha. 8- and 16-bit values are decoded as sRGB.
    pub fn to_picture(&self) -> Picture {
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

/// Rounds a 16-bit value to 8 bits: 65535 becomes 255.
#[expect(clippy::cast_possible_truncation, reason = "65535 becomes 255")]
pub fn narrow_to_8_bits(value: u16) -> u8 {
    ((u32::from(value) + 128) / 257) as u8
}

/// Decodes PNG, JPEG, GIF (first frame), BMP, TGA, WebP, PNM, TIFF (first page), DDS (a cube map as a horizontal
/// cross), Radiance HDR, or EXR (the layer with R, G and B, or else with luminance) in linear Rec. 709.
///
/// * `hint` — a file extension or MIME type (`"tga"`, `"image/png"`), or an empty string. It is used only if the
///   beginning of `bytes` does not identify the format, as for TGA.
///
/// Errors: unknown format, malformed data, more than [`DEFAULT_DECODE_LIMIT`] bytes of texels.
pub fn decode(bytes: &[u8], hint: &str) -> Result<Decoded, ImageError> {
    decode_within(bytes, hint, DEFAULT_DECODE_LIMIT)
}

/// Decodes as [`decode`] does, with another limit of the memory for the texels, in bytes.
pub fn decode_within(bytes: &[u8], hint: &str, limit: u64) -> Result<Decoded, ImageError> {
    decode_file(bytes, hint, limit).map(|file| file.image)
}

/// Decodes as [`decode_within`] does; also returns notes about what the file holds beside the image, and about faults
/// that were repaired: an image that ends early is shown as far as it goes.
pub fn decode_file(bytes: &[u8], hint: &str, limit: u64) -> Result<DecodedFile, ImageError> {
    // The decoders are third-party code, whose panics are treated as malformed files
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        let mut notes = Notes::default();
        let decode = match bytes {
            _ if bytes.starts_with(&exr::MAGIC) => exr::decode,
            _ if bytes.starts_with(&hdr::MAGIC) => hdr::decode,
            _ if bytes.starts_with(&dds::MAGIC) => dds::decode,
            _ if tiff::is_tiff(bytes) => tiff::decode,
            _ => return formats::decode(bytes, hint, limit, &mut notes).map(|image| (image, notes)),
        };
        decode(bytes, limit, &mut notes).map(|image| (image, notes))
    }));
    let (image, Notes { notes, is_premultiplied }) = decoded.unwrap_or_else(|_| {
        Err(ImageError::Malformed { format: "image", reason: "the decoder panicked".to_owned() })
    })?;
    if image.size().0 == 0 || image.size().1 == 0 {
        return Err(ImageError::Malformed { format: "image", reason: "it has no pixels".to_owned() });
    }
    Ok(DecodedFile { image, notes, is_premultiplied })
}

/// Reads a file as linear radiance, without alpha. 8- and 16-bit values are decoded as sRGB; colours that are multiplied
/// by alpha are divided by it.
///
/// Errors, each with the path: those of [`decode`], files that cannot be read, and those that lack a part of their
/// pixels.
pub fn read_picture(path: &Path) -> Result<Picture, ImageError> {
    let (picture, notes) = read_picture_with_notes(path)?;
    let fault = notes.into_iter().find(|note| matches!(note, ImageNote::Missing(_)));
    match fault {
        Some(fault) => Err(ImageError::Incomplete { path: path.to_owned(), fault }),
        None => Ok(picture),
    }
}

/// Reads a file as [`read_picture`] does, but as far as it goes if it has a fault. Also returns the notes of
/// [`decode_file`].
pub fn read_picture_with_notes(path: &Path) -> Result<(Picture, Vec<ImageNote>), ImageError> {
    let cannot_read = |source| ImageError::Read { path: path.to_owned(), source };
    let bytes = read_regular_file(path).map_err(cannot_read)?;
    let hint = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let mut file = decode_file(&bytes, hint, DEFAULT_DECODE_LIMIT)
        .map_err(|source| ImageError::InFile { path: path.to_owned(), source: Box::new(source) })?;
    let notes = std::mem::take(&mut file.notes);
    Ok((file.straight().to_picture(), notes))
}
