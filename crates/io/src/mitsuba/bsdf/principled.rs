//! The principled model of Burley.

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

use super::{BsdfModel, BsdfUse, Importer};
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::tree::Object;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Converts base colour, metallic, roughness and the strength of the reflection; the other lobes are left out, and
    /// are named as parameters that are not used.
    pub(super) fn principled(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        self.note_sides(object);
        let base = self.textured(object, "base_color", Vec3::splat(0.5), Quantity::Reflectance)?;
        let rough = self.textured(object, "roughness", Vec3::splat(0.5), Quantity::Index)?;
        let metal = self.textured(object, "metallic", Vec3::ZERO, Quantity::Index)?;
        let image = self.metallic_roughness_image(object, rough.image.as_ref(), metal.image.as_ref(), |r| r);
        let texture = match &image {
            Some(image) => self.texture_ref(object, image, at.uv)?,
            None => None,
        };
        let ior = match object.optional_number("eta")? {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            Some(eta) => eta as f32,
            None => {
                // The reflectance at normal incidence is 8 % of "specular" [Burley12, §5.5]
                ior::of_reflectance(0.08 * object.float("specular", 0.5)?.clamp(0.0, 1.0))
            }
        };
        let surface = Surface::MetallicRoughness {
            base_color: self.color_texture(object, &base, at.uv)?,
            metallic: metal.factor.x.clamp(0.0, 1.0),
            roughness: rough.factor.x.clamp(0.0, 1.0),
            ior: ior::valid(ior),
            metallic_roughness_texture: texture,
        };
        Ok(BsdfModel { textured: Some(base), ..BsdfModel::new(surface) })
    }
}
