//! Encoding of images and films; files are written completely or not at all.

mod exr;
mod hdr;
mod png;
#[cfg(test)]
mod tests;
mod whole;

use std::path::Path;

pub use exr::{ExrOptions, encode_exr};
pub use hdr::encode_hdr;
pub use png::{PngOptions, encode_png, encode_png_texels};
pub use whole::write_whole;

use crate::{Film, ImageError, Picture};

/// Writable image format, selected by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// 8-bit sRGB through a tone curve.
    Png,
    /// Linear; the only one that holds AOVs.
    Exr,
    /// Linear, three mantissas of 8 bits with a common exponent.
    Hdr,
}

impl PictureFormat {
    /// The extensions that [`PictureFormat::from_path`] knows, for messages.
    pub const EXTENSIONS: &'static str = ".png, .exr or .hdr";

    /// The format that the extension of `path` names, in upper or lower case. Errors: another one, or none.
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

/// Writes a film in the format that the extension names: PNG and HDR hold the radiance, EXR the AOVs too.
///
/// The file is [written whole](write_whole). Errors: unknown extension, the file cannot be written.
pub fn save(film: &Film, path: &Path, png: &PngOptions) -> Result<(), ImageError> {
    let bytes = match PictureFormat::from_path(path)? {
        PictureFormat::Png => encode_png(&film.radiance(), png)?,
        PictureFormat::Exr => encode_exr(&film.radiance(), Some(film), ExrOptions::default())?,
        PictureFormat::Hdr => encode_hdr(&film.radiance()),
    };
    write_whole(path, &bytes)
}

/// [`save`] for an image.
pub fn save_picture(picture: &Picture, path: &Path, png: &PngOptions) -> Result<(), ImageError> {
    let bytes = match PictureFormat::from_path(path)? {
        PictureFormat::Png => encode_png(picture, png)?,
        PictureFormat::Exr => encode_exr(picture, None, ExrOptions::default())?,
        PictureFormat::Hdr => encode_hdr(picture),
    };
    write_whole(path, &bytes)
}
