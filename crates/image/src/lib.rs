//! Film, reconstruction filters, tone curves, image files and image metrics.
//!
//! A [`FilterSampler`] places a camera sample on the film, a [`Film`] sums the samples (in f64, tile by tile, in a
//! fixed order, so that the image is a function of the samples alone) and returns the image as a [`Picture`], and
//! [`save`] writes it: PNG through a [`ToneCurve`], EXR and Radiance HDR linearly. Tests, benchmarks and tools share
//! the image metrics of [`metrics`].
//!
//! Colours are linear Rec.709 RGB radiance; row 0 is the top of an image.
//!
//! ```
//! use sunfleck_image::{AovSet, Film, Filter, FilterSampler, PixelSample, TileRect};
//! use sunfleck_math::{Vec2, Vec3};
//!
//! let filter = FilterSampler::new(Filter::default());
//! let mut film = Film::new(4, 4, AovSet::EMPTY);
//! let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 4, y1: 4 });
//! for (x, y) in tile.rect().pixels() {
//!     let placed = filter.sample(Vec2::new(0.3, 0.8));
//!     let position_on_film = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) + placed.offset;
//!     let radiance = Vec3::splat(position_on_film.x); // computed by a renderer
//!     tile.add(x, y, &PixelSample { radiance, weight: placed.weight, ..PixelSample::default() });
//! }
//! film.put(tile)?;
//! assert_eq!(film.radiance().pixel(3, 0).x, film.radiance().pixel(3, 3).x);
//! # Ok::<(), sunfleck_image::FilmError>(())
//! ```
#![forbid(unsafe_code)]

pub mod color;
mod cube;
mod error;
mod false_color;
mod film;
mod filter;
pub mod metrics;
mod picture;
mod primaries;
mod read;
pub mod srgb;
mod tone;
mod write;

pub use cube::CubeLayout;
pub use error::{ImageError, io_reason};
pub use false_color::{REFLECTION_KNOTS, diverging, magma, reflection_levels};
pub use film::{
    Aov, AovSample, AovSet, Features, Film, FilmBand, FilmError, FilmTile, NoiseEstimate, PixelSample,
    PixelSums, TileRect, UnknownAov, instance_color,
};
pub use filter::{Filter, FilterCell, FilterSample, FilterSampler, UnknownFilter};
pub use picture::{Picture, PictureError};
pub use primaries::Primaries;
pub use read::{
    DEFAULT_DECODE_LIMIT, Decoded, DecodedFile, ImageNote, READABLE_EXTENSIONS, decode, decode_file,
    decode_within, narrow_to_8_bits, read_picture, read_picture_with_notes, read_regular_file,
};
pub use tone::{
    LuminanceHistogram, Metering, ToneCurve, UnknownToneCurve, automatic_exposure, exposure_of, meter,
    quantize,
};
pub use write::{
    BitDepth, DisplayOptions, ExrOptions, OutputBackground, OutputImage, PictureFormat, UnknownPictureFormat,
    create_file, encode, encode_exr, encode_hdr, encode_jpeg, encode_png, encode_png_texels,
    encode_png_texels16, encode_tiff, encode_webp, replace_file, save, save_picture, write_atomically,
};
