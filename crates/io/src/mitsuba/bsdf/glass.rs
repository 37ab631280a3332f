//! Transparent interfaces.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::{Importer, Look};
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::refraction::relative_index;
use crate::mitsuba::spectrum::Quantity;
use crate::mitsuba::tree::Object;

impl Importer<'_, '_> {
    pub(super) fn glass(&mut self, object: &Object) -> Result<Look, ParseError> {
        let index = relative_index(object, "bk7")?;
        let tint = self.plain_color(object, "specular_transmittance", Vec3::ONE, Quantity::Reflectance)?;
        let reflectance =
            self.plain_color(object, "specular_reflectance", Vec3::ONE, Quantity::Reflectance)?;
        if reflectance != Vec3::ONE {
            let message =
                format!("\"specular_reflectance\" of the {} is not supported: it is 1", object.title());
            self.gaps.warn(&object.place, message);
        }
        if object.plugin == "thindielectric" {
            // A sheet of air in glass reflects as one of glass in air
            let ior = index.max(1.0 / index).min(*ior::VALID.end());
            return Ok(Look::new(Surface::ThinDielectric { ior, tint }));
        }
        if object.plugin == "roughdielectric" {
            self.gaps.warn(&object.place, "rough glass is not supported: it is smooth");
        }
        let ior = index.clamp(1.0 / ior::VALID.end(), *ior::VALID.end());
        Ok(Look::new(Surface::Dielectric { ior, tint }))
    }
}
