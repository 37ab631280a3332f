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
        Self { name: name.into(), projection, aspect_ratio: None }
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
