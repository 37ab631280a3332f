//! Encoding of images and films as PNG, `OpenEXR` and Radiance HDR. Files are written atomically.

mod atomic;
mod exr;
mod hdr;
mod png;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use atomic::write_atomically;
pub use exr::{ExrOptions, encode_exr};
pub use hdr::encode_hdr;
pub use png::{PngOptions, encode_png, encode_png_texels};

use crate::{Film, ImageError, Picture};

/// Writable image format, selected by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG: 8-bit sRGB, after a tone curve.
    Png,
    /// `OpenEXR`: linear, and the only format with AOVs.
    Exr,
    /// Radiance HDR: linear, three mantissas of 8 bits with a common exponent.
    Hdr,
}

impl PictureFormat {
    /// Extensions that [`PictureFormat::from_path`] accepts, for messages.
    pub const EXTENSIONS: &'static str = ".png, .exr or .hdr";

    /// Returns the format of the extension of `path`, in upper or lower case. Errors: another extension, or none.
    pub fn from_path(path: &Path) -> Result<Self, ImageError> {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("exr") => Ok(Self::Exr),
            Some("hdr") => Ok(Self::Hdr),
            _ => Err(ImageError::UnknownExtension { path: path.to_owned(), supported: Self::EXTENSIONS }),
        }
    }
}

/// Writes a film in the format of the extension: PNG and HDR files contain the radiance, EXR files also the AOVs.
///
/// The file is [written atomically](write_atomically). Errors: unknown extension, the file cannot be written.
pub fn save(film: &Film, path: &Path, png: &PngOptions) -> Result<(), ImageError> {
    let bytes = match PictureFormat::from_path(path)? {
        PictureFormat::Png => encode_png(&film.radiance(), png)?,
        PictureFormat::Exr => encode_exr(&film.radiance(), Some(film), ExrOptions::default())?,
        PictureFormat::Hdr => encode_hdr(&film.radiance()),
    };
    write_atomically(path, &bytes)
}

/// Writes an image in the format of the extension, as [`save`] does.
pub fn save_picture(picture: &Picture, path: &Path, png: &PngOptions) -> Result<(), ImageError> {
    let bytes = match PictureFormat::from_path(path)? {
        PictureFormat::Png => encode_png(picture, png)?,
        PictureFormat::Exr => encode_exr(picture, None, ExrOptions::default())?,
        PictureFormat::Hdr => encode_hdr(picture),
    };
    write_atomically(path, &bytes)
}
