use glam::Affine2;
use serde::{Deserialize, Serialize};
use sunfleck_math::{Vec3, Vec4};

use crate::{Procedural, TextureId};

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

/// The scattering model of a [`Material`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Surface {
    /// glTF 2.0 metallic-roughness: GGX over a diffuse base.
    MetallicRoughness {
        /// Reflectance of the metal, albedo of the dielectric; alpha feeds [`Material::alpha`].
        base_color: ColorTexture,
        /// 0 dielectric … 1 metal.
        metallic: f32,
        /// Perceptual roughness, 0 … 1; GGX's α is its square.
        roughness: f32,
        /// Multiplies roughness (green) and metallic (blue).
        metallic_roughness_texture: Option<TextureRef>,
    },
    /// Ideal diffuse reflection.
    Lambert {
        /// Fraction of light reflected; alpha feeds [`Material::alpha`].
        albedo: ColorTexture,
    },
    /// Ideal mirror.
    Mirror {
        /// Fraction of light reflected at every angle.
        reflectance: Vec3,
    },
    /// Smooth interface between air and a clear medium inside (front = outside).
    Dielectric {
        /// Index of refraction inside over outside, > 0.
        ior: f32,
        /// Fraction of the transmitted light that passes the interface; 1 is clear glass.
        tint: Vec3,
    },
}

/// A colour, perhaps multiplied with a texture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColorTexture {
    /// Linear colour and alpha.
    pub factor: Vec4,
    /// Multiplied in.
    pub texture: Option<TextureRef>,
}

impl From<Vec3> for ColorTexture {
    fn from(color: Vec3) -> Self {
        Self { factor: color.extend(1.0), texture: None }
    }
}

/// A texture with the coordinates it is read at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextureRef {
    /// Which image.
    pub texture: TextureId,
    /// Which texture coordinates of the mesh: 0 or 1.
    pub uv_set: u8,
    /// Applied to the mesh's coordinates first (`KHR_texture_transform`).
    pub uv_transform: Affine2,
}

impl TextureRef {
    /// Read at the mesh's first coordinates as they are.
    pub fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, uv_transform: Affine2::IDENTITY }
    }
}

/// A tangent-space normal map, glTF convention (+y is up the image's −v).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalMap {
    /// Linear texture.
    pub texture: TextureRef,
    /// Multiplies x and y of the map.
    pub scale: f32,
}

/// Light that a surface radiates by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Emission {
    /// Radiance, W/(m² sr); zero: none.
    pub radiance: Vec3,
    /// Multiplied in.
    pub texture: Option<TextureRef>,
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
        let of_surface = match &self.surface {
            Surface::MetallicRoughness { base_color, metallic_roughness_texture, .. } => {
                [base_color.texture, *metallic_roughness_texture]
            }
            Surface::Lambert { albedo } => [albedo.texture, None],
            Surface::Mirror { .. } | Surface::Dielectric { .. } => [None, None],
        };
        let others = [self.emission.texture, self.normal_map.map(|map| map.texture)];
        of_surface.into_iter().chain(others).flatten().map(|reference| reference.texture)
    }
}
