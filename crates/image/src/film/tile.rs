use serde::{Deserialize, Serialize};

use super::sums::Sums;
use super::{AovSet, FilmError, PixelSample};

/// Rectangle of pixels with `x0 <= x < x1` and `y0 <= y < y1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TileRect {
    /// First column.
    pub x0: u32,
    /// First row; row 0 is the top.
    pub y0: u32,
    /// Column after the last.
    pub x1: u32,
    /// Row after the last.
    pub y1: u32,
}

impl TileRect {
    /// Returns the number of columns.
    pub fn width(&self) -> u32 {
        self.x1.saturating_sub(self.x0)
    }

    /// Returns the number of rows.
    pub fn height(&self) -> u32 {
        self.y1.saturating_sub(self.y0)
    }

    /// Returns the number of pixels.
    pub fn area(&self) -> usize {
        self.width() as usize * self.height() as usize
    }

    /// Returns whether the pixel is inside.
    pub fn contains(&self, x: u32, y: u32) -> bool {
        (self.x0..self.x1).contains(&x) && (self.y0..self.y1).contains(&y)
    }

    /// Returns the pixels in both rectangles; if there are none, an empty rectangle at the corner of `self`.
    #[must_use]
    pub fn intersection(&self, other: Self) -> Self {
        let both = Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        };
        if both.area() == 0 { Self { x1: self.x0, y1: self.y0, ..*self } } else { both }
    }

    /// Returns the pixels, row by row from the top.
    pub fn pixels(self) -> impl Iterator<Item = (u32, u32)> {
        (self.y0..self.y1).flat_map(move |y| (self.x0..self.x1).map(move |x| (x, y)))
    }

    /// Returns the index of a pixel, which has to be inside, in an array of the pixels.
    pub(super) fn index(&self, x: u32, y: u32) -> usize {
        (y - self.y0) as usize * self.width() as usize + (x - self.x0) as usize
    }
}

/// Sums of a rectangle of a [`Film`](crate::Film): the unit of work of a CPU thread.
///
/// Tiles are plain data that can be sent to another machine, in an encoding that keeps every bit of an f64. Data that
/// are inconsistent or not finite are rejected by deserialisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedTile")]
pub struct FilmTile {
    pub(super) rect: TileRect,
    pub(super) aovs: AovSet,
    pub(super) sums: Sums,
}

/// Tile as it is deserialised, before it is validated.
#[derive(Deserialize)]
struct UncheckedTile {
    rect: TileRect,
    aovs: AovSet,
    sums: Sums,
}

impl TryFrom<UncheckedTile> for FilmTile {
    type Error = FilmError;

    fn try_from(tile: UncheckedTile) -> Result<Self, FilmError> {
        let UncheckedTile { rect, aovs, sums } = tile;
        if !sums.fits(rect.area(), aovs) {
            return Err(FilmError::Inconsistent);
        }
        if !sums.are_finite() {
            return Err(FilmError::NotFinite);
        }
        Ok(Self { rect, aovs, sums })
    }
}

impl FilmTile {
    /// Makes a tile without samples.
    pub fn new(rect: TileRect, aovs: AovSet) -> Self {
        Self { rect, aovs, sums: Sums::zero(rect.area(), aovs) }
    }

    /// Returns the pixels of the film in the tile.
    pub fn rect(&self) -> TileRect {
        self.rect
    }

    /// Returns the recorded AOVs.
    pub fn aovs(&self) -> AovSet {
        self.aovs
    }

    /// Returns the number of samples of a pixel; 0 outside the tile.
    pub fn samples(&self, x: u32, y: u32) -> u32 {
        if self.rect.contains(x, y) { self.sums.samples[self.rect.index(x, y)] } else { 0 }
    }

    /// Returns the number of samples of each pixel, row by row, dropped ones included.
    pub fn attempts(&self) -> impl Iterator<Item = u32> + '_ {
        let Sums { samples, dropped, .. } = &self.sums;
        samples.iter().zip(dropped).map(|(&samples, &dropped)| samples.saturating_add(dropped))
    }

    /// Adds a sample to the pixel in column `x`, row `y` of the film; a sample outside the tile is ignored.
    ///
    /// Sums are rounded in the order of the calls. If the samples of a pixel are added in the order of their numbers,
    /// the result is a function of the samples alone. A sample with NaN or infinite radiance is counted as dropped.
    pub fn add(&mut self, x: u32, y: u32, sample: &PixelSample) {
        self.sums.as_mut().add(self.rect, x, y, sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_are_not_finite_are_rejected() {
        let FilmTile { rect, aovs, mut sums } =
            FilmTile::new(TileRect { x0: 0, y0: 0, x1: 2, y1: 1 }, AovSet::ALL);
        let decoded = |sums: &Sums| FilmTile::try_from(UncheckedTile { rect, aovs, sums: sums.clone() });
        assert!(decoded(&sums).is_ok(), "zeros are finite");
        sums.ns[1][2] = f64::NAN;
        assert_eq!(decoded(&sums), Err(FilmError::NotFinite));
    }
}
