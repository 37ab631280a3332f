use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

/// A light without extent; its node says where it is and (along −z) where it points.
///
/// Lights with extent are surfaces whose [`crate::Material`] has emission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// For people.
    pub name: String,
    /// Point and spot: intensity, W/sr (cd). Directional: irradiance of a facing surface, W/m² (lx).
    pub emission: Vec3,
    /// Its shape.
    pub kind: LightKind,
}

/// The shape of a [`Light`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LightKind {
    /// Everywhere the same.
    Point,
    /// A cone around −z: full inside the inner angle, falling to nothing at the outer one, as
    /// `KHR_lights_punctual` says. Angles from the axis, radians, 0 ≤ inner < outer ≤ π/2.
    Spot {
        /// Full intensity up to here.
        inner_radians: f32,
        /// Nothing from here.
        outer_radians: f32,
    },
    /// From infinitely far along −z.
    Directional,
}
