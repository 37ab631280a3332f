//! Plastics, and the glossy models of old versions.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::microfacets::Microfacets;
use super::{BsdfUse, Importer};
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::refraction::relative_index;
use crate::mitsuba::tree::Object;
use crate::phong::roughness_of_phong;
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    pub(super) fn plastic(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        self.note_sides(object);
        let diffuse =
            self.textured(object, "diffuse_reflectance", Vec3::splat(0.5), Quantity::Reflectance)?;
        let specular = self.plain_color(object, "specular_reflectance", Vec3::ONE, Quantity::Reflectance)?;
        let microfacets = self.plain_microfacets(object, object.plugin == "roughplastic")?;
        self.warn_of_anisotropy(object, &microfacets);
        let index = relative_index(object, "polypropylene")?;
        let Microfacets { roughness, beckmann, .. } = microfacets;
        let surface = Surface::Plastic {
            diffuse: self.color_texture(object, &diffuse, at.uv)?,
            specular,
            ior: ior::valid(index),
            roughness,
            nonlinear: object.boolean("nonlinear", false)?,
            beckmann,
        };
        Ok(diffuse.painting(surface))
    }

    /// Converts the models of Phong and Ward.
    pub(super) fn glossy_of_old_versions(
        &mut self,
        object: &Object,
        at: BsdfUse,
    ) -> Result<Look, ParseError> {
        let message = format!(
            "the {} is replaced by a dielectric with microfacets over a diffuse base",
            object.title()
        );
        self.omissions.note(&object.place, message);
        let diffuse =
            self.textured(object, "diffuse_reflectance", Vec3::splat(0.5), Quantity::Reflectance)?;
        let specular =
            self.plain_color(object, "specular_reflectance", Vec3::splat(0.2), Quantity::Reflectance)?;
        let roughness = if object.plugin == "phong" {
            roughness_of_phong(object.float("exponent", 30.0)?.max(0.0))
        } else {
            object.ignore(&["variant"]);
            self.plain_microfacets(object, true)?.roughness
        };
        let surface = Surface::MetallicRoughness {
            base_color: self.color_texture(object, &diffuse, at.uv)?,
            metallic: 0.0,
            roughness,
            ior: ior::of_reflectance(specular.dot(Vec3::ONE) / 3.0),
            metallic_roughness_texture: None,
        };
        Ok(diffuse.painting(surface))
    }
}
