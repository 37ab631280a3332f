//! Images as they are displayed: exposure, tone curve and quantisation, and the formats that `image` encodes.

use image::{ExtendedColorType, ImageEncoder, ImageResult};
use sunfleck_math::Vec3;

use super::OutputImage;
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
    /// Returns the display-linear colours of an image with their alpha, row by row from the top. Colours are those of
    /// the covered part of a pixel: radiance that is multiplied by alpha cannot be tone-mapped.
    fn colors<'a>(&'a self, image: &OutputImage<'a>) -> impl Iterator<Item = (Vec3, Option<f32>)> + 'a {
        let (alpha, background) = (image.alpha, image.background);
        image.radiance.pixels().iter().enumerate().map(move |(i, &radiance)| {
            let alpha = alpha.map(|alpha| alpha.get(i).copied().unwrap_or(1.0));
            let covered = match alpha {
                Some(alpha) if alpha > 0.0 => radiance / alpha,
                Some(_) => Vec3::ZERO,
                None => radiance,
            };
            let display = self.tone_curve.apply(covered, self.exposure_stops);
            match (alpha, background.and_then(|background| background.color(i))) {
                (Some(alpha), Some(behind)) => (behind + (display - behind) * alpha, None),
                _ => (display, alpha),
            }
        })
    }

    /// Returns the sRGB bytes of an image, row by row from the top, with linear alpha if it has one.
    pub(super) fn bytes(&self, image: &OutputImage<'_>) -> Vec<u8> {
        let channels = if image.stored_alpha().is_some() { 4 } else { 3 };
        let mut texels = Vec::with_capacity(image.radiance.pixels().len() * channels);
        for ((x, y), (display, alpha)) in image.window.pixels().zip(self.colors(image)) {
            texels.extend(quantize(display, self.dither.then_some((x, y))));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, 255.5]")]
            texels.extend(alpha.map(|alpha| (alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8));
        }
        texels
    }

    /// Returns the 16-bit sRGB values of an image, row by row from the top, with linear alpha if it has one.
    pub(super) fn words(&self, image: &OutputImage<'_>) -> Vec<u16> {
        let word = |value: f32| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, 65535.5]")]
            let word = (value * 65535.0 + 0.5) as u16;
            word
        };
        let mut texels = Vec::new();
        for (display, alpha) in self.colors(image) {
            texels.extend(srgb_from_linear_rgb(display).to_array().map(word));
            texels.extend(alpha.map(|alpha| word(alpha.clamp(0.0, 1.0))));
        }
        texels
    }
}

/// Encodes a JPEG file. Errors: the image is larger than 65,535 pixels along an edge.
pub fn encode_jpeg(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    encode_jpeg_image(&OutputImage::new(picture), options)
}

/// Encodes an image as [`encode_jpeg`] does; without a background, what is not covered is black.
pub(super) fn encode_jpeg_image(
    image: &OutputImage<'_>,
    options: &DisplayOptions,
) -> Result<Vec<u8>, ImageError> {
    let image = &OutputImage { alpha: image.alpha.filter(|_| image.background.is_some()), ..*image };
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    let written = write_8_bits(encoder, image, options);
    finish("JPEG", written, bytes)
}

/// Encodes a lossless WebP file. Errors: the image is larger than 16,384 pixels along an edge.
pub fn encode_webp(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    encode_webp_image(&OutputImage::new(picture), options)
}

/// Encodes an image as [`encode_webp`] does, with an alpha channel if it has one.
pub(super) fn encode_webp_image(
    image: &OutputImage<'_>,
    options: &DisplayOptions,
) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut bytes);
    let written = write_8_bits(encoder, image, options);
    finish("WebP", written, bytes)
}

/// Encodes a TIFF file. Errors: the image is larger than TIFF allows.
pub fn encode_tiff(picture: &Picture, options: &DisplayOptions) -> Result<Vec<u8>, ImageError> {
    encode_tiff_image(&OutputImage::new(picture), options)
}

/// Encodes an image as [`encode_tiff`] does, with an alpha channel if it has one.
pub(super) fn encode_tiff_image(
    image: &OutputImage<'_>,
    options: &DisplayOptions,
) -> Result<Vec<u8>, ImageError> {
    let mut file = std::io::Cursor::new(Vec::new());
    let encoder = image::codecs::tiff::TiffEncoder::new(&mut file);
    let written = match options.depth {
        BitDepth::Eight => write_8_bits(encoder, image, options),
        BitDepth::Sixteen => {
            let bytes: Vec<u8> = options.words(image).into_iter().flat_map(u16::to_ne_bytes).collect();
            let color = match image.stored_alpha() {
                Some(_) => ExtendedColorType::Rgba16,
                None => ExtendedColorType::Rgb16,
            };
            encoder.write_image(&bytes, image.radiance.width(), image.radiance.height(), color)
        }
    };
    finish("TIFF", written, file.into_inner())
}

fn write_8_bits(
    encoder: impl ImageEncoder,
    image: &OutputImage<'_>,
    options: &DisplayOptions,
) -> ImageResult<()> {
    let color =
        if image.stored_alpha().is_some() { ExtendedColorType::Rgba8 } else { ExtendedColorType::Rgb8 };
    encoder.write_image(&options.bytes(image), image.radiance.width(), image.radiance.height(), color)
}

fn finish(format: &'static str, written: ImageResult<()>, bytes: Vec<u8>) -> Result<Vec<u8>, ImageError> {
    written.map(|()| bytes).map_err(|error| ImageError::Encode { format, reason: error.to_string() })
}
