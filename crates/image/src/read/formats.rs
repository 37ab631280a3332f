//! Decoding of the formats that the `image` crate supports.

use std::io::Cursor;

use ::image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::{Decoded, check_size};
use crate::ImageError;

/// Supported formats with their names.
const FORMATS: [(ImageFormat, &str); 8] = [
    (ImageFormat::Png, "PNG"),
    (ImageFormat::Jpeg, "JPEG"),
    (ImageFormat::Gif, "GIF"),
    (ImageFormat::Bmp, "BMP"),
    (ImageFormat::Tga, "TGA"),
    (ImageFormat::WebP, "WebP"),
    (ImageFormat::Pnm, "PNM"),
    (ImageFormat::Hdr, "HDR"),
];

pub(super) fn decode(bytes: &[u8], hint: &str, limit: u64) -> Result<Decoded, ImageError> {
    let hint = hint.trim_start_matches('.').to_ascii_lowercase();
    let format = ::image::guess_format(bytes)
        .ok()
        .or_else(|| ImageFormat::from_extension(&hint))
        .or_else(|| ImageFormat::from_mime_type(&hint));
    let (format, name) =
        FORMATS.into_iter().find(|&(f, _)| Some(f) == format).ok_or(ImageError::UnknownFormat)?;
    let malformed = |e: ::image::ImageError| ImageError::Malformed { format: name, reason: e.to_string() };

    // Check the size before memory is allocated
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(limit.saturating_mul(2));
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(malformed)?;
    let (width, height) = decoder.dimensions();
    let color = decoder.color_type();
    let bytes_per_channel = u64::from(color.bytes_per_pixel()) / u64::from(color.channel_count().max(1));
    check_size(u64::from(width), u64::from(height), 4 * bytes_per_channel, limit)?;

    let decoded = DynamicImage::from_decoder(decoder).map_err(malformed)?;
    Ok(rgba(decoded))
}

/// Converts to four channels in the precision of the file.
fn rgba(image: DynamicImage) -> Decoded {
    let (width, height) = (image.width(), image.height());
    match image {
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
            Decoded::Rgba32F { width, height, texels: quads(image.into_rgba32f().into_raw()) }
        }
        DynamicImage::ImageLuma16(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgb16(_)
        | DynamicImage::ImageRgba16(_) => {
            Decoded::Rgba16 { width, height, texels: quads(image.into_rgba16().into_raw()) }
        }
        _ => Decoded::Rgba8 { width, height, texels: quads(image.into_rgba8().into_raw()) },
    }
}

fn quads<T: Copy>(flat: Vec<T>) -> Vec<[T; 4]> {
    flat.as_chunks::<4>().0.to_vec()
}
