use super::sums::SumsMut;
use super::{Film, PixelSample, TileRect};

/// A range of rows of a [`Film`], to which samples are added in place.
#[derive(Debug)]
pub struct FilmBand<'a> {
    rect: TileRect,
    sums: SumsMut<'a>,
}

impl Film {
    /// Splits the film from the top into bands of `rows` rows, which threads may fill in parallel; the last band has
    /// the remaining rows. 0 rows count as 1.
    pub fn bands(&mut self, rows: u32) -> Vec<FilmBand<'_>> {
        let whole = self.whole.rect;
        let mut sums = self.whole.sums.as_mut();
        let tops = (whole.y0..whole.y1).step_by(rows.max(1) as usize);
        let band = |y0: u32| {
            let rect = TileRect { y0, y1: whole.y1.min(y0.saturating_add(rows.max(1))), ..whole };
            FilmBand { rect, sums: sums.take_first(rect.area()) }
        };
        tops.map(band).collect()
    }
}

impl FilmBand<'_> {
    /// Returns the pixels of the film in the band.
    pub fn rect(&self) -> TileRect {
        self.rect
    }

    /// Adds a sample as [`FilmTile::add`](super::FilmTile::add) does; samples outside the band are ignored.
    pub fn add(&mut self, x: u32, y: u32, sample: &PixelSample) {
        self.sums.add(self.rect, x, y, sample);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Aov, AovSample, AovSet};
    use super::*;
    use sunfleck_math::Vec3;

    /// Returns one sample for each pixel, except in one column.
    fn samples(rect: TileRect) -> impl Iterator<Item = (u32, u32, PixelSample)> {
        rect.pixels().filter(|(x, _)| *x != 3).map(|(x, y)| {
            let aov = AovSample { depth: (x + y) as f32, ..AovSample::MISS };
            (x, y, PixelSample { radiance: Vec3::new(x as f32, y as f32, 1.0), weight: 0.5, aov })
        })
    }

    #[test]
    fn bands_give_the_same_film_as_a_tile() {
        for aovs in [AovSet::EMPTY, AovSet::ALL, AovSet::EMPTY.with(Aov::Depth)] {
            let rect = TileRect { x0: 0, y0: 0, x1: 7, y1: 11 };
            let (mut expected, mut film) = (Film::new(7, 11, aovs), Film::new(7, 11, aovs));
            let mut tile = expected.tile(rect);
            samples(rect).for_each(|(x, y, sample)| tile.add(x, y, &sample));
            expected.put(tile).unwrap();
            for rows in [1, 4, 11, 100] {
                film.clear();
                let bands = film.bands(rows);
                assert_eq!(bands.len(), 11usize.div_ceil(rows as usize), "bands of {rows} rows");
                for mut band in bands {
                    let rect = band.rect();
                    samples(rect).for_each(|(x, y, sample)| band.add(x, y, &sample));
                }
                assert_eq!(film, expected, "bands of {rows} rows");
            }
        }
    }
}
