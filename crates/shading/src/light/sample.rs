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
    /// Which light, in the order of [`super::LightTable`].
    pub light: usize,
    /// Whether the light has no extent, so that scattering never finds it.
    pub delta: bool,
}
