use crate::tone::{ToneCurve, quantize};
use crate::{ImageError, Picture};

/// How radiance becomes the 8 bits of a PNG.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PngOptions {
    /// Each stop doubles the brightness.
    pub exposure_stops: f32,
    /// How highlights are brought into the range of a display.
    pub tone_curve: ToneCurve,
    /// Whether to break up the bands of smooth gradients.
    pub dither: bool,
}

impl Default for PngOptions {
    fn default() -> Self {
        Self { exposure_stops: 0.0, tone_curve: ToneCurve::default(), dither: true }
    }
}

/// The bytes of a PNG file: 8-bit RGB with an sRGB chunk. Errors: the picture is larger than PNG allows.
pub fn encode_png(picture: &Picture, options: &PngOptions) -> Result<Vec<u8>, ImageError> {
    let mut texels = Vec::with_capacity(picture.pixels().len() * 3);
    for (y, row) in (0u32..).zip(picture.rows()) {
        for (x, &radiance) in (0u32..).zip(row) {
            let display = options.tone_curve.apply(radiance, options.exposure_stops);
            texels.extend(quantize(display, options.dither.then_some((x, y))));
        }
    }
    encode(picture.width(), picture.height(), &texels)
        .map_err(|e| ImageError::Encode { format: "PNG", reason: e.to_string() })
}

fn encode(width: u32, height: u32, rgb: &[u8]) -> Result<Vec<u8>, ::png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}
