//! Encoding of images and films as PNG, JPEG, WebP, TIFF, `OpenEXR` and Radiance HDR. Files are written atomically.

mod atomic;
mod display;
mod exr;
mod hdr;
mod png;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::str::FromStr;

pub use atomic::{create_file, replace_file, write_atomically};
pub use display::{BitDepth, DisplayOptions, encode_jpeg, encode_tiff, encode_webp};
pub use exr::{ExrOptions, encode_exr};
pub use hdr::encode_hdr;
pub use png::{encode_png, encode_png_texels, encode_png_texels16};

use sunfleck_math::Vec3;

use crate::{AovSet, Film, ImageError, Picture, TileRect};

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

/// A name that no [`PictureFormat`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no image format `{0}`; there are: {known}", known = PictureFormat::ALL.map(PictureFormat::name).join(", "))]
pub struct UnknownPictureFormat(pub String);

impl PictureFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [Self::Png, Self::Jpeg, Self::WebP, Self::Tiff, Self::Exr, Self::Hdr];

    /// Extensions that [`PictureFormat::from_path`] accepts, for messages.
    pub const EXTENSIONS: &'static str = ".png, .jpg, .webp, .tiff, .exr or .hdr";

    /// Returns the format of the extension of `path`, in upper or lower case. Errors: another extension, or none.
    pub fn from_path(path: &Path) -> Result<Self, ImageError> {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        extension.and_then(|extension| extension.parse().ok()).ok_or_else(|| ImageError::UnknownExtension {
            path: path.to_owned(),
            supported: Self::EXTENSIONS,
        })
    }

    /// Returns the name in options, which is the usual extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Tiff => "tiff",
            Self::Exr => "exr",
            Self::Hdr => "hdr",
        }
    }

    /// Returns whether files of the format contain the image as it is displayed, after a tone curve.
    pub const fn is_display(self) -> bool {
        !matches!(self, Self::Exr | Self::Hdr)
    }

    /// Returns whether files of the format can store how much of a pixel is covered.
    pub const fn has_alpha(self) -> bool {
        !matches!(self, Self::Jpeg | Self::Hdr)
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

/// Parses a [name](PictureFormat::name), or another extension of the format.
impl FromStr for PictureFormat {
    type Err = UnknownPictureFormat;

    fn from_str(name: &str) -> Result<Self, UnknownPictureFormat> {
        let usual = match name {
            "jpeg" => "jpg",
            "tif" => "tiff",
            name => name,
        };
        let found = Self::ALL.into_iter().find(|format| format.name() == usual);
        found.ok_or_else(|| UnknownPictureFormat(name.to_owned()))
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
    let image = OutputImage { film: Some(film), window: film.window(), ..OutputImage::new(radiance) };
    write_atomically(path, &encode(&image, aovs, PictureFormat::from_path(path)?, display)?)
}

/// Writes an image in the format of the extension, as [`save`] does.
pub fn save_picture(picture: &Picture, path: &Path, display: &DisplayOptions) -> Result<(), ImageError> {
    let format = PictureFormat::from_path(path)?;
    write_atomically(path, &encode(&OutputImage::new(picture), AovSet::EMPTY, format, display)?)
}

/// Linear colours behind the covered part of an image, which are not exposed and have no tone curve.
#[derive(Clone, Copy, Debug)]
pub enum OutputBackground<'a> {
    /// The same colour behind all pixels.
    Color(Vec3),
    /// A colour behind each pixel.
    Picture(&'a Picture),
}

impl OutputBackground<'_> {
    /// Returns the colour behind a pixel, row by row from the top; `None` beyond the pixels of a picture.
    fn color(self, pixel: usize) -> Option<Vec3> {
        match self {
            Self::Color(color) => Some(color),
            Self::Picture(picture) => picture.pixels().get(pixel).copied(),
        }
    }
}

/// Image to encode: radiance, and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct OutputImage<'a> {
    /// Radiance of the pixels.
    pub radiance: &'a Picture,
    /// Film of the size of `radiance`, whose AOVs EXR files store.
    pub film: Option<&'a Film>,
    /// Coverage of each pixel, row by row, by which the radiance is multiplied already; `None` for an opaque image.
    pub alpha: Option<&'a [f32]>,
    /// Colours behind what `alpha` leaves: files have no alpha then.
    pub background: Option<OutputBackground<'a>>,
    /// Pixels of the full image that are there: EXR files store their position, and dithering depends on it.
    pub window: TileRect,
    /// Width and height of the full image: the display window of EXR files.
    pub full_size: [u32; 2],
}

impl<'a> OutputImage<'a> {
    /// Makes a full, opaque image without AOVs.
    pub fn new(radiance: &'a Picture) -> Self {
        let full_size = [radiance.width(), radiance.height()];
        let window = TileRect { x0: 0, y0: 0, x1: full_size[0], y1: full_size[1] };
        Self { radiance, film: None, alpha: None, background: None, window, full_size }
    }

    /// Returns the alpha that files store.
    fn stored_alpha(&self) -> Option<&'a [f32]> {
        self.alpha.filter(|_| self.background.is_none())
    }

    /// Returns the radiance with the background behind it; `None` without a background.
    fn composite(&self) -> Option<Picture> {
        let (alpha, background) = (self.alpha?, self.background?);
        let radiance = self.radiance.pixels().iter().zip(alpha).enumerate();
        let pixels = radiance.map_while(|(pixel, (&radiance, alpha))| {
            background.color(pixel).map(|behind| radiance + behind * (1.0 - alpha))
        });
        Picture::new(self.radiance.width(), self.radiance.height(), pixels.collect()).ok()
    }
}

/// Encodes an image as a file. EXR files have premultiplied colours and an alpha channel `A`; PNG, WebP and TIFF files
/// have the tone-mapped colour of the covered part of a pixel; JPEG and HDR files have no alpha.
///
/// * `aovs` — AOVs to store in EXR files, if the film has them.
///
/// Errors: the sizes of the film, of `alpha` and of the radiance differ, or the format cannot have the size.
pub fn encode(
    image: &OutputImage<'_>,
    aovs: AovSet,
    format: PictureFormat,
    display: &DisplayOptions,
) -> Result<Vec<u8>, ImageError> {
    let composite = image.composite().filter(|_| !format.is_display());
    let image = &match &composite {
        Some(radiance) => OutputImage { radiance, alpha: None, background: None, ..*image },
        None => *image,
    };
    match format {
        PictureFormat::Png => png::encode_image(image, display),
        PictureFormat::Jpeg => display::encode_jpeg_image(image, display),
        PictureFormat::WebP => display::encode_webp_image(image, display),
        PictureFormat::Tiff => display::encode_tiff_image(image, display),
        PictureFormat::Exr => exr::encode_image(image, ExrOptions { aovs, ..ExrOptions::default() }),
        PictureFormat::Hdr => Ok(encode_hdr(image.radiance)),
    }
}
