use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use sunfleck_math::{atan2, tan};

/// Aspect ratios that a [`Camera`] may have.
pub const VALID_ASPECT_RATIOS: RangeInclusive<f32> = 1e-3..=1e3;

/// Camera. Its node defines the position and orientation: it looks along −z, y is up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Name, for display only.
    pub name: String,
    /// Mapping of image points to rays.
    pub projection: Projection,
    /// Least aspect ratio, width over height, at which an image shows all that the camera is meant to show: narrower
    /// images keep the horizontal extent of an image of this aspect ratio instead of the vertical one.
    pub aspect_ratio: Option<f32>,
    /// Size of the images that the author renders with this camera, if there is one.
    pub film: Option<CameraFilm>,
}

/// Size of images, and the part of them that is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameraFilm {
    /// Width of the whole image, pixels, 1 to [`MAX_FILM_EDGE`].
    pub width: u32,
    /// Height of the whole image, pixels, 1 to [`MAX_FILM_EDGE`].
    pub height: u32,
    /// Part of the image: column and row of its upper left pixel, width and height. `None` is the whole image.
    pub crop: Option<[u32; 4]>,
}

/// Longest edge of a [`CameraFilm`], pixels.
pub const MAX_FILM_EDGE: u32 = 65_536;

impl CameraFilm {
    /// Creates a film with a crop window, which is reduced to what is inside of the image; `None` if nothing is, or the
    /// size is out of range.
    ///
    /// * `[x0, y0, x1, y1]` — pixels of the window, the last ones excluded.
    pub fn cropped(width: u32, height: u32, [x0, y0, x1, y1]: [i64; 4]) -> Option<Self> {
        let inside = |x: i64, edge: u32| u32::try_from(x.clamp(0, i64::from(edge))).unwrap_or(0);
        let [x0, x1] = [x0, x1].map(|x| inside(x, width));
        let [y0, y1] = [y0, y1].map(|y| inside(y, height));
        let crop = [x0, y0, x1.saturating_sub(x0), y1.saturating_sub(y0)];
        let film = Self { width, height, crop: (crop != [0, 0, width, height]).then_some(crop) };
        film.is_valid().then_some(film)
    }

    /// Returns whether the size is in range, and the crop window is inside of it and not empty.
    pub fn is_valid(&self) -> bool {
        let edges = 1..=MAX_FILM_EDGE;
        let is_inside = |[x, y, width, height]: [u32; 4]| {
            let fits = |start: u32, length: u32, edge: u32| {
                length > 0 && start.checked_add(length).is_some_and(|end| end <= edge)
            };
            fits(x, width, self.width) && fits(y, height, self.height)
        };
        edges.contains(&self.width) && edges.contains(&self.height) && self.crop.is_none_or(is_inside)
    }

    /// Returns the crop window of an image of another size: each edge is the nearest one, and at least a pixel is left.
    pub fn crop_at(&self, [width, height]: [u32; 2]) -> Option<[u32; 4]> {
        let [x, y, columns, rows] = self.crop?;
        let scaled = |at: u32, from: u32, to: u32| {
            let twice = 2 * u64::from(at) * u64::from(to) + u64::from(from);
            u32::try_from(twice / (2 * u64::from(from))).unwrap_or(to)
        };
        let span = |start: u32, length: u32, from: u32, to: u32| {
            let first = scaled(start, from, to).min(to.saturating_sub(1));
            let end = scaled(start + length, from, to).max(first + 1);
            [first, end - first]
        };
        let [x, columns] = span(x, columns, self.width, width);
        let [y, rows] = span(y, rows, self.height, height);
        Some([x, y, columns, rows])
    }
}

/// Projection of a [`Camera`]. The vertical extent is that of the image; the horizontal one follows from the aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Projection {
    /// Pinhole camera.
    Perspective {
        /// Full vertical field of view, radians, in (0, π).
        fov_y_radians: f32,
    },
    /// Parallel rays.
    Orthographic {
        /// Vertical extent, metres.
        height: f32,
    },
    /// Perspective camera with depth of field: a thin lens with a circular aperture.
    ThinLens {
        /// Full vertical field of view, radians, in (0, π).
        fov_y_radians: f32,
        /// Radius of the aperture, metres.
        lens_radius: f32,
        /// Distance of the plane in focus along −z, metres.
        focus_distance: f32,
    },
}

impl Camera {
    /// Creates a pinhole camera.
    pub fn perspective(name: impl Into<String>, fov_y_radians: f32) -> Self {
        Self::new(name, Projection::Perspective { fov_y_radians })
    }

    /// Creates a camera without an aspect ratio of its own.
    pub fn new(name: impl Into<String>, projection: Projection) -> Self {
        Self { name: name.into(), projection, aspect_ratio: None, film: None }
    }

    /// Returns the camera for images of an aspect ratio: if they are narrower than its own, it sees more above and below.
    pub fn fitted(&self, aspect: f32) -> Self {
        let taller = self.aspect_ratio.map_or(1.0, |own| (own / aspect).max(1.0));
        let mut fitted = self.clone();
        match &mut fitted.projection {
            // The angle of an image that is not narrower keeps its bits
            _ if taller == 1.0 => {}
            Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } => {
                *fov_y_radians = 2.0 * atan2(taller * tan(0.5 * *fov_y_radians), 1.0);
            }
            Projection::Orthographic { height } => *height *= taller,
        }
        fitted
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn crop_windows_follow_the_size_of_the_image() {
        let film = CameraFilm::cropped(100, 50, [10, 20, 30, 25]).unwrap();
        assert_eq!(film.crop, Some([10, 20, 20, 5]));
        assert_eq!(film.crop_at([100, 50]), film.crop);
        assert_eq!(film.crop_at([200, 100]), Some([20, 40, 40, 10]));
        // Rows 4 to 5 of 10 are 0.8 to 1.0 of 2
        assert_eq!(film.crop_at([4, 2]), Some([0, 1, 1, 1]));
        assert_eq!(CameraFilm::cropped(100, 50, [0, 0, 100, 50]).unwrap().crop, None);
        assert_eq!(CameraFilm::cropped(100, 50, [-5, 0, 200, 7]).unwrap().crop, Some([0, 0, 100, 7]));
        assert_eq!(CameraFilm::cropped(100, 50, [100, 0, 200, 7]), None);
        assert_eq!(CameraFilm::cropped(0, 50, [0, 0, 1, 1]), None);
        assert!(!CameraFilm { width: 4, height: 4, crop: Some([1, 1, u32::MAX, 1]) }.is_valid());
    }

    #[test]
    fn narrower_images_keep_the_horizontal_extent() {
        let camera = Camera { aspect_ratio: Some(2.0), ..Camera::perspective("wide", FRAC_PI_2) };
        assert_eq!([3.0, 2.0].map(|aspect| camera.fitted(aspect)), [camera.clone(), camera.clone()]);
        for aspect in [1.5, 1.0, 0.5] {
            let Projection::Perspective { fov_y_radians } = camera.fitted(aspect).projection else {
                panic!()
            };
            let half_width = aspect * tan(0.5 * fov_y_radians);
            assert!((half_width - 2.0).abs() < 1e-5, "{aspect}: {half_width}");
        }
        let flat = Camera {
            aspect_ratio: Some(2.0),
            ..Camera::new("flat", Projection::Orthographic { height: 3.0 })
        };
        assert_eq!(flat.fitted(1.0).projection, Projection::Orthographic { height: 6.0 });
        let free = Camera::perspective("free", FRAC_PI_2);
        assert_eq!(free.fitted(0.1), free);
    }
}
