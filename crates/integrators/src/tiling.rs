//! Division of a film into tiles.

use sunfleck_image::TileRect;

/// Window of an image divided into square tiles, row by row; tiles at the right and lower border may be smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// Pixels of the image that are divided.
    pub(crate) window: TileRect,
    /// Edge length of tiles, pixels, at least 1.
    pub(crate) size: u32,
}

impl Tiling {
    pub(crate) fn len(&self) -> usize {
        self.columns() as usize * self.rows() as usize
    }

    pub(crate) fn rects(self) -> impl Iterator<Item = TileRect> {
        let columns = 0..self.columns();
        (0..self.rows()).flat_map(move |row| columns.clone().map(move |column| self.rect(column, row)))
    }

    /// Returns the index of a tile; `None` if the rectangle is not a tile.
    pub(crate) fn index_of(&self, rect: TileRect) -> Option<usize> {
        if !self.window.contains(rect.x0, rect.y0) {
            return None;
        }
        let (column, row) = ((rect.x0 - self.window.x0) / self.size, (rect.y0 - self.window.y0) / self.size);
        (self.rect(column, row) == rect).then(|| row as usize * self.columns() as usize + column as usize)
    }

    /// Returns the indices of the tiles that overlap a tile extended by `pixels` to each side, itself included.
    pub(crate) fn around(&self, rect: TileRect, pixels: u32) -> impl Iterator<Item = usize> {
        let Self { window, size } = *self;
        let columns = self.columns();
        let span = |from: u32, to: u32, start: u32, end: u32| {
            let (first, last) =
                (from.saturating_sub(pixels).max(start), to.saturating_add(pixels).min(end) - 1);
            (first - start) / size..=(last - start) / size
        };
        let across = span(rect.x0, rect.x1, window.x0, window.x1);
        let down = span(rect.y0, rect.y1, window.y0, window.y1);
        down.flat_map(move |row| across.clone().map(move |column| (row * columns + column) as usize))
    }

    pub(crate) fn columns(&self) -> u32 {
        self.window.width().div_ceil(self.size)
    }

    fn rows(&self) -> u32 {
        self.window.height().div_ceil(self.size)
    }

    fn rect(&self, column: u32, row: u32) -> TileRect {
        let TileRect { x0, y0, x1, y1 } = self.window;
        let (x0, y0) = (x0 + column * self.size, y0 + row * self.size);
        let (x1, y1) = (x0.saturating_add(self.size).min(x1), y0.saturating_add(self.size).min(y1));
        TileRect { x0, y0, x1, y1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_film_once_and_are_found_by_their_rectangle() {
        for (width, height, size) in [(1, 1, 8), (16, 8, 8), (17, 9, 8), (5, 3, 1), (7, 7, u32::MAX)] {
            let tiling = Tiling { window: TileRect { x0: 0, y0: 0, x1: width, y1: height }, size };
            let mut covered = vec![0; (width * height) as usize];
            for (i, rect) in tiling.rects().enumerate() {
                assert_eq!(tiling.index_of(rect), Some(i));
                rect.pixels().for_each(|(x, y)| covered[(y * width + x) as usize] += 1);
                assert_eq!(tiling.index_of(TileRect { x1: rect.x1 + 1, ..rect }), None, "too wide");
            }
            assert_eq!(tiling.rects().count(), tiling.len());
            assert!(covered.iter().all(|&n| n == 1), "{tiling:?}");
        }
        let tiling = Tiling { window: TileRect { x0: 0, y0: 0, x1: 17, y1: 9 }, size: 8 };
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

    #[test]
    fn tiles_of_a_window_keep_the_coordinates_of_the_image() {
        let tiling = Tiling { window: TileRect { x0: 5, y0: 3, x1: 16, y1: 12 }, size: 8 };
        let rects: Vec<TileRect> = tiling.rects().collect();
        assert_eq!(rects[0], TileRect { x0: 5, y0: 3, x1: 13, y1: 11 });
        assert_eq!(rects[3], TileRect { x0: 13, y0: 11, x1: 16, y1: 12 });
        assert_eq!((rects.len(), tiling.len()), (4, 4));
        for (i, &rect) in rects.iter().enumerate() {
            assert_eq!(tiling.index_of(rect), Some(i));
            assert_eq!(tiling.around(rect, 1).collect::<Vec<_>>(), [0, 1, 2, 3]);
        }
        assert_eq!(tiling.index_of(TileRect { x0: 0, y0: 0, x1: 8, y1: 8 }), None, "outside");
    }
}
