use sunfleck_math::Vec3;

/// An image of linear Rec.709 radiance, row by row from the top; at least one pixel.
///
/// Images of a film are finite; those of a file may contain NaN or infinity.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<Vec3>,
}

/// Reason why [`Picture::new`] refused its data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an image of {width}×{height} pixels needs one value per pixel, and at least one pixel, not {found} values"
)]
pub struct PictureError {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Number of values.
    pub found: usize,
}

impl Picture {
    /// Makes an image of `width * height` pixels. Errors: another number of pixels, or none.
    pub fn new(width: u32, height: u32, pixels: Vec<Vec3>) -> Result<Self, PictureError> {
        if pixels.is_empty() || pixels.len() as u64 != u64::from(width) * u64::from(height) {
            return Err(PictureError { width, height, found: pixels.len() });
        }
        Ok(Self { width, height, pixels })
    }

    /// Makes an image whose pixel in column `x`, row `y` is `value(x, y)`. Errors: no pixels.
    pub fn from_fn(
        width: u32,
        height: u32,
        mut value: impl FnMut(u32, u32) -> Vec3,
    ) -> Result<Self, PictureError> {
        let pixels =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Self::new(width, height, pixels)
    }

    /// Returns the image with `change` applied to every pixel.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(Vec3) -> Vec3) -> Self {
        Self { pixels: self.pixels.iter().map(|&p| change(p)).collect(), ..*self }
    }

    /// Returns the width in pixels, at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels, at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns all pixels, row by row from the top.
    pub fn pixels(&self) -> &[Vec3] {
        &self.pixels
    }

    /// Returns all pixels as a mutable slice.
    pub fn pixels_mut(&mut self) -> &mut [Vec3] {
        &mut self.pixels
    }

    /// Converts the image to its pixels, row by row from the top.
    pub fn into_pixels(self) -> Vec<Vec3> {
        self.pixels
    }

    /// Returns the pixel in column `x`, row `y`; outside the image, the nearest pixel.
    pub fn pixel(&self, x: u32, y: u32) -> Vec3 {
        let (x, y) = (x.min(self.width - 1) as usize, y.min(self.height - 1) as usize);
        self.pixels[y * self.width as usize + x]
    }

    /// Returns the rows from the top; each has [`Picture::width`] pixels.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Vec3]> {
        self.pixels.chunks_exact(self.width as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert!(Picture::new(2, 3, vec![Vec3::ZERO; 6]).is_ok());
        assert!(Picture::new(2, 3, vec![Vec3::ZERO; 5]).is_err());
        assert!(Picture::new(0, 3, Vec::new()).is_err());
        assert!(Picture::new(u32::MAX, u32::MAX, vec![Vec3::ZERO; 1]).is_err(), "no overflow");
    }

    #[test]
    fn rows_run_from_the_top() {
        let picture = Picture::from_fn(3, 2, |x, y| Vec3::new(x as f32, y as f32, 0.0)).unwrap();
        assert_eq!(picture.pixel(2, 1), Vec3::new(2.0, 1.0, 0.0));
        assert_eq!(picture.rows().nth(1).unwrap()[0], Vec3::new(0.0, 1.0, 0.0));
        assert_eq!(picture.pixel(9, 9), picture.pixel(2, 1));
    }
}
