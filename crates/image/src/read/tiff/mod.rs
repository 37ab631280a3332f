//! Decoding of TIFF files [TIFF6, baseline].

mod raster;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Cursor;

use ::tiff::decoder::{Decoder, DecodingResult, Limits};
use ::tiff::tags::Tag;
use ::tiff::{ColorType, TiffError};

use self::raster::{Layout, Raster, rgb_of_ycbcr};
use super::Decoded;
use super::note::Notes;
use super::size::StatedSize;
use crate::ImageError;

/// Largest ratio of compression, which LZW reaches.
const COMPRESSION: u64 = 4096;

/// Returns whether the bytes begin as those of a TIFF or `BigTIFF` file do, in either byte order.
pub(super) fn is_tiff(bytes: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|magic| bytes.starts_with(*magic))
}

/// Decodes the first page.
pub(super) fn decode(bytes: &[u8], limit: u64, notes: &mut Notes) -> Result<Decoded, ImageError> {
    // The decoder refuses palettes: their indices are read as grey
    let (bytes, has_palette) = palette_as_grey(bytes);
    let mut decoder = Decoder::new(Cursor::new(Cow::as_ref(&bytes))).map_err(malformed)?;
    let (width, height) = decoder.dimensions().map_err(malformed)?;
    let color = decoder.colortype().map_err(malformed)?;
    let layout = Layout::of(color).ok_or_else(|| reason(format!("{color:?} is not supported")))?;
    let depth = u64::from(color.bit_depth());
    let file_bits = depth * u64::from(color.num_samples());
    let texel_bytes = match depth {
        0..=8 => 4,
        9..=16 => 8,
        _ => 16,
    };
    let size = StatedSize {
        format: "TIFF",
        width: u64::from(width),
        height: u64::from(height),
        file_bits,
        // Further samples are decoded, too
        texel_bytes: (file_bits / 8).max(texel_bytes),
    };
    size.check(limit, bytes.len(), COMPRESSION)?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(limit.saturating_mul(4)).unwrap_or(usize::MAX);
    decoder = decoder.with_limits(limits);
    if decoder.more_images() {
        notes.choice("the first page of several is shown");
    }

    let extra = decoder.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples).map_err(malformed)?;
    notes.is_premultiplied =
        layout.has_alpha() && extra.is_some_and(|kinds| kinds.first() == Some(&ASSOCIATED_ALPHA));

    let mut values = DecodingResult::U8(Vec::new());
    let planes = decoder.read_image_to_buffer(&mut values).map_err(malformed)?;
    let interleaved = planes.planes == 1;
    let palette =
        if has_palette { Some(decoder.get_tag_u16_vec(Tag::ColorMap).map_err(malformed)?) } else { None };
    let raster =
        Raster { width: width as usize, height: height as usize, samples: color.num_samples(), interleaved };
    let decoded = match values {
        DecodingResult::U8(bytes) => {
            let bytes = if depth < 8 { raster.unpacked(&bytes, color.bit_depth()) } else { bytes };
            if let Some(palette) = palette {
                let texels = colors_of(&bytes, &palette).ok_or_else(|| reason("its palette is too short"))?;
                Decoded::Rgba16 { width, height, texels }.without_16_bit()
            } else {
                let scale = if depth < 8 { 255 / ((1u8 << depth) - 1) } else { 1 };
                let bytes: Vec<u8> = bytes.into_iter().map(|byte| byte.wrapping_mul(scale)).collect();
                let mut texels = raster.texels(&bytes, layout, u8::MAX, |v| u8::MAX - v);
                if matches!(color, ColorType::YCbCr(_)) {
                    texels.iter_mut().for_each(|texel| *texel = rgb_of_ycbcr(*texel));
                }
                Decoded::Rgba8 { width, height, texels }
            }
        }
        DecodingResult::U16(values) => Decoded::Rgba16 {
            width,
            height,
            texels: raster.texels(&values, layout, u16::MAX, |v| u16::MAX - v),
        },
        other => {
            let values = floats(other).ok_or_else(|| reason("its sample format is not supported"))?;
            Decoded::Rgba32F { width, height, texels: raster.texels(&values, layout, 1.0, |v| 1.0 - v) }
        }
    };
    let found = match &decoded {
        Decoded::Rgba8 { texels, .. } => texels.len(),
        Decoded::Rgba16 { texels, .. } => texels.len(),
        Decoded::Rgba32F { texels, .. } => texels.len(),
    };
    if found != width as usize * height as usize {
        return Err(reason("it has fewer pixels than it states"));
    }
    Ok(decoded)
}

/// Returns floating-point and wide integer samples; integers are divided by their largest value.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn floats(values: DecodingResult) -> Option<Vec<f32>> {
    Some(match values {
        DecodingResult::F32(values) => values,
        DecodingResult::F16(values) => values.into_iter().map(f32::from).collect(),
        DecodingResult::F64(values) => values.into_iter().map(|v| v as f32).collect(),
        DecodingResult::U32(values) => {
            values.into_iter().map(|v| (f64::from(v) / f64::from(u32::MAX)) as f32).collect()
        }
        _ => return None,
    })
}

/// Returns the colours of indices. The palette has all red values first, then green, then blue.
fn colors_of(indices: &[u8], palette: &[u16]) -> Option<Vec<[u16; 4]>> {
    let count = palette.len() / 3;
    let channel = |index: u8, channel: usize| {
        let index = usize::from(index);
        (index < count).then(|| palette[channel * count + index])
    };
    indices.iter().map(|&i| Some([channel(i, 0)?, channel(i, 1)?, channel(i, 2)?, u16::MAX])).collect()
}

/// Kind of a further sample: alpha by which the colours are multiplied.
const ASSOCIATED_ALPHA: u16 = 1;

/// Photometric interpretation: how samples become colours.
const PHOTOMETRIC: u16 = 262;
const BLACK_IS_ZERO: u8 = 1;
const PALETTE: u16 = 3;

/// Returns the file with its first page marked as grey if it has a palette, and whether it has.
fn palette_as_grey(bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
    match palette_entry(bytes) {
        Some(place) => {
            let mut grey = bytes.to_vec();
            let (value, zero) = if bytes[0] == b'I' { (place, place + 1) } else { (place + 1, place) };
            (grey[value], grey[zero]) = (BLACK_IS_ZERO, 0);
            (Cow::Owned(grey), true)
        }
        None => (Cow::Borrowed(bytes), false),
    }
}

/// Returns where the first page says that it has a palette; `None` if it does not, or in `BigTIFF`.
fn palette_entry(bytes: &[u8]) -> Option<usize> {
    let little = bytes.first() == Some(&b'I');
    let short = |at: usize| {
        let &value = bytes.get(at..)?.first_chunk()?;
        Some(if little { u16::from_le_bytes(value) } else { u16::from_be_bytes(value) })
    };
    let &long = bytes.get(4..)?.first_chunk()?;
    let page = if little { u32::from_le_bytes(long) } else { u32::from_be_bytes(long) } as usize;
    if short(2) != Some(42) {
        return None;
    }
    // Entries of 12 bytes: tag, type, count, value
    let entries = (0..usize::from(short(page)?)).map(|i| page + 2 + 12 * i);
    let mut found = entries.filter(|&entry| short(entry) == Some(PHOTOMETRIC)).map(|entry| entry + 8);
    found.next().filter(|&value| short(value) == Some(PALETTE))
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn malformed(error: TiffError) -> ImageError {
    reason(error.to_string())
}

fn reason(reason: impl Into<String>) -> ImageError {
    ImageError::Malformed { format: "TIFF", reason: reason.into() }
}
