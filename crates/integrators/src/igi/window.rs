//! Input of the discontinuity filter: a tile and the pixels around it.

use sunfleck_math::{Vec3, vec3};
use sunfleck_transport::vectors::LANES;

use crate::tile_light::{
    DISTANCE, EdgeSample, HIGHLIGHT, NS, NUMBERS, REFLECTED, SURFACE, TileLight, VisibleSurface, WEIGHT,
};
use crate::tiling::Tiling;

/// Filter inputs of a tile extended by the filter radius, `[row][input][column]`. It fits into cache, and its
/// allocations are reused from tile to tile.
#[derive(Debug, Default)]
pub(super) struct FilterWindow {
    /// Radius of the filter, pixels.
    radius: usize,
    /// Number of floats of an input in a row. It is larger than the number of pixels, so that vectors can be read at
    /// the last one.
    pub(super) stride: usize,
    pub(super) floats: Vec<f32>,
    /// Whether any pixel has highlights.
    pub(super) highlights: bool,
    /// Edge samples of each row with their columns, in the order of columns.
    edges: Vec<Vec<(u32, EdgeSample)>>,
}

impl FilterWindow {
    /// Loads tile number `tile` and the pixels around it.
    ///
    /// * `tiles` — all tiles of the film, in the order of `tiling`.
    pub(super) fn load(&mut self, tile: usize, tiles: &[TileLight], tiling: &Tiling, radius: u32) {
        let rect = tiles[tile].rect;
        let (width, height) = (rect.width() + 2 * radius, rect.height() + 2 * radius);
        self.radius = radius as usize;
        self.stride = width as usize + LANES;
        self.floats.clear();
        self.floats.resize(self.stride * NUMBERS * height as usize, 0.0);
        self.highlights = false;
        self.edges.iter_mut().for_each(Vec::clear);
        self.edges.resize_with(height as usize, Vec::new);

        // Pixel (left, top) of the film, which may lie outside, is (0, 0) of the window
        let (left, top) = (i64::from(rect.x0) - i64::from(radius), i64::from(rect.y0) - i64::from(radius));
        for other in tiling.around(rect, radius).map(|i| &tiles[i]) {
            // Offset from columns and rows of the other tile to those of the window
            let (dx, dy) = (i64::from(other.rect.x0) - left, i64::from(other.rect.y0) - top);
            let inside = |size: u32, shift: i64, other: u32| {
                let first = u32::try_from(-shift).unwrap_or(0);
                first..other.min(u32::try_from(i64::from(size) - shift).unwrap_or(0))
            };
            let columns = inside(width, dx, other.rect.width());
            for y in inside(height, dy, other.rect.height()) {
                let here = |x: u32| (dx + i64::from(x)).unsigned_abs();
                self.copy_row(other, y, columns.clone(), (dy + i64::from(y)).unsigned_abs(), here);
            }
        }
        self.edges.iter_mut().for_each(|row| row.sort_by_key(|(column, _)| *column));
    }

    /// Copies some pixels of row `y` of a tile to row `row` of the window.
    #[allow(clippy::cast_possible_truncation, reason = "numbers of pixels of a window")]
    fn copy_row(
        &mut self,
        other: &TileLight,
        y: u32,
        columns: std::ops::Range<u32>,
        row: u64,
        here: impl Fn(u32) -> u64,
    ) {
        let (row, stride, first) = (row as usize, self.stride, y * other.rect.width());
        let numbers = &mut self.floats[row * stride * NUMBERS..][..stride * NUMBERS];
        let (pixels, x) = (first + columns.start..first + columns.end, here(columns.start) as usize);
        let pixels = pixels.start as usize..pixels.end as usize;
        self.highlights |= other.highlights;
        for (number, numbers) in numbers.chunks_exact_mut(stride).enumerate() {
            if other.highlights || !(HIGHLIGHT..HIGHLIGHT + 3).contains(&number) {
                numbers[x..x + pixels.len()].copy_from_slice(other.row(number, pixels.clone()));
            }
        }
        let start = other.edges.partition_point(|edge| edge.pixel < first + columns.start);
        let edges = other.edges[start..].iter().take_while(|edge| edge.pixel < first + columns.end);
        self.edges[row].extend(edges.map(|edge| (here(edge.pixel - first) as u32, *edge)));
    }

    /// Returns the index in `floats` of a pixel of the tile.
    pub(super) fn at(&self, x: u32, y: u32) -> usize {
        (y as usize + self.radius) * self.row() + x as usize + self.radius
    }

    /// Returns the distance in `floats` between a pixel and the one below.
    pub(super) fn row(&self) -> usize {
        self.stride * NUMBERS
    }

    /// Returns the sums of reflected radiance and weight over the neighbouring pixels that see only the given surface.
    pub(super) fn sum_pixels(&self, x: u32, y: u32, surface: &VisibleSurface) -> (Vec3, Vec3) {
        let (radius, start) = (self.radius, self.at(x, y) - self.radius * self.row() - self.radius);
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        for row in 0..=2 * radius {
            for at in (start + row * self.row()..).take(2 * radius + 1) {
                let likely = self.floats[at + SURFACE * self.stride] == surface.id as f32;
                if likely && self.surface_at(at).continues(surface, radius as f32) {
                    reflected += self.vector(REFLECTED, at);
                    weight += self.vector(WEIGHT, at);
                }
            }
        }
        (reflected, weight)
    }

    /// Returns the sums of reflected radiance and weight over the edge samples of neighbouring pixels that lie on the
    /// given surface.
    pub(super) fn sum_edge_samples(&self, x: u32, y: u32, surface: &VisibleSurface) -> (Vec3, Vec3) {
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        // Pixel x of the tile is column x + radius of the window
        let (last, window) = (x as usize + 2 * self.radius, 2 * self.radius + 1);
        for edges in self.edges.iter().skip(y as usize).take(window) {
            let first = edges.partition_point(|(column, _)| *column < x);
            let around = edges[first..].iter().take_while(|(column, _)| *column as usize <= last);
            let continues =
                |(_, sample): &&(u32, EdgeSample)| sample.surface.continues(surface, self.radius as f32);
            for (_, sample) in around.filter(continues) {
                reflected += sample.reflected;
                weight += sample.weight;
            }
        }
        (reflected, weight)
    }

    /// Returns the surface at an index of `floats`. Where there is none, its normal is 0, so that it continues no
    /// surface.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "integers below 2²⁴")]
    fn surface_at(&self, at: usize) -> VisibleSurface {
        let number = |number: usize| self.floats[at + number * self.stride];
        VisibleSurface { ns: self.vector(NS, at), distance: number(DISTANCE), id: number(SURFACE) as u32 }
    }

    fn vector(&self, first: usize, at: usize) -> Vec3 {
        let number = |number: usize| self.floats[at + number * self.stride];
        vec3(number(first), number(first + 1), number(first + 2))
    }
}
