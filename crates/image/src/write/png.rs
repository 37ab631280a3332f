use super::{BitDepth, DisplayOptions, OutputImage};
use crate::{ImageError, Picture};

/// Encodes a PNG file: RGB of 8 or 16 bits, with an sRGB chunk. Errors: the image is larger than PNG allows.
pub fn encode_png(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    encode_image(&OutputImage::new(picture), options)
}

/// Encodes an image as [`encode_png`] does, with an alpha channel if it has one.
pub(super) fn encode_image(image: &OutputImage<'_>, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    let (depth, bytes) = match options.depth {
        BitDepth::Eight => (::png::BitDepth::Eight, options.bytes(image)),
        BitDepth::Sixteen => {
            let words = options.words(image);
            (::png::BitDepth::Sixteen, words.into_iter().flat_map(u16::to_be_bytes).collect())
        }
    };
    let color = if image.stored_alpha().is_some() { ::png::ColorType::Rgba } else { ::png::ColorType::Rgb };
    let srgb = Some(::png::SrgbRenderingIntent::Perceptual);
    encode(image.radiance.width(), image.radiance.height(), (color, depth), srgb, &bytes)
        .map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

/// Encodes a PNG file that decodes to exactly these texels, row by row from the top. It has no alpha channel if all
/// texels are opaque, and no information about the colour space.
///
/// Errors: the number of texels is not `width * height`, or the image is larger than PNG allows.
pub fn encode_png_texels(width: u32, height: u32, texels: &[[u8; 4]]) -> Result<Vec<u8>, ImageError> {
    let encoded = if texels.iter().all(|texel| texel[3] == u8::MAX) {
        let rgb: Vec<u8> = texels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        encode(width, height, (::png::ColorType::Rgb, ::png::BitDepth::Eight), None, &rgb)
    } else {
        encode(width, height, (::png::ColorType::Rgba, ::png::BitDepth::Eight), None, texels.as_flattened())
    };
    encoded.map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

/// Encodes a PNG file of 16 bits per channel as [`encode_png_texels`] does.
///
/// Errors: the number of texels is not `width * height`, or the image is larger than PNG allows.
pub fn encode_png_texels16(width: u32, height: u32, texels: &[[u16; 4]]) -> Result<Vec<u8>, ImageError> {
    let big_endian = |codes: &[u16]| codes.iter().flat_map(|code| code.to_be_bytes()).collect::<Vec<u8>>();
    let (color, bytes) = if texels.iter().all(|texel| texel[3] == u16::MAX) {
        (::png::ColorType::Rgb, texels.iter().flat_map(|texel| big_endian(&texel[..3])).collect())
    } else {
        (::png::ColorType::Rgba, big_endian(texels.as_flattened()))
    };
    encode(width, height, (color, ::png::BitDepth::Sixteen), None, &bytes)
        .map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

fn encode(
    width: u32,
    height: u32,
    (color, depth): (::png::ColorType, ::png::BitDepth),
    srgb: Option<::png::SrgbRenderingIntent>,
    texels: &[u8],
) -> Result<Vec<u8>, ::png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some(intent) = srgb {
        encoder.set_source_srgb(intent);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(texels)?;
    writer.finish()?;
    Ok(bytes)
}
