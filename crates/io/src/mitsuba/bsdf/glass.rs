//! Transparent interfaces.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::Importer;
use super::microfacets::Microfacets;
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::refraction::relative_index;
use crate::mitsuba::tree::Object;
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    pub(super) fn glass(&mut self, object: &Object) -> Result<Look, ParseError> {
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
            return Ok(Look::new(Surface::ThinDielectric { ior, tint }));
        }
        let is_rough = object.plugin == "roughdielectric";
        let Microfacets { roughness, anisotropy, beckmann, .. } = self.plain_microfacets(object, is_rough)?;
        let ior = ior::valid_relative(index);
        Ok(Look::new(Surface::Dielectric { ior, tint, roughness, anisotropy, beckmann }))
    }
}
