//! Layered and glossy materials, which become the models that are nearest to them.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, Surface};

use super::Importer;
use crate::error::ParseError;
use crate::ior;
use crate::pbrt::parameter::Directive;
use crate::pbrt::texture::{Paint, UvSpace};
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

/// Parameters of the random walk between two layers, and of what is between them.
const OF_RANDOM_WALKS: [&str; 4] = ["maxdepth", "nsamples", "thickness", "twosided"];

impl Importer<'_, '_> {
    /// Converts a dielectric coating over a diffuse base. pbrt follows light between the two by a random walk; the
    /// model here has its sum, whose colours become more saturated in the same way.
    pub(super) fn coated_diffuse(&mut self, material: &Directive, uv: UvSpace) -> Result<Look, ParseError> {
        material.ignore(&OF_RANDOM_WALKS);
        let paint = self.reflectance(material, "reflectance", 0.5);
        let roughness = self.plain_roughness(material, 0.0);
        let surface = Surface::Plastic {
            diffuse: self.color_texture(material, &paint, uv)?,
            specular: Vec3::ONE,
            ior: ior::valid(self.index(material, &["eta"])),
            roughness: roughness.value,
            nonlinear: true,
            beckmann: false,
        };
        Ok(paint.painting(surface))
    }

    pub(super) fn coated_conductor(&mut self, material: &Directive, uv: UvSpace) -> Result<Look, ParseError> {
        let message = "the coating of a metal is not supported: the metal has none";
        self.omissions.warn(&material.place, message);
        material.ignore(&OF_RANDOM_WALKS);
        material.ignore(&[
            "interface.eta",
            "interface.roughness",
            "interface.uroughness",
            "interface.vroughness",
        ]);
        self.conductor(material, "conductor.", uv)
    }

    pub(super) fn diffuse_transmission(
        &mut self,
        material: &Directive,
        uv: UvSpace,
    ) -> Result<Look, ParseError> {
        let message =
            format!("the light that passes {} is left out: only its reflection is used", material.title());
        self.omissions.warn(&material.place, message);
        material.ignore(&["transmittance", "transmit", "Ks", "roughness", "remaproughness"]);
        let mut paint = if material.kind == "translucent" {
            let share = self.plain(material, "reflect", Quantity::Reflectance).unwrap_or(Vec3::splat(0.5));
            let paint = self.reflectance(material, "Kd", 0.25);
            Paint { factor: paint.factor * share, ..paint }
        } else {
            self.reflectance(material, "reflectance", 0.25)
        };
        let scale = self.plain(material, "scale", Quantity::Index).unwrap_or(Vec3::ONE);
        paint.factor = (paint.factor * scale).clamp(Vec3::ZERO, Vec3::ONE);
        let albedo = self.color_texture(material, &paint, uv)?;
        Ok(paint.painting(Surface::Lambert { albedo }))
    }

    /// Converts models of version 3 that add a glossy reflection to a diffuse one: a dielectric with microfacets over a
    /// diffuse base that reflects as much at normal incidence.
    pub(super) fn glossy_of_version_3(
        &mut self,
        material: &Directive,
        uv: UvSpace,
    ) -> Result<Look, ParseError> {
        let message =
            format!("{} is replaced by a dielectric with microfacets over a diffuse base", material.title());
        self.omissions.note(&material.place, message);
        let is_substrate = material.kind == "substrate";
        let default = if is_substrate { 0.5 } else { 0.25 };
        let paint = self.reflectance(material, "Kd", default);
        let specular = self.plain(material, "Ks", Quantity::Reflectance).unwrap_or(Vec3::splat(default));
        let specular = (specular.dot(Vec3::ONE) / 3.0).clamp(0.0, 1.0);
        let roughness = self.roughness(material, "", 0.1);
        let metallic_roughness_texture = match &roughness.image {
            Some(image) => self.texture_ref(material, image, uv)?,
            None => None,
        };
        // Ks is the reflectance of a substrate at normal incidence, for others a factor of Fresnel's term
        let reflectance = if is_substrate {
            specular
        } else {
            let index =
                if material.kind == "uber" { self.index(material, &["eta", "index"]) } else { ior::DEFAULT };
            let root = (index - 1.0) / (index + 1.0);
            specular * root * root
        };
        let surface = Surface::MetallicRoughness {
            base_color: self.color_texture(material, &paint, uv)?,
            metallic: 0.0,
            roughness: roughness.value,
            ior: ior::of_reflectance(reflectance),
            metallic_roughness_texture,
        };
        let mut look = paint.painting(surface);
        let opacity = self.plain(material, "opacity", Quantity::Reflectance).unwrap_or(Vec3::ONE);
        let opacity = (opacity.dot(Vec3::ONE) / 3.0).clamp(0.0, 1.0);
        if opacity < 1.0 {
            look.multiply_alpha(opacity);
            look.alpha = Alpha::Blend;
        }
        Ok(look)
    }
}
