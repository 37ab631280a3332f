//! Scattering models that change another one: masks, normal maps, mixtures.

use std::rc::Rc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, NormalMap, Surface};

use super::{BsdfModel, BsdfUse, Importer};
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::mitsuba::bump::BumpMap;
use crate::mitsuba::texture::{ImageUse, TexturedValue};
use crate::mitsuba::tree::{Class, Object, Value};
use crate::renderer::bake;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Returns the only model within another one.
    fn inner_bsdf(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let inner = self.inner(object, Class::Bsdf)?;
        match inner.first() {
            Some(bsdf) => self.bsdf(bsdf, BsdfUse { depth: at.depth + 1, ..at }),
            None => {
                Err(object.place.error(format!("there is no scattering model in the {}", object.title())))
            }
        }
    }

    pub(super) fn two_sided(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
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
    pub(super) fn only_inner(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let message = format!("the {} is not supported: only the model within it is used", object.title());
        self.omissions.warn(&object.place, message);
        object.parameters.iter().for_each(|parameter| parameter.is_used.set(true));
        self.inner_bsdf(object, at)
    }

    /// Returns a surface that does not exist.
    pub(super) fn nothing() -> BsdfModel {
        let mut model = BsdfModel::grey();
        if let Some(color) = model.surface.alpha_color_mut() {
            color.factor.w = 0.0;
        }
        BsdfModel { alpha: Alpha::Blend, is_nothing: true, ..model }
    }

    pub(super) fn mask(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let mut model = self.inner_bsdf(object, at)?;
        let opacity = self.textured(object, "opacity", Vec3::splat(0.5), Quantity::Reflectance)?;
        let textured = model.textured.clone();
        let Some(color) = model.surface.alpha_color_mut() else {
            let message = "masks of this model are not supported: the surface is opaque";
            self.omissions.warn(&object.place, message);
            return Ok(model);
        };
        color.factor.w *= opacity.factor.x;
        if let Some(mask) = &opacity.image {
            let masked =
                self.masked(object, textured.as_ref().and_then(|textured| textured.image.as_ref()), mask);
            let texture = match &masked {
                Some(image) => self.texture_ref(object, image, at.uv)?,
                None => None,
            };
            if let Some(color) = model.surface.alpha_color_mut() {
                color.texture = texture;
            }
            if let Some(textured) = &mut model.textured {
                textured.image = masked;
            }
        }
        model.alpha = Alpha::Blend;
        Ok(model)
    }

    /// Returns the image of a colour, or white, with a mask as its alpha.
    fn masked(&mut self, object: &Object, color: Option<&ImageUse>, mask: &ImageUse) -> Option<ImageUse> {
        let color = color.filter(|color| {
            let same = color.image_from_uv == mask.image_from_uv;
            if !same {
                let message =
                    "a mask and a colour with different transforms are not supported: the colour is plain";
                self.omissions.warn(&object.place, message);
            }
            same
        });
        let key = format!("{} masked by {}", color.map_or("white", |color| color.key.as_str()), mask.key);
        let encoding = color.map_or(Encoding::Color, |color| color.sampling.encoding);
        let key = format!("{key} {:?}", mask.sampling.encoding);
        if self.images.get(&key).is_none() {
            let color = color.and_then(|color| Some((self.images.get(&color.key)?, color.sampling.encoding)));
            let image = bake::masked(color, (self.images.get(&mask.key)?, mask.sampling.encoding));
            self.images.insert(key.clone(), mask.key.clone(), image);
        }
        let sampling = Sampling { encoding, ..color.map_or(mask.sampling, |color| color.sampling) };
        Some(ImageUse { key, sampling, image_from_uv: mask.image_from_uv })
    }

    pub(super) fn normal_map(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
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
        model.normal_map = texture.map(|texture| NormalMap { texture, scale: 1.0 });
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

    pub(super) fn bump_map(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let mut model = self.inner_bsdf(object, at)?;
        let textured = self.map_of(object, "bumpmap")?;
        let scale = object.float("scale", 1.0)? * textured.factor.x;
        let message =
            "a bump map is converted to a normal map for the mean size of its texture on the first shape";
        self.omissions.note(&object.place, message);
        model.bump = textured.image.map(|heights| BumpMap { heights, scale });
        Ok(model)
    }

    pub(super) fn blend(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let weight = self.textured(object, "weight", Vec3::splat(0.5), Quantity::Reflectance)?;
        let models = self.inner(object, Class::Bsdf)?;
        let [first, second] = &models[..] else {
            return Err(object.place.error("a blend needs two scattering models"));
        };
        let below = BsdfUse { depth: at.depth + 1, ..at };
        let (first, second) = (self.bsdf(first, below)?, self.bsdf(second, below)?);
        let share = if weight.image.is_some() { 0.5 } else { weight.factor.x };
        Ok(self.mixed(object, &[(1.0 - share, first), (share, second)], weight.image.is_some()))
    }

    pub(super) fn mixture(&mut self, object: &Object, at: BsdfUse) -> Result<BsdfModel, ParseError> {
        let text = object.text("weights")?.unwrap_or_default();
        let weights = crate::renderer::numbers::numbers(text);
        let weights = weights.ok_or_else(|| object.place.error("the weights are not numbers"))?;
        let objects: Vec<Rc<Object>> = self.inner(object, Class::Bsdf)?;
        if objects.is_empty() || weights.len() != objects.len() {
            return Err(object.place.error("a mixture needs a weight for each scattering model"));
        }
        let mut models = Vec::new();
        for (inner, weight) in objects.iter().zip(weights) {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            models.push((weight as f32, self.bsdf(inner, BsdfUse { depth: at.depth + 1, ..at })?));
        }
        Ok(self.mixed(object, &models, false))
    }

    /// Returns the sum of models with weights: exactly if all are diffuse and without textures, else the one with the
    /// largest weight.
    fn mixed(&mut self, object: &Object, models: &[(f32, BsdfModel)], has_texture: bool) -> BsdfModel {
        let albedo = |model: &BsdfModel| match (&model.surface, model.alpha, model.normal_map) {
            (Surface::Lambert { albedo }, Alpha::Opaque, None) if albedo.texture.is_none() => {
                Some(albedo.factor.truncate())
            }
            _ => None,
        };
        let albedos: Option<Vec<Vec3>> = models.iter().map(|(_, model)| albedo(model)).collect();
        if let (Some(albedos), false) = (albedos, has_texture) {
            let sum: Vec3 = models.iter().zip(albedos).map(|((weight, _), albedo)| albedo * *weight).sum();
            let textured = TexturedValue::plain(sum.clamp(Vec3::ZERO, Vec3::ONE));
            let surface = Surface::Lambert { albedo: textured.factor.into() };
            return BsdfModel { textured: Some(textured), ..BsdfModel::new(surface) };
        }
        let message =
            format!("the {} is not supported: the model with the largest weight is used", object.title());
        self.omissions.warn(&object.place, message);
        let largest = models.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        largest.map_or_else(BsdfModel::grey, |(_, model)| model.clone())
    }
}
