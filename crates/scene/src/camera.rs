use serde::{Deserialize, Serialize};

/// How a picture is taken; its node says from where (looking along −z, y up).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// For people.
    pub name: String,
    /// From the film to rays.
    pub projection: Projection,
}

/// The mapping of a [`Camera`]; the picture's width follows from its aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Projection {
    /// Pinhole.
    Perspective {
        /// Full vertical angle, radians, in (0, π).
        fov_y_radians: f32,
    },
    /// Parallel rays.
    Orthographic {
        /// Vertical extent, metres.
        height: f32,
    },
    /// Perspective through a round lens, sharp at one distance.
    ThinLens {
        /// Full vertical angle, radians, in (0, π).
        fov_y_radians: f32,
        /// Radius of the aperture, metres.
        lens_radius: f32,
        /// Distance of the plane in focus along −z, metres.
        focus_distance: f32,
    },
}

impl Camera {
    /// A pinhole camera.
    pub fn perspective(name: impl Into<String>, fov_y_radians: f32) -> Self {
        Self { name: name.into(), projection: Projection::Perspective { fov_y_radians } }
    }
}
