use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::{ColorTexture, TextureRef, parameters};

parameters! {
    /// Scattering model of a [`Material`](crate::Material).
    ///
    /// The viewer, `sunfleck materials` and `docs/parameters.md` are generated from this table. If the first parameter
    /// of a model is a colour, it is the main colour, which the viewer keeps when the model of a material is changed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Surface {
        /// Metals, plastics, wood and most others: GGX microfacets over a diffuse base, as glTF 2.0 defines them.
        MetallicRoughness = "metallic-roughness", "Metallic-roughness" {
            /// Reflectance of the metal, albedo of the dielectric.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            base_color: ColorTexture = ColorTexture::plain(Vec3::splat(0.6)), in 0.0..=1.0, label "base colour";
            /// 0 is a dielectric such as plastic or wood, 1 a metal.
            metallic: f32 = 0.0, in 0.0..=1.0;
            /// Perceptual roughness of the microfacets; α of GGX is its square.
            roughness: f32 = 0.5, in 0.0..=1.0;
            /// Index of refraction of the dielectric, which decides how much it reflects at normal incidence: 1.5 is 4 %.
            ior: f32 = 1.5, in 1.0..=10.0, slider 1.0..=3.0, label "index of refraction";
            /// Multiplies roughness by its green and metallic by its blue channel.
            metallic_roughness_texture: Option<TextureRef> = None, label "roughness texture";
        }
        /// Ideal diffuse reflection (Lambert).
        Lambert = "lambert", "Diffuse" {
            /// Fraction of light that is reflected.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            albedo: ColorTexture = ColorTexture::plain(Vec3::splat(0.6)), in 0.0..=1.0;
        }
        /// Ideal specular reflection.
        Mirror = "mirror", "Mirror" {
            /// Fraction of light that is reflected, at every angle.
            reflectance: Vec3 = Vec3::splat(0.6), in 0.0..=1.0;
        }
        /// Smooth or rough interface between air and a clear medium inside, such as glass or water.
        /// The front of the surface is outside.
        Dielectric = "dielectric", "Glass" {
            /// Index of refraction inside over that outside; glass has about 1.5, water 1.33.
            ior: f32 = 1.5, in 0.1..=10.0, slider 1.0..=3.0, label "index of refraction";
            /// Fraction of the transmitted light that passes the interface; white is clear.
            tint: Vec3 = Vec3::ONE, in 0.0..=1.0;
            /// Perceptual roughness of the microfacets, whose square is α; 0 is a smooth interface.
            roughness: f32 = 0.0, in 0.0..=1.0;
            /// Difference of α along u and along v, divided by their sum.
            /// The square of the roughness is their geometric mean.
            anisotropy: f32 = 0.0, in -0.99..=0.99;
            /// Whether the microfacets have Beckmann's distribution instead of GGX.
            beckmann: bool = false;
        }
        /// Sheet of a clear medium with air on both sides, such as a window pane or a soap bubble.
        /// It reflects at both of its interfaces, and light that passes keeps its direction.
        ThinDielectric = "thin-dielectric", "Thin glass" {
            /// Index of refraction of the sheet; glass has about 1.5, water 1.33.
            ior: f32 = 1.5, in 1.0..=10.0, slider 1.0..=3.0, label "index of refraction";
            /// Fraction of the transmitted light that passes the sheet; white is clear.
            tint: Vec3 = Vec3::ONE, in 0.0..=1.0;
        }
        /// Rough diffuse reflection, such as clay, plaster or cloth (Oren–Nayar, energy-preserving).
        OrenNayar = "oren-nayar", "Rough diffuse" {
            /// Fraction of light that is reflected.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            albedo: ColorTexture = ColorTexture::plain(Vec3::splat(0.6)), in 0.0..=1.0;
            /// 0 is ideal diffuse; rougher surfaces look flatter and reflect more back to where the light comes from.
            roughness: f32 = 0.5, in 0.0..=1.0;
        }
        /// Metal with a measured complex index of refraction, smooth or with microfacets.
        /// The defaults are those of gold [Johnson72, table I], integrated over the CIE 1931 matching functions.
        Conductor = "conductor", "Metal" {
            /// Factor of the reflected light.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            reflectance: ColorTexture = ColorTexture::plain(Vec3::ONE), in 0.0..=1.0;
            /// Real part of the index of refraction for red, green and blue.
            eta: Vec3 = Vec3::new(0.143_119, 0.374_957, 1.442_479), in 0.0..=20.0, slider 0.0..=10.0, label "index of refraction";
            /// Imaginary part of the index of refraction for red, green and blue.
            k: Vec3 = Vec3::new(3.983_16, 2.385_721, 1.603_215), in 0.0..=20.0, slider 0.0..=10.0, label "extinction";
            /// Perceptual roughness of the microfacets, whose square is α; 0 is a smooth mirror.
            roughness: f32 = 0.0, in 0.0..=1.0;
            /// Difference of α along u and along v, divided by their sum.
            /// The square of the roughness is their geometric mean.
            anisotropy: f32 = 0.0, in -0.99..=0.99;
            /// Multiplies roughness by its green channel, and anisotropy by twice its blue channel minus 1.
            roughness_texture: Option<TextureRef> = None;
            /// Whether the microfacets have Beckmann's distribution instead of GGX.
            beckmann: bool = false;
        }
        /// Plastic or varnish: a clear dielectric coating, smooth or with microfacets, over a diffuse base.
        Plastic = "plastic", "Plastic" {
            /// Albedo of the base below the coating.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            diffuse: ColorTexture = ColorTexture::plain(Vec3::splat(0.5)), in 0.0..=1.0;
            /// Factor of the light that the coating reflects; 1 is physically correct.
            specular: Vec3 = Vec3::ONE, in 0.0..=1.0;
            /// Index of refraction of the coating.
            ior: f32 = 1.5, in 1.0..=10.0, slider 1.0..=3.0, label "index of refraction";
            /// Perceptual roughness of the microfacets, whose square is α; 0 is a smooth coating.
            roughness: f32 = 0.0, in 0.0..=1.0;
            /// Whether colours become more saturated as light is reflected between coating and base.
            nonlinear: bool = false;
            /// Whether the microfacets have Beckmann's distribution instead of GGX.
            beckmann: bool = false;
        }
        /// Disney's principled model: plastics, metals, cloth, glass and coated surfaces.
        /// Sheen and coating add light to the rest, so that such surfaces may reflect more than they receive.
        Principled = "principled", "Principled" {
            /// Albedo of the dielectric, reflectance of the metal, squared tint of transmitted light.
            /// The alpha is interpreted by [`Material::alpha`](crate::Material::alpha).
            base_color: ColorTexture = ColorTexture::plain(Vec3::splat(0.6)), in 0.0..=1.0, label "base colour";
            /// 0 is a dielectric such as plastic or wood, 1 a metal.
            metallic: f32 = 0.0, in 0.0..=1.0;
            /// Perceptual roughness of the microfacets and of the diffuse base; α of GGX is its square.
            roughness: f32 = 0.5, in 0.0..=1.0;
            /// Stretches highlights along u: α along u is 1 / (1 − 0.9 anisotropy) times that along v.
            anisotropy: f32 = 0.0, in 0.0..=1.0;
            /// Share of the light that the dielectric transmits, as glass, instead of the diffuse base.
            /// The front of the surface is outside.
            transmission: f32 = 0.0, in 0.0..=1.0;
            /// Index of refraction of the dielectric.
            ior: f32 = 1.5, in 1.0..=10.0, slider 1.0..=3.0, label "index of refraction";
            /// Tint of the dielectric's reflection by the base colour.
            specular_tint: f32 = 0.0, in 0.0..=1.0;
            /// Reflection at grazing angles, such as that of cloth.
            sheen: f32 = 0.0, in 0.0..=1.0;
            /// Tint of the sheen by the base colour.
            sheen_tint: f32 = 0.0, in 0.0..=1.0;
            /// Flattens the diffuse base, which approximates subsurface scattering.
            flatness: f32 = 0.0, in 0.0..=1.0;
            /// Strength of a clear coating.
            clearcoat: f32 = 0.0, in 0.0..=1.0;
            /// Gloss of the coating: its α is 0.1 for 0 and 0.001 for 1.
            clearcoat_gloss: f32 = 0.0, in 0.0..=1.0, label "coating gloss";
            /// Multiplies transmission, roughness, metallic and anisotropy by its red, green, blue and alpha channel.
            surface_texture: Option<TextureRef> = None;
            /// Multiplies the coating by its red and the sheen by its green channel.
            coat_texture: Option<TextureRef> = None, label "coating texture";
        }
    }
}

impl Surface {
    /// Returns a smooth [dielectric](Self::Dielectric).
    ///
    /// * `ior` — index of refraction inside over that outside. * `tint` — factor of the transmitted light.
    pub const fn smooth_dielectric(ior: f32, tint: Vec3) -> Self {
        Self::Dielectric { ior, tint, roughness: 0.0, anisotropy: 0.0, beckmann: false }
    }

    /// Returns the colour whose alpha [`Material::alpha`](crate::Material::alpha) interprets; `None` for models that
    /// have none.
    pub fn alpha_color_mut(&mut self) -> Option<&mut ColorTexture> {
        match self {
            Self::Lambert { albedo } | Self::OrenNayar { albedo, .. } => Some(albedo),
            Self::MetallicRoughness { base_color, .. } | Self::Principled { base_color, .. } => {
                Some(base_color)
            }
            Self::Conductor { reflectance, .. } => Some(reflectance),
            Self::Plastic { diffuse, .. } => Some(diffuse),
            Self::Mirror { .. } | Self::Dielectric { .. } | Self::ThinDielectric { .. } => None,
        }
    }
}
