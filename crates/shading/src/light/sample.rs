use sunfleck_math::Vec3;

/// Light that arrives at a point, by way of a point on a light chosen by [`super::LightTable::sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightSample {
    /// Unit vector to the light.
    pub wi: Vec3,
    /// How far away the point on the light is; infinite for environment and directional lights.
    pub distance: f32,
    /// Radiance from there, if nothing blocks it. Of a light without extent: the irradiance of a facing surface. Either
    /// way the light reflected is `f |cos| · radiance / pdf_solid_angle`.
    pub radiance: Vec3,
    /// Density of `wi`, sr⁻¹, with the probability of the light; for a light without extent that probability alone.
    pub pdf_solid_angle: f32,
    /// Whether the light has no extent, so that scattering never finds it.
    pub delta: bool,
}

/// Where a point of a light lies as seen from somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectionToLight {
    /// Unit.
    pub(super) wi: Vec3,
    pub(super) distance: f32,
}

impl DirectionToLight {
    /// `None` if the points are the same, or too near or far for their distance to be a float.
    #[inline(always)]
    pub(super) fn between(from: Vec3, to: Vec3) -> Option<Self> {
        let offset = to - from;
        let distance = offset.length();
        (distance > 0.0 && distance.is_finite()).then(|| Self { wi: offset / distance, distance })
    }
}
