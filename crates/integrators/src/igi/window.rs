//! What the discontinuity filter looks at: a tile and the pixels around it.

use sunfleck_math::{Vec3, vec3};
use sunfleck_transport::vectors::LANES;

use crate::tile_light::{
    DISTANCE, EdgeSample, HIGHLIGHT, NS, NUMBERS, REFLECTED, SURFACE, Surface, TileLight, WEIGHT,
};
use crate::tiling::Tiling;

/// The numbers of each pixel, row by row, in each row number by number. Small enough to stay in cache, and used for one tile after the
/// other.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// From each pixel of the tile to each side.
    radius: usize,
    /// Numbers of a row; what a whole vector reads beyond the pixels is not used.
    pub(super) stride: usize,
    pub(super) floats: Vec<f32>,
    /// Whether there are highlights at all.
    pub(super) highlights: bool,
    /// For each row the samples of pixels on edges, with their columns, which increase.
    edges: Vec<Vec<(u32, EdgeSample)>>,
}

impl Window {
    /// Looks at tile number `tile`.
    ///
    /// * `tiles` — all of the film, as `tiling` has them.
    pub(super) fn look_at(&mut self, tile: usize, tiles: &[TileLight], tiling: &Tiling, radius: u32) {
        let rect = tiles[tile].rect;
        let (width, height) = (rect.width() + 2 * radius, rect.height() + 2 * radius);
        self.radius = radius as usize;
        self.stride = width as usize + LANES;
        self.floats.clear();
        self.floats.resize(self.stride * NUMBERS * height as usize, 0.0);
        self.highlights = false;
        self.edges.iter_mut().for_each(Vec::clear);
        self.edges.resize_with(height as usize, Vec::new);

        // The film's pixel (left, top) is (0, 0) here, were there one
        let (left, top) = (i64::from(rect.x0) - i64::from(radius), i64::from(rect.y0) - i64::from(radius));
        for other in tiling.around(rect, radius).map(|i| &tiles[i]) {
            // From the columns and rows of the other tile to those here
            let (dx, dy) = (i64::from(other.rect.x0) - left, i64::from(other.rect.y0) - top);
            let inside = |size: u32, shift: i64, other: u32| {
                let first = u32::try_from(-shift).unwrap_or(0);
                first..other.min(u32::try_from(i64::from(size) - shift).unwrap_or(0))
            };
            let columns = inside(width, dx, other.rect.width());
            for y in inside(height, dy, other.rect.height()) {
                let here = |x: u32| (dx + i64::from(x)).unsigned_abs();
                self.take_row(other, y, columns.clone(), (dy + i64::from(y)).unsigned_abs(), here);
            }
        }
        self.edges.iter_mut().for_each(|row| row.sort_by_key(|(column, _)| *column));
    }

    /// Takes some pixels of row `y` of a tile into row `row`.
    #[allow(clippy::cast_possible_truncation, reason = "numbers of pixels of a window")]
    fn take_row(
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

    /// Where a pixel of the tile is.
    pub(super) fn at(&self, x: u32, y: u32) -> usize {
        (y as usize + self.radius) * self.row() + x as usize + self.radius
    }

    /// From a pixel to the one below.
    pub(super) fn row(&self) -> usize {
        self.stride * NUMBERS
    }

    /// Light and weight of the pixels around one of the tile that see a surface alone.
    pub(super) fn of_pixels(&self, x: u32, y: u32, surface: &Surface) -> (Vec3, Vec3) {
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

    /// Light and weight of the samples around a pixel of the tile that see a surface beside others.
    pub(super) fn of_samples(&self, x: u32, y: u32, surface: &Surface) -> (Vec3, Vec3) {
        let (mut reflected, mut weight) = (Vec3::ZERO, Vec3::ZERO);
        // Pixel x of the tile is column x + radius here
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

    /// The surface at a place; none continues it where there is none.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers below 2²⁴")]
    fn surface_at(&self, at: usize) -> Surface {
        let number = |number: usize| self.floats[at + number * self.stride];
        Surface { ns: self.vector(NS, at), distance: number(DISTANCE), id: number(SURFACE) as u32 }
    }

    fn vector(&self, first: usize, at: usize) -> Vec3 {
        let number = |number: usize| self.floats[at + number * self.stride];
        vec3(number(first), number(first + 1), number(first + 2))
    }
}
