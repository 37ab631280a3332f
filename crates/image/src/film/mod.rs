//! Film: accumulation of camera samples and of AOVs.

mod aov;
mod band;
mod display;
mod estimate;
mod noise;
mod pixel_sums;
mod sums;
#[cfg(test)]
mod tests;
mod tile;

pub use aov::{Aov, AovSample, AovSet, Features, PixelSample, UnknownAov};
pub use band::FilmBand;
pub use display::instance_color;
pub use noise::NoiseEstimate;
pub use pixel_sums::PixelSums;
pub use tile::{FilmTile, TileRect};

use serde::{Deserialize, Serialize};

/// Sums of camera samples for every pixel, from which images can be computed at any time.
///
/// Samples are added to [`FilmTile`]s, which are copied with [`Film::tile`] and put back with [`Film::put`]; or in
/// place to [`FilmBand`]s, which are rows of the film. Pixels are independent of each other, so that the order of tiles
/// does not matter.
///
/// Memory: 96 bytes per pixel, plus the AOVs in its [`AovSet`].
///
/// A film can be written to a file and read again, in an encoding that keeps every bit of an f64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FilmTile")]
pub struct Film {
    /// Sums of all pixels, as one tile.
    whole: FilmTile,
}

impl TryFrom<FilmTile> for Film {
    type Error = FilmError;

    fn try_from(whole: FilmTile) -> Result<Self, FilmError> {
        let starts_at_origin = (whole.rect.x0, whole.rect.y0) == (0, 0);
        if starts_at_origin && whole.rect.area() > 0 {
            Ok(Self { whole })
        } else {
            Err(FilmError::Inconsistent)
        }
    }
}

/// Reason why a tile does not belong to a film.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilmError {
    /// The tile extends beyond the film.
    #[error("the tile {rect:?} is not inside the film of {width}×{height} pixels")]
    OutOfBounds {
        /// Pixels of the tile.
        rect: TileRect,
        /// Width of the film.
        width: u32,
        /// Height of the film.
        height: u32,
    },
    /// The tile records other AOVs.
    #[error("the tile records other AOVs than the film")]
    AovMismatch,
    /// The tile's arrays do not have the size of its rectangle.
    #[error("the data of the tile are inconsistent")]
    Inconsistent,
    /// The tile has sums that are not finite, which cannot result from samples.
    #[error("the sums of the tile are not finite")]
    NotFinite,
}

impl Film {
    /// Makes a film without samples. A width or height of 0 counts as 1, so that there is always an image.
    pub fn new(width: u32, height: u32, aovs: AovSet) -> Self {
        let rect = TileRect { x0: 0, y0: 0, x1: width.max(1), y1: height.max(1) };
        Self { whole: FilmTile::new(rect, aovs) }
    }

    /// Makes a film without samples of a part of an image, whose pixels keep their coordinates. An empty part counts as
    /// its first pixel.
    pub fn of_window(window: TileRect, aovs: AovSet) -> Self {
        let x1 = window.x1.max(window.x0.saturating_add(1));
        let y1 = window.y1.max(window.y0.saturating_add(1));
        Self { whole: FilmTile::new(TileRect { x1, y1, ..window }, aovs) }
    }

    /// Returns the pixels of the image that the film has.
    pub fn window(&self) -> TileRect {
        self.whole.rect
    }

    /// Returns the part of the film in `window`, clipped to the film.
    #[must_use]
    pub fn cropped(&self, window: TileRect) -> Self {
        Self { whole: self.tile(window) }
    }

    /// Removes all samples and keeps the allocation.
    pub fn clear(&mut self) {
        self.whole.sums.clear();
    }

    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.whole.rect.width()
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.whole.rect.height()
    }

    /// Returns the recorded AOVs.
    pub fn aovs(&self) -> AovSet {
        self.whole.aovs
    }

    /// Returns a copy of the sums in `rect`, clipped to the film.
    pub fn tile(&self, rect: TileRect) -> FilmTile {
        let rect = self.whole.rect.intersection(rect);
        let mut tile = FilmTile::new(rect, self.whole.aovs);
        tile.sums.copy(rect, &self.whole.sums, self.whole.rect, rect);
        tile
    }

    /// Replaces the film's sums by those of the tile, for the pixels in the tile. Errors: the tile does not
    /// belong to the film.
    pub fn put(&mut self, tile: FilmTile) -> Result<(), FilmError> {
        if tile.rect.area() > 0 && self.whole.rect.intersection(tile.rect) != tile.rect {
            return Err(FilmError::OutOfBounds {
                rect: tile.rect,
                width: self.width(),
                height: self.height(),
            });
        }
        if tile.aovs != self.whole.aovs {
            return Err(FilmError::AovMismatch);
        }
        self.whole.sums.copy(self.whole.rect, &tile.sums, tile.rect, tile.rect);
        Ok(())
    }

    /// Adds the sums of another film of the same size and AOVs, whose samples follow those of this one. If the sizes
    /// differ, pixels are matched by their index in row order, up to the end of the smaller film.
    pub fn add(&mut self, other: &Self) {
        self.whole.sums.merge(&other.whole.sums);
    }

    /// Returns the number of samples of a pixel, without dropped ones; 0 outside the film.
    pub fn samples(&self, x: u32, y: u32) -> u32 {
        self.whole.samples(x, y)
    }

    /// Returns the number of samples of each pixel, row by row, without dropped ones.
    pub fn sample_counts(&self) -> &[u32] {
        &self.whole.sums.samples
    }

    /// Returns the number of samples of each pixel, row by row, dropped ones included.
    pub fn attempts(&self) -> impl Iterator<Item = u32> + '_ {
        self.whole.attempts()
    }

    /// Returns whether no pixel has a sample.
    pub fn is_empty(&self) -> bool {
        self.sample_counts().iter().all(|&samples| samples == 0)
    }

    /// Returns the number of samples dropped because their radiance was NaN or infinite.
    pub fn dropped(&self) -> u64 {
        self.whole.sums.dropped.iter().map(|&n| u64::from(n)).sum()
    }
}
