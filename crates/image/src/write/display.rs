//! Images as they are displayed: exposure, tone curve and quantisation, and the formats that `image` encodes.

use image::{ExtendedColorType, ImageEncoder, ImageResult};

use crate::srgb::srgb_from_linear_rgb;
use crate::tone::{ToneCurve, quantize};
use crate::{ImageError, Picture};

/// Quality of JPEG files, 1 to 100: hardly visible loss.
const JPEG_QUALITY: u8 = 95;

/// Number of bits per channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum BitDepth {
    /// 8 bits.
    #[default]
    Eight,
    /// 16 bits, for PNG and TIFF; the other formats have 8.
    Sixteen,
}

/// Options of the conversion from radiance to the integers of a file.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DisplayOptions {
    /// Exposure in stops, each of which doubles the radiance.
    pub exposure_stops: f32,
    /// Tone curve.
    pub tone_curve: ToneCurve,
    /// Whether to dither 8-bit images, which avoids banding of smooth gradients.
    pub dither: bool,
    /// Number of bits per channel.
    pub depth: BitDepth,
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self { exposure_stops: 0.0, tone_curve: ToneCurve::default(), dither: true, depth: BitDepth::Eight }
    }
}

impl DisplayOptions {
    /// Returns the sRGB bytes of an image, row by row from the top.
    pub(super) fn bytes(&self, picture: &Picture) -> Vec<u8> {
        let mut texels = Vec::with_capacity(picture.pixels().len() * 3);
        for (y, row) in (0u32..).zip(picture.rows()) {
            for (x, &radiance) in (0u32..).zip(row) {
                let display = self.tone_curve.apply(radiance, self.exposure_stops);
                texels.extend(quantize(display, self.dither.then_some((x, y))));
            }
        }
        texels
    }

    /// Returns the 16-bit sRGB values of an image, row by row from the top.
    pub(super) fn words(&self, picture: &Picture) -> Vec<u16> {
        let word = |value: f32| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, 65535.5]")]
            let word = (value * 65535.0 + 0.5) as u16;
            word
        };
        let texel = |&radiance| {
            srgb_from_linear_rgb(self.tone_curve.apply(radiance, self.exposure_stops)).to_array().map(word)
        };
        picture.pixels().iter().flat_map(texel).collect()
    }
}

/// Encodes a JPEG file. Errors: the image is larger than 65,535 pixels along an edge.
pub fn encode_jpeg(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    let written = write_8_bits(encoder, picture, options);
    finish("JPEG", written, bytes)
}

/// Encodes a lossless WebP file. Errors: the image is larger than 16,384 pixels along an edge.
pub fn encode_webp(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut bytes);
    let written = write_8_bits(encoder, picture, options);
    finish("WebP", written, bytes)
}

/// Encodes a TIFF file. Errors: the image is larger than TIFF allows.
pub fn encode_tiff(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    let mut file = std::io::Cursor::new(Vec::new());
    let encoder = image::codecs::tiff::TiffEncoder::new(&mut file);
    let written = match options.depth {
        BitDepth::Eight => write_8_bits(encoder, picture, options),
        BitDepth::Sixteen => {
            let bytes: Vec<u8> = options.words(picture).into_iter().flat_map(u16::to_ne_bytes).collect();
            encoder.write_image(&bytes, picture.width(), picture.height(), ExtendedColorType::Rgb16)
        }
    };
    finish("TIFF", written, file.into_inner())
}

fn write_8_bits(encoder: impl ImageEncoder, picture: &Picture, options: &DisplayOptions) -> ImageResult<()> {
    encoder.write_image(&options.bytes(picture), picture.width(), picture.height(), ExtendedColorType::Rgb8)
}

fn finish(format: &'static str, written: ImageResult<()>, bytes: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    written.map(|()| bytes).map_err(|error| ImageError::Encode { format, reason: error.to_string() })
}
