//! The principled model of Burley.

use sunfleck_math::Vec3;
use sunfleck_scene::{Surface, TextureRef};

use super::{BsdfUse, Importer};
use crate::error::ParseError;
use crate::ior;
use crate::mitsuba::texture::TexturedValue;
use crate::mitsuba::tree::Object;
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    pub(super) fn principled(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        // How often lobes are sampled does not change the image
        object.ignore(&[
            "main_specular_sampling_rate",
            "clearcoat_sampling_rate",
            "diffuse_reflectance_sampling_rate",
            "specular_reflectance_sampling_rate",
            "specular_transmittance_sampling_rate",
            "diffuse_transmittance_sampling_rate",
        ]);
        let is_thin = object.plugin == "principledthin";
        let mut base = self.textured(object, "base_color", Vec3::splat(0.5), Quantity::Reflectance)?;
        if is_thin {
            base.factor *= self.reflected_by_thin(object)?;
        }
        let mut number =
            |name: &str, default: f32| self.textured(object, name, Vec3::splat(default), Quantity::Index);
        let (metallic, roughness) = (number("metallic", 0.0)?, number("roughness", 0.5)?);
        let anisotropic = number("anisotropic", 0.0)?;
        let transmission =
            if is_thin { TexturedValue::plain(Vec3::ZERO) } else { number("spec_trans", 0.0)? };
        let (clearcoat, sheen) = (number("clearcoat", 0.0)?, number("sheen", 0.0)?);
        if transmission == TexturedValue::plain(Vec3::ZERO) {
            self.note_sides(object);
        }
        let images = [&transmission, &roughness, &metallic, &anisotropic].map(|value| value.image.as_ref());
        let at_place = (&mut self.images, &mut self.omissions, &object.place);
        let surface_image = ImageUse::combined(images, "principled surface", at_place, |channels| channels);
        let images = [&clearcoat, &sheen].map(|value| value.image.as_ref());
        let at_place = (&mut self.images, &mut self.omissions, &object.place);
        let coat_image =
            ImageUse::combined(images, "coat", at_place, |[coat, sheen]| [coat, sheen, 1.0, 1.0]);
        let surface = Surface::Principled {
            base_color: self.color_texture(object, &base, at.uv)?,
            metallic: unit(&metallic),
            roughness: unit(&roughness),
            anisotropy: unit(&anisotropic),
            transmission: unit(&transmission),
            ior: Self::index_of_specular(object)?,
            specular_tint: self.plain_unit(object, "spec_tint")?,
            sheen: unit(&sheen),
            sheen_tint: self.plain_unit(object, "sheen_tint")?,
            flatness: self.plain_unit(object, "flatness")?,
            clearcoat: unit(&clearcoat),
            clearcoat_gloss: self.plain_unit(object, "clearcoat_gloss")?,
            surface_texture: self.optional_texture(object, surface_image.as_ref(), at)?,
            coat_texture: self.optional_texture(object, coat_image.as_ref(), at)?,
        };
        Ok(base.painting(surface))
    }

    /// Returns the share of the diffuse light that a thin surface reflects [Burley15, thin surfaces]; the light that passes it is
    /// left out.
    fn reflected_by_thin(&mut self, object: &Object) -> Result<f32, ParseError> {
        let mut plain = |name: &str, max: f32| -> Result<f32, ParseError> {
            Ok(self.plain_color(object, name, Vec3::ZERO, Quantity::Index)?.x.clamp(0.0, max))
        };
        // Diffuse transmission is 2 where nothing is reflected
        let (specular, diffuse) = (plain("spec_trans", 1.0)?, plain("diff_trans", 2.0)?);
        if specular > 0.0 || diffuse > 0.0 {
            let message = "the light that passes a thin principled surface is left out";
            self.omissions.warn(&object.place, message);
        }
        Ok((1.0 - specular) * (1.0 - 0.5 * diffuse))
    }

    /// Returns the index of refraction, which a file may give by the strength of the reflection.
    fn index_of_specular(object: &Object) -> Result<f32, ParseError> {
        let ior = match object.optional_number("eta")? {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            Some(eta) => eta as f32,
            None => {
                // The reflectance at normal incidence is 8 % of "specular" [Burley12, §5.5]
                ior::of_reflectance(0.08 * object.float("specular", 0.5)?.clamp(0.0, 1.0))
            }
        };
        Ok(ior::valid(ior))
    }

    /// Returns a number in [0, 1] without a texture, 0 if it is not given.
    fn plain_unit(&mut self, object: &Object, name: &str) -> Result<f32, ParseError> {
        Ok(self.plain_color(object, name, Vec3::ZERO, Quantity::Index)?.x.clamp(0.0, 1.0))
    }

    fn optional_texture(
        &mut self,
        object: &Object,
        image: Option<&ImageUse>,
        at: BsdfUse,
    ) -> Result<Option<TextureRef>, ParseError> {
        match image {
            Some(image) => self.texture_ref(object, image, at.uv),
            None => Ok(None),
        }
    }
}

fn unit(value: &TexturedValue) -> f32 {
    value.factor.x.clamp(0.0, 1.0)
}
