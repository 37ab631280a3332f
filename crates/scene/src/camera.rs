use serde::{Deserialize, Serialize};

/// Camera. Its node defines the position and orientation: it looks along −z, y is up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Name, for display only.
    pub name: String,
    /// Mapping of image points to rays.
    pub projection: Projection,
}

/// Projection of a [`Camera`]. Its horizontal extent follows from the aspect ratio of the image.
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
        Self { name: name.into(), projection: Projection::Perspective { fov_y_radians } }
    }
}
