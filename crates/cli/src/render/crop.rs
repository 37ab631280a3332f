//! Part of the image that is rendered.

use std::str::FromStr;

use sunfleck_command::Failure;
use sunfleck_image::TileRect;

/// Value of `--crop`: column and row of the upper left pixel, width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crop {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl FromStr for Crop {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "it must be four whole numbers X,Y,WIDTH,HEIGHT, such as 100,50,64,48";
        let numbers: Vec<u32> =
            text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| FORM)?;
        match numbers[..] {
            [_, _, 0, _] | [_, _, _, 0] => Err("its width and height must be at least 1"),
            [x, y, width, height] => Ok(Self { x, y, width, height }),
            _ => Err(FORM),
        }
    }
}

impl Crop {
    pub(super) fn new([x, y, width, height]: [u32; 4]) -> Self {
        Self { x, y, width, height }
    }

    /// Returns column, row, width and height.
    pub(super) fn to_array(self) -> [u32; 4] {
        [self.x, self.y, self.width, self.height]
    }

    /// Returns the pixels of the part of an image of the given size.
    ///
    /// # Errors
    /// The part is not inside the image.
    pub(super) fn inside(self, width: u32, height: u32) -> Result<TileRect, Failure> {
        let Self { x: x0, y: y0, .. } = self;
        let (x1, y1) = (x0.saturating_add(self.width), y0.saturating_add(self.height));
        if x1 > width || y1 > height {
            return Err(Failure::bad_input(format!(
                "--crop: the part ends at column {x1} and row {y1}, but the image has {width} × {height} pixels"
            )));
        }
        Ok(TileRect { x0, y0, x1, y1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_inside_the_image() {
        let crop: Crop = "2, 3,4,5".parse().unwrap();
        assert_eq!(crop.inside(6, 8).unwrap(), TileRect { x0: 2, y0: 3, x1: 6, y1: 8 });
        assert!(crop.inside(5, 8).is_err() && crop.inside(6, 7).is_err(), "one pixel too many");
        let far: Crop = "1,4294967295,1,4294967295".parse().unwrap();
        assert!(far.inside(9, 9).is_err(), "no overflow");
        assert!(
            ["", "1,2,3", "1,2,3,4,5", "1,2,0,4", "1,2,3,0", "-1,2,3,4", "1.5,2,3,4"]
                .iter()
                .all(|text| text.parse::<Crop>().is_err())
        );
    }
}
