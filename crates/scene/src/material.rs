use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::parameter::Parameters;
use crate::{Procedural, Surface, TextureId, TextureRef, parameters};

/// How a surface looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// For people.
    pub name: String,
    /// How it scatters light.
    pub surface: Surface,
    /// Multiplies the base colour; surfaces without one keep their colour. Its relief perturbs the shading normal.
    pub procedural: Option<Procedural>,
    /// Perturbs the shading normal.
    pub normal_map: Option<NormalMap>,
    /// What it radiates.
    pub emission: Emission,
    /// Where it is not there.
    pub alpha: Alpha,
    /// Whether the back emits too. Both sides of every surface scatter.
    pub double_sided: bool,
}

/// A tangent-space normal map, glTF convention (+y is up the image's −v).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalMap {
    /// Linear texture.
    pub texture: TextureRef,
    /// Multiplies x and y of the map.
    pub scale: f32,
}

parameters! {
    /// Light that a surface emits.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Emission {
        /// Radiance that the front of the surface emits in every direction; black emits nothing.
        pub radiance: Vec3 = Vec3::ZERO, in 0.0..=f32::MAX, slider 0.0..=100.0, unit "W/(m² sr)", label "emission";
        /// Multiplies the radiance.
        pub texture: Option<TextureRef> = None, label "emission texture";
    }
}

/// What the alpha of the base colour means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Alpha {
    /// Nothing.
    #[default]
    Opaque,
    /// The surface is there where alpha is at least `cutoff`.
    Mask {
        /// 0 … 1.
        cutoff: f32,
    },
    /// Alpha is the fraction of rays that meet the surface; the others pass straight on.
    Blend,
}

impl Material {
    /// A material with the given scattering, opaque and dark.
    pub fn new(name: impl Into<String>, surface: Surface) -> Self {
        Self {
            name: name.into(),
            surface,
            procedural: None,
            normal_map: None,
            emission: Emission::default(),
            alpha: Alpha::Opaque,
            double_sided: false,
        }
    }

    /// Ideal diffuse of one colour.
    pub fn lambert(name: impl Into<String>, albedo: Vec3) -> Self {
        Self::new(name, Surface::Lambert { albedo: albedo.into() })
    }

    /// GGX of one colour.
    pub fn metallic_roughness(
        name: impl Into<String>,
        base_color: Vec3,
        metallic: f32,
        roughness: f32,
    ) -> Self {
        let metallic_roughness_texture = None;
        let base_color = base_color.into();
        Self::new(
            name,
            Surface::MetallicRoughness { base_color, metallic, roughness, metallic_roughness_texture },
        )
    }

    /// Ideal mirror.
    pub fn mirror(name: impl Into<String>, reflectance: Vec3) -> Self {
        Self::new(name, Surface::Mirror { reflectance })
    }

    /// Clear glass.
    pub fn dielectric(name: impl Into<String>, ior: f32) -> Self {
        Self::new(name, Surface::Dielectric { ior, tint: Vec3::ONE })
    }

    /// A lamp: black, radiating from its front.
    pub fn emitter(name: impl Into<String>, radiance: Vec3) -> Self {
        Self::lambert(name, Vec3::ZERO).with_emission(radiance)
    }

    /// The same, of a solid pattern.
    pub fn with_procedural(self, procedural: Procedural) -> Self {
        Self { procedural: Some(procedural), ..self }
    }

    /// The same, radiating.
    pub fn with_emission(self, radiance: Vec3) -> Self {
        Self { emission: Emission { radiance, texture: None }, ..self }
    }

    /// The same, radiating from both sides.
    pub fn with_double_sided(self) -> Self {
        Self { double_sided: true, ..self }
    }

    /// Every texture that it refers to.
    pub fn textures(&self) -> impl Iterator<Item = TextureId> + '_ {
        let tables: [&dyn Parameters; 2] = [&self.surface, &self.emission];
        let values = tables.into_iter().flat_map(Parameters::values);
        let normal_map = self.normal_map.map(|map| map.texture);
        values.filter_map(|(_, value)| value.texture()).chain(normal_map).map(|reference| reference.texture)
    }
}
