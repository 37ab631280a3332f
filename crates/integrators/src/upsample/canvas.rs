//! Pixels of a band of rows, with the light of their surfaces.

use sunfleck_math::{Vec2, Vec3, vec2};

use super::light::LightImage;
use super::primary::Primary;

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
        Self { light, to_light: light.mapping_of(width, height), offset, width, top, pixels }
    }

    /// Sets a pixel to the radiance of what it shows.
    #[inline(always)]
    pub(super) fn draw(&mut self, [x, y]: [u32; 2], primary: &Primary) {
        let radiance = match primary {
            Primary::Environment(radiance) => *radiance,
            Primary::Surface(surface) => {
                let (scale, shift) = self.to_light;
                self.light.radiance((vec2(x as f32, y as f32) + self.offset) * scale + shift, surface)
            }
        };
        self.pixels[((y - self.top) * self.width + x) as usize] = radiance;
    }
}
