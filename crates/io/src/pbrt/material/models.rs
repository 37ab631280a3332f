//! Scattering models that scenes here have, too.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::Importer;
use crate::error::ParseError;
use crate::ior;
use crate::pbrt::parameter::Directive;
use crate::pbrt::texture::UvSpace;
use crate::renderer::look::Look;
use crate::renderer::rough_diffuse::roughness_of_angle;
use crate::renderer::spectrum::Quantity;

/// Indices of refraction of metals that scenes have.
const MAX_INDEX: f32 = 20.0;

impl Importer<'_, '_> {
    pub(super) fn diffuse(
        &mut self,
        material: &Directive,
        color: &str,
        uv: UvSpace,
    ) -> Result<Look, ParseError> {
        let paint = self.reflectance(material, color, 0.5);
        let albedo = self.color_texture(material, &paint, uv)?;
        let sigma = self.plain(material, "sigma", Quantity::Index).map_or(0.0, |sigma| sigma.x);
        if sigma <= 0.0 {
            return Ok(paint.painting(Surface::Lambert { albedo }));
        }
        self.omissions.note(
            &material.place,
            "the angle \"sigma\" of a rough diffuse surface is taken for its roughness",
        );
        let roughness = roughness_of_angle(sigma.to_radians());
        Ok(paint.painting(Surface::OrenNayar { albedo, roughness }))
    }

    pub(super) fn mirror(&mut self, material: &Directive) -> Result<Look, ParseError> {
        let reflectance = self.plain(material, "Kr", Quantity::Reflectance).unwrap_or(Vec3::splat(0.9));
        Ok(Look::new(Surface::Mirror { reflectance: reflectance.clamp(Vec3::ZERO, Vec3::ONE) }))
    }

    /// Converts a metal, which has η and k or a reflectance at normal incidence.
    ///
    /// * `prefix` — what the names of its parameters begin with.
    pub(super) fn conductor(
        &mut self,
        material: &Directive,
        prefix: &str,
        uv: UvSpace,
    ) -> Result<Look, ParseError> {
        let name = |name: &str| format!("{prefix}{name}");
        let copper = crate::renderer::metals::of_name("Cu").unwrap_or((Vec3::ZERO, Vec3::ONE));
        let (eta, k) = match self.plain(material, &name("reflectance"), Quantity::Reflectance) {
            Some(reflectance) => {
                // η = 1 and the k of this reflectance r, 2 √r / √(1 − r) [PBRT4, ConductorMaterial]
                let r = reflectance.clamp(Vec3::ZERO, Vec3::splat(0.9999));
                let root = |v: Vec3| Vec3::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt());
                (Vec3::ONE, 2.0 * root(r) / root(1.0 - r))
            }
            None => {
                let eta = self.plain(material, &name("eta"), Quantity::Index).unwrap_or(copper.0);
                (eta, self.plain(material, &name("k"), Quantity::Index).unwrap_or(copper.1))
            }
        };
        let is_version_3 = material.kind == "metal";
        let roughness = self.roughness(material, prefix, if is_version_3 { 0.01 } else { 0.0 });
        let roughness_texture = match &roughness.image {
            Some(image) => self.texture_ref(material, image, uv)?,
            None => None,
        };
        let max = Vec3::splat(MAX_INDEX);
        let surface = Surface::Conductor {
            reflectance: Vec3::ONE.into(),
            eta: eta.clamp(Vec3::ZERO, max),
            k: k.clamp(Vec3::ZERO, max),
            roughness: roughness.value,
            anisotropy: roughness.anisotropy,
            roughness_texture,
            beckmann: false,
        };
        Ok(Look::new(surface))
    }

    /// Returns the index of refraction of a dielectric.
    pub(super) fn index(&mut self, material: &Directive, names: &[&str]) -> f32 {
        let mut index = None;
        for name in names {
            index = index.or(self.plain(material, name, Quantity::Index));
        }
        // Of a spectrum the mean: there is no dispersion here
        index.map_or(ior::DEFAULT, |index| index.dot(Vec3::ONE) / 3.0)
    }

    pub(super) fn dielectric(&mut self, material: &Directive, _uv: UvSpace) -> Result<Look, ParseError> {
        let index = self.index(material, &["eta", "index"]);
        let roughness = self.plain_roughness(material, 0.0);
        let tint = self.plain(material, "Kt", Quantity::Reflectance).unwrap_or(Vec3::ONE);
        if self
            .plain(material, "Kr", Quantity::Reflectance)
            .is_some_and(|reflectance| reflectance != Vec3::ONE)
        {
            self.omissions.warn(&material.place, "\"Kr\" of glass is not supported: it is 1");
        }
        Ok(Look::new(Surface::Dielectric {
            ior: ior::valid_relative(index),
            tint: tint.clamp(Vec3::ZERO, Vec3::ONE),
            roughness: roughness.value,
            anisotropy: roughness.anisotropy,
            beckmann: false,
        }))
    }

    pub(super) fn thin_dielectric(&mut self, material: &Directive) -> Result<Look, ParseError> {
        let index = self.index(material, &["eta"]);
        // A sheet of air in glass reflects as one of glass in air
        let ior = ior::valid(index.max(1.0 / index));
        Ok(Look::new(Surface::ThinDielectric { ior, tint: Vec3::ONE }))
    }

    pub(super) fn disney(&mut self, material: &Directive, uv: UvSpace) -> Result<Look, ParseError> {
        let mut paint = self.reflectance(material, "color", 0.5);
        let number = |importer: &mut Self, name: &str, default: f32| {
            importer.plain(material, name, Quantity::Index).map_or(default, |value| value.x)
        };
        let is_thin = material.flag("thin", false);
        let diffuse_transmission = number(self, "difftrans", 1.0).clamp(0.0, 2.0);
        if material.get("scatterdistance").is_some() && !is_thin {
            let message = "subsurface scattering of disney is not supported: its base is diffuse";
            self.omissions.warn(&material.place, message);
        }
        let mut unit = |name: &str, default: f32| number(self, name, default).clamp(0.0, 1.0);
        let [metallic, roughness, anisotropy] =
            [("metallic", 0.0), ("roughness", 0.5), ("anisotropic", 0.0)].map(|(name, or)| unit(name, or));
        let [mut transmission, specular_tint, mut flatness] =
            [("spectrans", 0.0), ("speculartint", 0.0), ("flatness", 0.0)].map(|(name, or)| unit(name, or));
        let [sheen, sheen_tint] = [("sheen", 0.0), ("sheentint", 0.5)].map(|(name, or)| unit(name, or));
        let [clearcoat, clearcoat_gloss] =
            [("clearcoat", 0.0), ("clearcoatgloss", 1.0)].map(|(name, or)| unit(name, or));
        if is_thin {
            let message = "the light that passes a thin disney surface is left out";
            self.omissions.warn(&material.place, message);
            // Diffuse transmission is 2 where nothing is reflected [Burley15, thin surfaces]
            let reflected = (1.0 - transmission) * (1.0 - 0.5 * diffuse_transmission);
            paint.factor *= reflected + (1.0 - reflected) * metallic;
            transmission = 0.0;
        } else {
            // In pbrt only thin surfaces are flat
            flatness = 0.0;
        }
        let surface = Surface::Principled {
            base_color: self.color_texture(material, &paint, uv)?,
            metallic,
            roughness,
            anisotropy,
            transmission,
            ior: ior::valid(self.index(material, &["eta"])),
            specular_tint,
            sheen,
            sheen_tint,
            flatness,
            clearcoat,
            clearcoat_gloss,
            surface_texture: None,
            coat_texture: None,
        };
        Ok(paint.painting(surface))
    }
}
