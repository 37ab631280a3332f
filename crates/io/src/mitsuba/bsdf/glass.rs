//! Transparent interfaces.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::microfacets::Microfacets;
use super::{BsdfModel, Importer};
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::refraction::relative_index;
use crate::mitsuba::tree::Object;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    pub(super) fn glass(&mut self, object: &Object) -> Result<BsdfModel, ParseError> {
        let index = relative_index(object, "bk7")?;
        let tint = self.plain_color(object, "specular_transmittance", Vec3::ONE, Quantity::Reflectance)?;
        let reflectance =
            self.plain_color(object, "specular_reflectance", Vec3::ONE, Quantity::Reflectance)?;
        if reflectance != Vec3::ONE {
            let message =
                format!("\"specular_reflectance\" of the {} is not supported: it is 1", object.title());
            self.omissions.warn(&object.place, message);
        }
        if object.plugin == "thindielectric" {
            // A sheet of air in glass reflects as one of glass in air
            let ior = ior::valid(index.max(1.0 / index));
            return Ok(BsdfModel::new(Surface::ThinDielectric { ior, tint }));
        }
        let microfacets = self.microfacets(object, object.plugin == "roughdielectric")?;
        self.warn_of_roughness_texture(object, &microfacets);
        let Microfacets { roughness, anisotropy, beckmann, .. } = microfacets;
        let ior = ior::valid_relative(index);
        Ok(BsdfModel::new(Surface::Dielectric { ior, tint, roughness, anisotropy, beckmann }))
    }
}
