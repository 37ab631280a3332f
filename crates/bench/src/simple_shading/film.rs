use fearless_simd::{Simd, SimdBase, SimdSplit, f32x16};
use sunfleck_math::Vec3;

use crate::rays::TILE;

/// Number of pixels of a tile.
const TILE_PIXELS: usize = (TILE * TILE) as usize;
/// Edge of a tile, pixels.
const EDGE: usize = TILE as usize;

/// Square image that is written in the order of primary rays. It has one plane per colour channel, row by row from the
/// top.
#[derive(Clone, Debug)]
pub struct TiledFilm {
    width: usize,
    planes: [Vec<f32>; 3],
}

impl TiledFilm {
    /// Returns a black image of `resolution`² pixels, rounded down to a multiple of 8.
    pub fn new(resolution: u32) -> Self {
        let width = (resolution / TILE).max(1) as usize * EDGE;
        Self { width, planes: std::array::from_fn(|_| vec![0.0; width * width]) }
    }

    /// Returns the number of pixels per side.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the pixels, linear RGB, row by row from the top.
    pub fn pixels(&self) -> Vec<Vec3> {
        let [red, green, blue] = &self.planes;
        red.iter().zip(green).zip(blue).map(|((&r, &g), &b)| Vec3::new(r, g, b)).collect()
    }

    /// Writes the colours of sixteen primary rays, two rows of a tile. `first_ray` is a multiple of sixteen.
    #[inline(always)]
    pub(super) fn put<S: Simd>(&mut self, first_ray: usize, rgb: [f32x16<S>; 3]) {
        let tiles = self.width / EDGE;
        let (tile, row) = (first_ray / TILE_PIXELS, first_ray % TILE_PIXELS / EDGE);
        let at = (tile / tiles * EDGE + row) * self.width + tile % tiles * EDGE;
        for (plane, values) in self.planes.iter_mut().zip(rgb) {
            let (upper, lower) = values.split();
            let Some(two_rows) = plane.get_mut(at..at + self.width + EDGE) else { return };
            upper.store_slice(&mut two_rows[..EDGE]);
            lower.store_slice(&mut two_rows[self.width..]);
        }
    }
}
