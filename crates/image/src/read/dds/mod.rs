//! Decoding of DDS textures and cube maps.

#[cfg(test)]
mod tests;

use std::io::Cursor;

use ::dds::header::ParseOptions;
use ::dds::{
    Channels, ColorFormat, DataLayout, DataRegion, Decoder, DecodingError, Format, ImageViewMut, Precision,
    Size, TextureArrayKind,
};

use super::Decoded;
use super::note::Notes;
use super::size::StatedSize;
use crate::ImageError;

/// First bytes of every DDS file.
pub(super) const MAGIC: [u8; 4] = *b"DDS ";

/// How much smaller than its pixels a file may be: it is not compressed further, but may end early.
const COMPRESSION: u64 = 4;

/// Decodes the largest resolution of the first texture. A cube map becomes a horizontal cross of 4 × 3 faces, seen from
/// inside, whose other cells are black.
pub(super) fn decode(bytes: &[u8], limit: u64, notes: &mut Notes) -> Result<Decoded, ImageError> {
    let mut decoder = open(bytes)?;
    let (format, face) = (decoder.format(), decoder.main_size());
    let cube =
        decoder.layout().texture_array().is_some_and(|array| array.kind() != TextureArrayKind::Textures);
    let (across, down) = if cube { (4, 3) } else { (1, 1) };
    let (width, height) = (u64::from(face.width) * across, u64::from(face.height) * down);
    let texel_bytes = match format.precision() {
        Precision::U8 => 4,
        Precision::U16 => 8,
        Precision::F32 => 16,
    };
    let file_bits = u64::from(decoder.layout().pixel_info().bits_per_pixel());
    let size = StatedSize { format: "DDS", width, height, file_bits, texel_bytes };
    size.check(limit, bytes.len(), COMPRESSION)?;
    note_unused(&decoder.layout(), cube, notes);
    let padded = padded(bytes, &decoder.layout());
    if let Some(padded) = &padded {
        notes.missing("the file ends early; the missing pixels are black");
        decoder = open(padded)?;
    }
    decoder.options.memory_limit = usize::try_from(limit).unwrap_or(usize::MAX);

    let too_large = |_| ImageError::TooLarge { width, height, limit };
    let size = Size::new(u32::try_from(width).map_err(too_large)?, u32::try_from(height).map_err(too_large)?);
    let (width, height) = (size.width, size.height);
    let count = width as usize * height as usize;
    Ok(match format.precision() {
        Precision::U8 => {
            let mut texels = vec![[0; 4]; count];
            read(&mut decoder, texels.as_flattened_mut(), size, Precision::U8, cube)?;
            if is_normal_map(format) {
                complete_normals(&mut texels);
            }
            Decoded::Rgba8 { width, height, texels }
        }
        Precision::U16 => {
            let mut texels = vec![[0u16; 4]; count];
            read(&mut decoder, bytemuck::cast_slice_mut(&mut texels), size, Precision::U16, cube)?;
            Decoded::Rgba16 { width, height, texels }
        }
        Precision::F32 => {
            let mut texels = vec![[0.0f32; 4]; count];
            read(&mut decoder, bytemuck::cast_slice_mut(&mut texels), size, Precision::F32, cube)?;
            Decoded::Rgba32F { width, height, texels }
        }
    })
}

fn open(bytes: &[u8]) -> Result<Decoder<Cursor<&[u8]>>, ImageError> {
    let options = ParseOptions::new_permissive(Some(bytes.len() as u64));
    Decoder::new_with_options(Cursor::new(bytes), &options).map_err(malformed)
}

/// Returns a file that ends early with zeros in place of the missing pixels; `None` if none are missing.
fn padded(bytes: &[u8], layout: &DataLayout) -> Option<Vec<u8>> {
    // The mip levels of each face follow it; those of the last one are not needed
    let before_last_face = match layout {
        DataLayout::TextureArray(array) => {
            let faces = match array.kind() {
                TextureArrayKind::Textures => 1,
                TextureArrayKind::CubeMaps => 6,
                TextureArrayKind::PartialCubeMap(faces) => u64::from(faces.count()),
            };
            array.data_len() / array.len().max(1) as u64 * faces.saturating_sub(1)
        }
        _ => 0,
    };
    let pixels = before_last_face + layout.pixel_info().surface_bytes(layout.main_size())?;
    // A second header follows the first one where this is the name of the format
    let header = if bytes.get(84..88) == Some(b"DX10") { 148 } else { 128 };
    let length = header + usize::try_from(pixels).ok()?;
    (bytes.len() < length).then(|| {
        let mut padded = bytes.to_vec();
        padded.resize(length, 0);
        padded
    })
}

fn read(
    decoder: &mut Decoder<Cursor<&[u8]>>,
    bytes: &mut [u8],
    size: Size,
    precision: Precision,
    cube: bool,
) -> Result<(), ImageError> {
    let view = ImageViewMut::new(bytes, size, ColorFormat::new(Channels::Rgba, precision));
    let view = view.ok_or_else(|| reason("its size does not fit its pixels"))?;
    if cube { decoder.read_cube_map(view) } else { decoder.read_surface(view) }.map_err(malformed)
}

fn note_unused(layout: &DataLayout, cube: bool, notes: &mut Notes) {
    let levels = match layout {
        DataLayout::Texture(texture) => texture.mipmaps(),
        DataLayout::Volume(volume) => {
            notes.choice("the first slice of the volume is shown");
            volume.mipmaps()
        }
        DataLayout::TextureArray(array) => {
            if array.len() > if cube { 6 } else { 1 } {
                notes.choice("the first texture of several is shown");
            }
            array.mipmaps()
        }
    };
    if levels > 1 {
        notes.choice("the mip levels in the file are not used; they are computed from the image");
    }
}

/// Whether an image of two channels is a normal map, which is what this format is made for.
fn is_normal_map(format: Format) -> bool {
    matches!(format, Format::BC5_UNORM | Format::BC5_SNORM)
}

/// Computes z of unit vectors of which x and y are given, all encoded as in normal maps.
fn complete_normals(texels: &mut [[u8; 4]]) {
    for texel in texels {
        let [x, y] = [texel[0], texel[1]].map(|code| f32::from(code) / 127.5 - 1.0);
        let z = (1.0 - x * x - y * y).max(0.0).sqrt();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "127 to 255")]
        let code = (z * 127.5 + 127.5).round() as u8;
        texel[2] = code;
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn malformed(error: DecodingError) -> ImageError {
    reason(error.to_string())
}

fn reason(reason: impl Into<String>) -> ImageError {
    ImageError::Malformed { format: "DDS", reason: reason.into() }
}
