use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

/// Punctual light. Its node defines the position, and the direction along its −z axis.
///
/// Area lights are surfaces whose [`crate::Material`] has emission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// Name, for display only.
    pub name: String,
    /// Point and spot lights: intensity, W/sr (cd). Directional lights: irradiance of a surface perpendicular to the
    /// direction, W/m² (lx).
    pub emission: Vec3,
    /// Kind of light.
    pub kind: LightKind,
}

/// Kind of a [`Light`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LightKind {
    /// Emits with the same intensity in all directions.
    Point,
    /// Emits in a cone around −z: the intensity is full within the inner angle and falls to 0 at the outer angle.
    /// Angles are measured from the axis, in radians, 0 ≤ inner < outer ≤ π/2.
    Spot {
        /// Angle up to which the intensity is full.
        inner_radians: f32,
        /// Angle from which the intensity is 0.
        outer_radians: f32,
        /// How the intensity falls between the angles.
        #[serde(default)]
        falloff: SpotFalloff,
    },
    /// Light along −z from an infinite distance.
    Directional,
}

/// Factor of the intensity of a spot between its inner and its outer angle, from 1 to 0. With the cosine of an angle to
/// the axis, δ = (cos − cos outer) / (cos inner − cos outer).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SpotFalloff {
    /// δ², as `KHR_lights_punctual` recommends.
    #[default]
    Quadratic,
    /// 3δ² − 2δ³, as in pbrt-v4 [PBRT4, §12.2.1].
    Smooth,
    /// δ⁴, as in pbrt-v3.
    Quartic,
    /// Linear in the angle, as in Mitsuba.
    Linear,
}
