use crate::tone::{ToneCurve, quantize};
use crate::{ImageError, Picture};

/// Options of the conversion from radiance to 8 bits for PNG files.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PngOptions {
    /// Exposure in stops, each of which doubles the radiance.
    pub exposure_stops: f32,
    /// Tone curve.
    pub tone_curve: ToneCurve,
    /// Whether to dither, which avoids banding of smooth gradients.
    pub dither: bool,
}

impl Default for PngOptions {
    fn default() -> Self {
        Self { exposure_stops: 0.0, tone_curve: ToneCurve::default(), dither: true }
    }
}

/// Encodes a PNG file: 8-bit RGB with an sRGB chunk. Errors: the image is larger than PNG allows.
pub fn encode_png(picture: &Picture, options: &PngOptions) -> Result<Vec<u8>, ImageError> {
    let mut texels = Vec::with_capacity(picture.pixels().len() * 3);
    for (y, row) in (0u32..).zip(picture.rows()) {
        for (x, &radiance) in (0u32..).zip(row) {
            let display = options.tone_curve.apply(radiance, options.exposure_stops);
            texels.extend(quantize(display, options.dither.then_some((x, y))));
        }
    }
    let srgb = Some(::png::SrgbRenderingIntent::Perceptual);
    encode(picture.width(), picture.height(), ::png::ColorType::Rgb, srgb, &texels)
        .map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

/// Encodes a PNG file that decodes to exactly these texels, row by row from the top. It has no alpha channel if all
/// texels are opaque, and no information about the colour space.
///
/// Errors: the number of texels is not `width * height`, or the image is larger than PNG allows.
pub fn encode_png_texels(width: u32, height: u32, texels: &[[u8; 4]]) -> Result<Vec<u8>, ImageError> {
    let encoded = if texels.iter().all(|texel| texel[3] == u8::MAX) {
        let rgb: Vec<u8> = texels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        encode(width, height, ::png::ColorType::Rgb, None, &rgb)
    } else {
        encode(width, height, ::png::ColorType::Rgba, None, texels.as_flattened())
    };
    encoded.map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

fn encode(
    width: u32,
    height: u32,
    color: ::png::ColorType,
    srgb: Option<::png::SrgbRenderingIntent>,
    texels: &[u8],
) -> Result<Vec<u8>, ::png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(::png::BitDepth::Eight);
    if let Some(intent) = srgb {
        encoder.set_source_srgb(intent);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(texels)?;
    writer.finish()?;
    Ok(bytes)
}
