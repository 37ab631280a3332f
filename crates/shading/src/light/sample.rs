use sunfleck_math::Vec3;

/// Light that arrives at a point from a point on a light, sampled by [`super::LightTable::sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightSample {
    /// Unit vector to the light.
    pub wi: Vec3,
    /// Distance of the sampled point; infinite for the environment and directional lights.
    pub distance: f32,
    /// Radiance of the sampled point, if it is not occluded; for a punctual light, the irradiance of a surface
    /// that faces it.
    /// In both cases the reflected light is `f |cos| · radiance / pdf_solid_angle`.
    pub radiance: Vec3,
    /// Density of `wi`, sr⁻¹, including the probability of the light; for a punctual light that probability alone.
    pub pdf_solid_angle: f32,
    /// Index of the light, in the order of [`super::LightTable`].
    pub light: usize,
    /// Whether the light has no extent, so that scattering never finds it.
    pub delta: bool,
}
