//! Decoding of the formats that the `image` crate supports.

use std::io::Cursor;

use ::image::codecs::gif::GifDecoder;
use ::image::codecs::png::PngDecoder;
use ::image::codecs::webp::WebPDecoder;
use ::image::{AnimationDecoder, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::note::Notes;
use super::size::StatedSize;
use super::{Decoded, partial};
use crate::ImageError;

/// File name extensions of the formats that [`decode_file`](super::decode_file) reads, in lower case.
pub const READABLE_EXTENSIONS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "bmp", "tga", "webp", "ppm", "pgm", "pbm", "pnm", "tif", "tiff", "dds",
    "hdr", "exr",
];

/// Formats of the `image` crate that are supported, with their names, and how many times smaller than its texels a file
/// can be.
const FORMATS: [(ImageFormat, &str, u64); 7] = [
    // A code of deflate stands for at most 258 bytes and takes at least two bits
    (ImageFormat::Png, "PNG", 1032),
    // 64 values take at least one bit
    (ImageFormat::Jpeg, "JPEG", 1536),
    (ImageFormat::Gif, "GIF", 4096),
    (ImageFormat::Bmp, "BMP", 256),
    (ImageFormat::Tga, "TGA", 256),
    // Images of one colour take no bits at all
    (ImageFormat::WebP, "WebP", 1 << 16),
    (ImageFormat::Pnm, "PNM", 16),
];

pub(super) fn decode(bytes: &[u8], hint: &str, limit: u64, notes: &mut Notes) -> Result<Decoded, ImageError> {
    let hint = hint.trim_start_matches('.').to_ascii_lowercase();
    let format = ::image::guess_format(bytes)
        .ok()
        .or_else(|| ImageFormat::from_extension(&hint))
        .or_else(|| ImageFormat::from_mime_type(&hint));
    let (format, name, compression) =
        FORMATS.into_iter().find(|&(f, ..)| Some(f) == format).ok_or(ImageError::UnknownFormat)?;
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
    let size = StatedSize {
        format: name,
        width: u64::from(width),
        height: u64::from(height),
        file_bits: u64::from(decoder.original_color_type().bits_per_pixel()),
        texel_bytes: 4 * bytes_per_channel,
    };
    size.check(limit, bytes.len(), compression)?;

    let decoded = match DynamicImage::from_decoder(decoder) {
        Ok(image) => rgba(image),
        Err(error) if format == ImageFormat::Png => {
            partial::png(bytes, notes).ok_or_else(|| malformed(error))?
        }
        Err(error) => return Err(malformed(error)),
    };
    if format == ImageFormat::Jpeg && partial::jpeg_ends_early(bytes) {
        notes.missing("the file ends early; the missing pixels are grey");
    }
    if is_animated(format, bytes) {
        notes.choice("the first frame of the animation is shown");
    }
    Ok(decoded)
}

fn is_animated(format: ImageFormat, bytes: &[u8]) -> bool {
    let bytes = Cursor::new(bytes);
    match format {
        ImageFormat::Gif => GifDecoder::new(bytes)
            .is_ok_and(|gif| gif.into_frames().take(2).filter(Result::is_ok).count() == 2),
        ImageFormat::Png => PngDecoder::new(bytes).is_ok_and(|png| png.is_apng().unwrap_or(false)),
        ImageFormat::WebP => WebPDecoder::new(bytes).is_ok_and(|webp| webp.has_animation()),
        _ => false,
    }
}

/// Converts to four channels in the precision of the file.
fn rgba(image: DynamicImage) -> Decoded {
    let (width, height) = (image.width(), image.height());
    match image {
        DynamicImage::ImageLuma16(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgb16(_)
        | DynamicImage::ImageRgba16(_) => {
            Decoded::Rgba16 { width, height, texels: quads(image.into_rgba16().into_raw()) }
        }
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
            Decoded::Rgba32F { width, height, texels: quads(image.into_rgba32f().into_raw()) }
        }
        _ => Decoded::Rgba8 { width, height, texels: quads(image.into_rgba8().into_raw()) },
    }
}

fn quads<T: Copy>(flat: Vec<T>) -> Vec<[T; 4]> {
    flat.as_chunks::<4>().0.to_vec()
}
