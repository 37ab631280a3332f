//! Pixels of a band of rows, with the light of their surfaces.

use fearless_simd::Simd;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_transport::vectors::{LANES, vector};

use super::light::LightImage;
use super::primary::Primary;
use super::surface_block::SurfaceBlock;

/// Band of rows that is drawn.
pub(super) struct BandCanvas<'a> {
    light: &'a LightImage,
    /// From pixels of the full image to those of the light: factor and offset.
    to_light: (f32, Vec2),
    /// Point within the pixels that rays pass through, 0 to 1.
    offset: Vec2,
    width: u32,
    /// First row of the band.
    top: u32,
    /// Radiance of the pixels, row by row.
    pixels: &'a mut [Vec3],
    /// Surfaces whose light is not interpolated yet.
    pending: SurfaceBlock,
    /// Indices of their pixels in the band.
    places: [usize; LANES],
}

impl<'a> BandCanvas<'a> {
    /// * `width`, `height` — size of the full image.
    pub(super) fn new(
        light: &'a LightImage,
        offset: Vec2,
        [width, height]: [u32; 2],
        top: u32,
        pixels: &'a mut [Vec3],
    ) -> Self {
        let to_light = light.mapping_of(width, height);
        let pending = SurfaceBlock::new();
        Self { light, to_light, offset, width, top, pixels, pending, places: [0; LANES] }
    }

    /// Returns whether emitters, the environment and mirrors are shown.
    #[inline(always)]
    pub(super) fn uses_lights(&self) -> bool {
        self.light.uses_lights
    }

    /// Sets a pixel to the radiance of what it shows, not later than by the next [`flush`](Self::flush).
    #[inline(always)]
    pub(super) fn draw<S: Simd>(&mut self, simd: S, [x, y]: [u32; 2], primary: &Primary) {
        let place = ((y - self.top) * self.width + x) as usize;
        match primary {
            Primary::Radiance(radiance) => self.pixels[place] = *radiance,
            Primary::Surface(surface) => {
                let (scale, shift) = self.to_light;
                self.places[self.pending.len] = place;
                self.pending.push((vec2(x as f32, y as f32) + self.offset) * scale + shift, surface);
                if self.pending.len == LANES {
                    self.flush(simd);
                }
            }
        }
    }

    /// Interpolates the light of all surfaces that have been drawn.
    #[inline(always)]
    pub(super) fn flush<S: Simd>(&mut self, simd: S) {
        let radiance = self.light.radiance(simd, &self.pending);
        for (lane, &place) in self.places[..self.pending.len].iter().enumerate() {
            self.pixels[place] = vector(&radiance, lane);
        }
        self.pending.clear();
    }
}
