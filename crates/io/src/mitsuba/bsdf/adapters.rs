//! Scattering models that change another one: masks, normal maps.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, NormalMap};

use super::{BsdfUse, Importer};
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::mitsuba::texture::TexturedValue;
use crate::mitsuba::tree::{Class, Object, Value};
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::{BumpMap, Look};
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Returns the only model within another one.
    fn inner_bsdf(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let inner = self.inner(object, Class::Bsdf)?;
        match inner.first() {
            Some(bsdf) => self.bsdf(bsdf, BsdfUse { depth: at.depth + 1, ..at }),
            None => {
                Err(object.place.error(format!("there is no scattering model in the {}", object.title())))
            }
        }
    }

    pub(super) fn two_sided(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        if self.inner(object, Class::Bsdf)?.len() > 1 {
            let message = "a surface has the same model on both sides: that of the back is left out";
            self.omissions.warn(&object.place, message);
        }
        let outer = std::mem::replace(&mut self.is_two_sided, true);
        let model = self.inner_bsdf(object, at);
        self.is_two_sided = outer;
        model
    }

    /// Converts a model whose effect is left out, except for that of the model within it.
    pub(super) fn only_inner(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let message = format!("the {} is not supported: only the model within it is used", object.title());
        self.omissions.warn(&object.place, message);
        object.parameters.iter().for_each(|parameter| parameter.is_used.set(true));
        self.inner_bsdf(object, at)
    }

    pub(super) fn mask(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let mut model = self.inner_bsdf(object, at)?;
        let opacity = self.textured(object, "opacity", Vec3::splat(0.5), Quantity::Reflectance)?;
        if !model.below.is_empty() {
            let message = "masks of mixtures are not supported: the surface is opaque";
            self.omissions.warn(&object.place, message);
        } else if !self.add_alpha(object, &mut model, &opacity, at)? {
            let message = "masks of this model are not supported: the surface is opaque";
            self.omissions.warn(&object.place, message);
        }
        Ok(model)
    }

    /// Makes a model transparent. Returns whether that is possible.
    ///
    /// * `opacity` — probability with which a ray is scattered.
    pub(super) fn add_alpha(
        &mut self,
        object: &Object,
        model: &mut Look,
        opacity: &TexturedValue,
        at: BsdfUse,
    ) -> Result<bool, ParseError> {
        if !model.multiply_alpha(opacity.factor.x) {
            return Ok(false);
        }
        if let Some(mask) = &opacity.image {
            let masked =
                mask.masking(model.image.as_ref(), &mut self.images, &mut self.omissions, &object.place);
            let texture = match &masked {
                Some(image) => self.texture_ref(object, image, at.uv)?,
                None => None,
            };
            if let Some(color) = model.surface.alpha_color_mut() {
                color.texture = texture;
            }
            model.is_masked = masked.is_some();
            model.image = masked;
        }
        model.alpha = Alpha::Blend;
        Ok(true)
    }

    pub(super) fn normal_map(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let mut model = self.inner_bsdf(object, at)?;
        let textured = self.map_of(object, "normalmap")?;
        let Some(image) = textured.image else {
            if !textured.factor.abs_diff_eq(Vec3::new(0.5, 0.5, 1.0), 1e-6) {
                let message = "a normal map without an image is not supported";
                self.omissions.warn(&object.place, message);
            }
            return Ok(model);
        };
        if image.sampling.encoding == Encoding::Color {
            let message = "a normal map that is not \"raw\" is read as if it were";
            self.omissions.note(&object.place, message);
        }
        let linear = Sampling { encoding: Encoding::Linear, ..image.sampling };
        let texture = self.texture_ref(object, &ImageUse { sampling: linear, ..image }, at.uv)?;
        let normal_map = texture.map(|texture| NormalMap { texture, scale: 1.0 });
        model.change_layers(|layer| layer.normal_map = normal_map);
        Ok(model)
    }

    /// Returns the texture of a normal map or bump map: the one with the name, or else the only one.
    fn map_of(&mut self, object: &Object, name: &str) -> Result<TexturedValue, ParseError> {
        let is_named = object.get(name).is_some();
        let texture = object.parameters.iter().find(|parameter| match &parameter.value {
            _ if is_named => parameter.name == name,
            Value::Object(inner) => inner.class == Class::Texture,
            Value::Reference(id) => self.file.ids.get(id).is_some_and(|inner| inner.class == Class::Texture),
            _ => false,
        });
        let missing = || object.place.error(format!("the {} has no texture", object.title()));
        let texture = texture.ok_or_else(missing)?;
        texture.is_used.set(true);
        self.textured_of(texture, Quantity::Index, object.is_old, 0)
    }

    pub(super) fn bump_map(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let mut model = self.inner_bsdf(object, at)?;
        let textured = self.map_of(object, "bumpmap")?;
        let scale = object.float("scale", 1.0)? * textured.factor.x;
        let message =
            "a bump map is converted to a normal map for the mean size of its texture on the first shape";
        self.omissions.note(&object.place, message);
        let bump = textured.image.map(|heights| BumpMap { heights, scale });
        model.change_layers(|layer| layer.bump.clone_from(&bump));
        Ok(model)
    }
}
