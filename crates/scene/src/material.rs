use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::parameter::Parameters;
use crate::{ColorTexture, Media, Procedural, Surface, TextureId, TextureRef, parameters};

/// Material: scattering, emission and transparency of a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name, for display only.
    pub name: String,
    /// Scattering model.
    pub surface: Surface,
    /// Solid texture, which multiplies the base colour if the scattering model has one. The relief of the
    /// texture perturbs the shading normal.
    pub procedural: Option<Procedural>,
    /// Normal map, which perturbs the shading normal.
    pub normal_map: Option<NormalMap>,
    /// Emission of the surface.
    pub emission: Emission,
    /// Interpretation of the alpha of the base colour.
    pub alpha: Alpha,
    /// Whether the back face emits, too. Both sides of every surface scatter light.
    pub double_sided: bool,
    /// Participating media on both sides of the surface.
    #[serde(default)]
    pub media: Media,
}

/// Tangent-space normal map, in the convention of glTF (+y is the −v direction of the image).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalMap {
    /// Linear texture.
    pub texture: TextureRef,
    /// Factor of the x and y components of the map.
    pub scale: f32,
}

parameters! {
    /// Emission of a surface.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Emission {
        /// Radiance that the front of the surface emits in every direction; black emits nothing.
        pub radiance: Vec3 = Vec3::ZERO, in 0.0..=f32::MAX, slider 0.0..=100.0, unit "W/(m² sr)", label "emission";
        /// Multiplies the radiance.
        pub texture: Option<TextureRef> = None, label "emission texture";
    }
}

/// Interpretation of the alpha of the base colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Alpha {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// The surface exists only where alpha is at least `cutoff`.
    Mask {
        /// Threshold in [0, 1].
        cutoff: f32,
    },
    /// Alpha is the probability that a ray hits the surface; other rays pass without deflection.
    Blend,
}

impl Material {
    /// Creates an opaque material with a scattering model, without emission.
    pub fn new(name: impl Into<String>, surface: Surface) -> Self {
        Self {
            name: name.into(),
            surface,
            procedural: None,
            normal_map: None,
            emission: Emission::default(),
            alpha: Alpha::Opaque,
            double_sided: false,
            media: Media::default(),
        }
    }

    /// Creates an ideal diffuse material.
    pub fn lambert(name: impl Into<String>, albedo: Vec3) -> Self {
        Self::new(name, Surface::Lambert { albedo: albedo.into() })
    }

    /// Creates a metallic-roughness material (GGX).
    pub fn metallic_roughness(
        name: impl Into<String>,
        base_color: impl Into<ColorTexture>,
        metallic: f32,
        roughness: f32,
    ) -> Self {
        let metallic_roughness_texture = None;
        let base_color = base_color.into();
        Self::new(
            name,
            Surface::MetallicRoughness {
                base_color,
                metallic,
                roughness,
                ior: 1.5,
                metallic_roughness_texture,
            },
        )
    }

    /// Creates an ideal mirror.
    pub fn mirror(name: impl Into<String>, reflectance: Vec3) -> Self {
        Self::new(name, Surface::Mirror { reflectance })
    }

    /// Creates a smooth dielectric, such as clear glass.
    pub fn dielectric(name: impl Into<String>, ior: f32) -> Self {
        Self::new(name, Surface::smooth_dielectric(ior, Vec3::ONE))
    }

    /// Creates a black surface that emits from its front face.
    pub fn emitter(name: impl Into<String>, radiance: Vec3) -> Self {
        Self::lambert(name, Vec3::ZERO).with_emission(radiance)
    }

    /// Returns the material with a solid texture.
    pub fn with_procedural(self, procedural: Procedural) -> Self {
        Self { procedural: Some(procedural), ..self }
    }

    /// Returns the material with emission, without an emission texture.
    pub fn with_emission(self, radiance: Vec3) -> Self {
        Self { emission: Emission { radiance, texture: None }, ..self }
    }

    /// Returns the material with emission from both sides.
    pub fn with_double_sided(self) -> Self {
        Self { double_sided: true, ..self }
    }

    /// Returns all textures that the material refers to.
    pub fn textures(&self) -> impl Iterator<Item = TextureId> + '_ {
        let tables: [&dyn Parameters; 2] = [&self.surface, &self.emission];
        let values = tables.into_iter().flat_map(Parameters::values);
        let normal_map = self.normal_map.map(|map| map.texture);
        values.filter_map(|(_, value)| value.texture()).chain(normal_map).map(|reference| reference.texture)
    }
}
