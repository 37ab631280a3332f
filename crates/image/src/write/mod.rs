//! Encoding of images and films as PNG, JPEG, WebP, TIFF, `OpenEXR` and Radiance HDR. Files are written atomically.

mod atomic;
mod display;
mod exr;
mod hdr;
mod png;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use atomic::{create_file, replace_file, write_atomically};
pub use display::{BitDepth, DisplayOptions, encode_jpeg, encode_tiff, encode_webp};
pub use exr::{ExrOptions, encode_exr};
pub use hdr::encode_hdr;
pub use png::{encode_png, encode_png_texels, encode_png_texels16};

use crate::{AovSet, Film, ImageError, Picture};

/// Writable image format, selected by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG: sRGB of 8 or 16 bits, after a tone curve.
    Png,
    /// JPEG: 8-bit sRGB, after a tone curve, with loss.
    Jpeg,
    /// WebP: 8-bit sRGB, after a tone curve, lossless.
    WebP,
    /// TIFF: sRGB of 8 or 16 bits, after a tone curve.
    Tiff,
    /// `OpenEXR`: linear, and the only format with AOVs.
    Exr,
    /// Radiance HDR: linear, three mantissas of 8 bits with a common exponent.
    Hdr,
}

impl PictureFormat {
    /// Extensions that [`PictureFormat::from_path`] accepts, for messages.
    pub const EXTENSIONS: &'static str = ".png, .jpg, .webp, .tiff, .exr or .hdr";

    /// Returns the format of the extension of `path`, in upper or lower case. Errors: another extension, or none.
    pub fn from_path(path: &Path) -> Result<Self, ImageError> {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg),
            Some("webp") => Ok(Self::WebP),
            Some("tif" | "tiff") => Ok(Self::Tiff),
            Some("exr") => Ok(Self::Exr),
            Some("hdr") => Ok(Self::Hdr),
            _ => Err(ImageError::UnknownExtension { path: path.to_owned(), supported: Self::EXTENSIONS }),
        }
    }

    /// Returns whether files of the format contain the image as it is displayed, after a tone curve.
    pub const fn is_display(self) -> bool {
        !matches!(self, Self::Exr | Self::Hdr)
    }

    /// Returns the largest width and height of an image in the format, pixels.
    pub const fn max_edge(self) -> u32 {
        match self {
            Self::Jpeg => 65_535,
            Self::WebP => 16_384,
            Self::Png | Self::Tiff | Self::Exr | Self::Hdr => u32::MAX,
        }
    }
}

/// Writes a film in the format of the extension: EXR files contain the radiance and AOVs, HDR files the radiance, all
/// others the radiance as it is displayed.
///
/// * `radiance` — that of the film, or a denoised one. * `aovs` — AOVs to store in EXR files, if the film has them.
///
/// The file is [written atomically](write_atomically). Errors: unknown extension, the sizes of `film` and `radiance`
/// differ, the file cannot be written.
pub fn save(
    film: &Film,
    radiance: &Picture,
    aovs: AovSet,
    path: &Path,
    display: &DisplayOptions,
) -> Result<(), ImageError> {
    let exr = ExrOptions { aovs, ..ExrOptions::default() };
    write_atomically(path, &encode(radiance, Some(film), PictureFormat::from_path(path)?, display, exr)?)
}

/// Writes an image in the format of the extension, as [`save`] does.
pub fn save_picture(picture: &Picture, path: &Path, display: &DisplayOptions) -> Result<(), ImageError> {
    let format = PictureFormat::from_path(path)?;
    write_atomically(path, &encode(picture, None, format, display, ExrOptions::default())?)
}

fn encode(
    picture: &Picture,
    film: Option<&Film>,
    format: PictureFormat,
    display: &DisplayOptions,
    exr: ExrOptions,
) -> Result<Vec<u8>, ImageError> {
    match format {
        PictureFormat::Png => encode_png(picture, display),
        PictureFormat::Jpeg => encode_jpeg(picture, display),
        PictureFormat::WebP => encode_webp(picture, display),
        PictureFormat::Tiff => encode_tiff(picture, display),
        PictureFormat::Exr => encode_exr(picture, film, exr),
        PictureFormat::Hdr => Ok(encode_hdr(picture)),
    }
}
