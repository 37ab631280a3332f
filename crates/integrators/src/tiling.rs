//! Division of a film into tiles.

use sunfleck_image::TileRect;

/// Film divided into square tiles, row by row; tiles at the right and lower border may be smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Edge length of tiles, pixels, at least 1.
    pub(crate) size: u32,
}

impl Tiling {
    pub(crate) fn len(&self) -> usize {
        self.columns() as usize * self.height.div_ceil(self.size) as usize
    }

    pub(crate) fn rects(self) -> impl Iterator<Item = TileRect> {
        let columns = 0..self.columns();
        let rows = 0..self.height.div_ceil(self.size);
        rows.flat_map(move |row| columns.clone().map(move |column| self.rect(column, row)))
    }

    /// Returns the index of a tile; `None` if the rectangle is not a tile.
    pub(crate) fn index_of(&self, rect: TileRect) -> Option<usize> {
        let (column, row) = (rect.x0 / self.size, rect.y0 / self.size);
        let inside = rect.x0 < self.width && rect.y0 < self.height;
        let index = || row as usize * self.columns() as usize + column as usize;
        (inside && self.rect(column, row) == rect).then(index)
    }

    /// Returns the indices of the tiles that overlap a tile extended by `pixels` to each side, itself included.
    pub(crate) fn around(&self, rect: TileRect, pixels: u32) -> impl Iterator<Item = usize> {
        let (size, columns) = (self.size, self.columns());
        let span = |from: u32, to: u32, end: u32| {
            from.saturating_sub(pixels) / size..=(to.saturating_add(pixels).min(end) - 1) / size
        };
        let (across, down) = (span(rect.x0, rect.x1, self.width), span(rect.y0, rect.y1, self.height));
        down.flat_map(move |row| across.clone().map(move |column| (row * columns + column) as usize))
    }

    pub(crate) fn columns(&self) -> u32 {
        self.width.div_ceil(self.size)
    }

    fn rect(&self, column: u32, row: u32) -> TileRect {
        let (x0, y0) = (column * self.size, row * self.size);
        let x1 = x0.saturating_add(self.size).min(self.width);
        TileRect { x0, y0, x1, y1: y0.saturating_add(self.size).min(self.height) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_film_once_and_are_found_by_their_rectangle() {
        for (width, height, size) in [(1, 1, 8), (16, 8, 8), (17, 9, 8), (5, 3, 1), (7, 7, u32::MAX)] {
            let tiling = Tiling { width, height, size };
            let mut covered = vec![0; (width * height) as usize];
            for (i, rect) in tiling.rects().enumerate() {
                assert_eq!(tiling.index_of(rect), Some(i));
                rect.pixels().for_each(|(x, y)| covered[(y * width + x) as usize] += 1);
                assert_eq!(tiling.index_of(TileRect { x1: rect.x1 + 1, ..rect }), None, "too wide");
            }
            assert_eq!(tiling.rects().count(), tiling.len());
            assert!(covered.iter().all(|&n| n == 1), "{tiling:?}");
        }
        let tiling = Tiling { width: 17, height: 9, size: 8 };
        let around = |i: usize, pixels| -> Vec<usize> {
            tiling.around(tiling.rects().nth(i).unwrap(), pixels).collect()
        };
        assert_eq!(around(0, 0), [0], "itself");
        assert_eq!(around(1, 1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(around(0, 2), [0, 1, 3, 4]);
        assert_eq!(around(5, 100), [0, 1, 2, 3, 4, 5]);
        for (x0, y0) in [(4, 0), (24, 0), (0, 16), (u32::MAX, u32::MAX)] {
            assert_eq!(tiling.index_of(TileRect { x0, y0, x1: x0, y1: y0 }), None, "not a tile");
        }
    }
}
