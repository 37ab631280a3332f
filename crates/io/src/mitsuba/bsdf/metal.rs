//! Conductors.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::microfacets::Microfacets;
use super::{BsdfUse, Importer};
use crate::error::ParseError;
use crate::mitsuba::refraction::index;
use crate::mitsuba::tree::Object;
use crate::renderer::look::Look;
use crate::renderer::metals;
use crate::renderer::spectrum::Quantity;

/// Largest η and k that scenes have.
const MAX_INDEX: Vec3 = Vec3::splat(20.0);

impl Importer<'_, '_> {
    pub(super) fn metal(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        self.note_sides(object);
        let reflectance = self.textured(object, "specular_reflectance", Vec3::ONE, Quantity::Reflectance)?;
        let microfacets = self.microfacets(object, object.plugin == "roughconductor")?;
        let (eta, k) = self.complex_index(object)?;
        let roughness_texture = match &microfacets.image {
            Some(image) => self.texture_ref(object, image, at.uv)?,
            None => None,
        };
        let Microfacets { roughness, anisotropy, beckmann, .. } = microfacets;
        let surface = Surface::Conductor {
            reflectance: self.color_texture(object, &reflectance, at.uv)?,
            eta: eta.clamp(Vec3::ZERO, MAX_INDEX),
            k: k.clamp(Vec3::ZERO, MAX_INDEX),
            roughness,
            anisotropy,
            roughness_texture,
            beckmann,
        };
        Ok(reflectance.painting(surface))
    }

    /// Returns η and k, relative to the medium outside.
    fn complex_index(&mut self, object: &Object) -> Result<(Vec3, Vec3), ParseError> {
        let outside = index(object, "ext_eta", if object.is_old { "air" } else { "vacuum" })?;
        let has_numbers = object.get("eta").is_some() || object.get("k").is_some();
        // η = 0 and k = 1 reflect all light
        let all = (Vec3::ZERO, Vec3::ONE);
        let (eta, k) = match object.text("material")? {
            Some("none") => all,
            Some(name) => metals::of_name(name).unwrap_or_else(|| {
                let message = format!("the material {name:?} is not known: the surface reflects all light");
                self.omissions.warn(&object.place, message);
                all
            }),
            None if has_numbers => {
                let eta = self.plain_color(object, "eta", Vec3::ZERO, Quantity::Index)?;
                (eta, self.plain_color(object, "k", Vec3::ONE, Quantity::Index)?)
            }
            // Copper was the default of versions before 2
            None if object.is_old => metals::of_name("Cu").unwrap_or(all),
            None => all,
        };
        Ok((eta / outside, k / outside))
    }
}
