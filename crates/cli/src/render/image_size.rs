//! Size of the images, and the part of them that is rendered.

use sunfleck_command::Failure;
use sunfleck_image::TileRect;
use sunfleck_integrators::Algorithm;
use sunfleck_scene::CameraFilm;

use super::args::{DEFAULT_HEIGHT, DEFAULT_WIDTH, RenderArgs};
use super::crop::Crop;

/// Size of the images of a rendering, which are those of the arguments, or else of the camera's film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageSize {
    /// Width and height of the whole image, pixels.
    pub(super) full: [u32; 2],
    /// Part that the arguments or the film ask for.
    pub(super) crop: Option<Crop>,
    /// Pixels to write.
    pub(super) window: TileRect,
}

impl ImageSize {
    /// Returns the size that the arguments ask for; what they do not give is that of the film.
    ///
    /// # Errors
    /// The part to render is not inside the image.
    pub(super) fn new(args: &RenderArgs, film: Option<CameraFilm>) -> Result<Self, Failure> {
        let default = film.map_or([DEFAULT_WIDTH, DEFAULT_HEIGHT], |film| [film.width, film.height]);
        let full = full_size([args.width, args.height], default);
        let crop = args.crop.or_else(|| film?.crop_at(full).map(Crop::new));
        let [x1, y1] = full;
        let whole = TileRect { x0: 0, y0: 0, x1, y1 };
        let window = crop.map_or(Ok(whole), |crop| crop.inside(x1, y1))?;
        Ok(Self { full, crop, window })
    }

    /// Returns the pixels to render; `None` for the whole image.
    pub(super) fn part(&self) -> Option<TileRect> {
        let is_whole = [self.window.width(), self.window.height()] == self.full;
        (!is_whole).then_some(self.window)
    }

    /// Returns width and height of what is rendered: the part of the image, or all of it for algorithms with a filter
    /// over the whole image.
    pub(super) fn rendered(&self, algorithm: &Algorithm) -> [u32; 2] {
        match algorithm.samples_are_frames() {
            true => self.full,
            false => [self.window.width(), self.window.height()],
        }
    }

    /// Returns the aspect ratio of the whole image, width over height.
    pub(super) fn aspect(&self) -> f32 {
        let [width, height] = self.full;
        width as f32 / height as f32
    }
}

/// Returns width and height, of which a single one that is given keeps the shape of the default.
fn full_size(given: [Option<u32>; 2], [default_width, default_height]: [u32; 2]) -> [u32; 2] {
    let scaled = |edge: u32, numerator: u32, denominator: u32| {
        let twice = u64::from(edge) * u64::from(numerator) * 2 / u64::from(denominator);
        u32::try_from(twice.div_ceil(2)).unwrap_or(u32::MAX).max(1)
    };
    match given {
        [None, None] => [default_width, default_height],
        [Some(width), None] => [width, scaled(width, default_height, default_width)],
        [None, Some(height)] => [scaled(height, default_width, default_height), height],
        [Some(width), Some(height)] => [width, height],
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RenderArgs,
    }

    #[test]
    fn a_part_that_is_the_whole_image_is_none() {
        let film = CameraFilm { width: 40, height: 30, crop: Some([9, 5, 12, 8]) };
        let size = |options: &str, film| {
            let words = ["render"].into_iter().chain(options.split_whitespace());
            ImageSize::new(&Line::parse_from(words).args, film)
        };
        let part = |size: ImageSize| size.part().map(|part| [part.x0, part.y0, part.x1, part.y1]);
        assert_eq!(part(size("", Some(film)).unwrap()), Some([9, 5, 21, 13]));
        assert_eq!(part(size("--crop 0,0,40,30", Some(film)).unwrap()), None);
        assert_eq!(part(size("--crop 0,0,40,29", Some(film)).unwrap()), Some([0, 0, 40, 29]));
        assert_eq!(part(size("", None).unwrap()), None);
        assert!(size("--crop 0,0,41,30", Some(film)).is_err(), "the film is smaller than the default");
        let large = CameraFilm { width: 2000, height: 1000, crop: None };
        assert!(size("--crop 1900,900,8,8", Some(large)).is_ok(), "and this one is larger");
    }

    #[test]
    fn one_edge_keeps_the_shape_of_the_film() {
        assert_eq!(full_size([None, None], [640, 480]), [640, 480]);
        assert_eq!(full_size([Some(320), None], [640, 480]), [320, 240]);
        assert_eq!(full_size([None, Some(960)], [640, 480]), [1280, 960]);
        assert_eq!(full_size([Some(1), None], [640, 1]), [1, 1], "an edge has at least a pixel");
        assert_eq!(full_size([Some(7), Some(9)], [640, 480]), [7, 9]);
    }
}
