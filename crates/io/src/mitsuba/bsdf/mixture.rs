//! Sums of scattering models with weights.

use std::rc::Rc;

use sunfleck_math::Vec3;

use super::{BsdfUse, Importer};
use crate::error::ParseError;
use crate::mitsuba::texture::TexturedValue;
use crate::mitsuba::tree::{Class, Object};
use crate::renderer::look::Look;
use crate::renderer::mixture::layers;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    pub(super) fn blend(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let weight = self.textured(object, "weight", Vec3::splat(0.5), Quantity::Reflectance)?;
        let models = self.inner(object, Class::Bsdf)?;
        let [first, second] = &models[..] else {
            return Err(object.place.error("a blend needs two scattering models"));
        };
        let within = BsdfUse { depth: at.depth + 1, ..at };
        let (first, second) = (self.bsdf(first, within)?, self.bsdf(second, within)?);
        if weight.image.is_some() {
            return self.textured_blend(object, [first, second], weight, at);
        }
        let share = weight.factor.x;
        self.mixed(object, vec![(1.0 - share, first), (share, second)], at)
    }

    pub(super) fn mixture(&mut self, object: &Object, at: BsdfUse) -> Result<Look, ParseError> {
        let text = object.text("weights")?.unwrap_or_default();
        let weights = crate::renderer::numbers::numbers(text);
        let weights = weights.ok_or_else(|| object.place.error("the weights are not numbers"))?;
        let objects: Vec<Rc<Object>> = self.inner(object, Class::Bsdf)?;
        if objects.is_empty() || weights.len() != objects.len() {
            return Err(object.place.error("a mixture needs a weight for each scattering model"));
        }
        let mut models = Vec::new();
        let sum = weights.iter().sum::<f64>().max(1.0);
        for (inner, weight) in objects.iter().zip(weights) {
            let model = self.bsdf(inner, BsdfUse { depth: at.depth + 1, ..at })?;
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            models.push(((weight / sum).max(0.0) as f32, model));
        }
        // What is missing to 1 is absorbed
        let rest = 1.0 - models.iter().map(|(weight, _)| weight).sum::<f32>();
        if rest > 1e-4 {
            models.push((rest, Look::diffuse(Vec3::ZERO)));
        }
        self.mixed(object, models, at)
    }

    /// Returns the sum of models with weights: one model if all are diffuse and without textures, else layers.
    fn mixed(
        &mut self,
        object: &Object,
        mut models: Vec<(f32, Look)>,
        at: BsdfUse,
    ) -> Result<Look, ParseError> {
        models.retain(|(weight, _)| *weight > 0.0);
        let albedos: Option<Vec<Vec3>> = models.iter().map(|(_, model)| model.plain_albedo()).collect();
        if let Some(albedos) = albedos {
            let sum: Vec3 = models.iter().zip(albedos).map(|((weight, _), albedo)| albedo * *weight).sum();
            return Ok(Look::diffuse(sum.clamp(Vec3::ZERO, Vec3::ONE)));
        }
        let weights: Vec<f32> = models.iter().map(|(weight, _)| *weight).collect();
        let can_be_above: Vec<bool> = models.iter().map(|(_, model)| model.can_be_above()).collect();
        let Some(layers) = layers(&weights, &can_be_above) else {
            let message =
                format!("the {} is not supported: the model with the largest weight is used", object.title());
            self.omissions.warn(&object.place, message);
            let largest = models.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
            return Ok(largest.map_or_else(super::grey, |(_, model)| model));
        };
        let mut stack: Option<Look> = None;
        for layer in layers.into_iter().rev() {
            let mut model = models[layer.model].1.clone();
            if let Some(below) = stack {
                self.add_alpha(object, &mut model, &TexturedValue::plain(Vec3::splat(layer.alpha)), at)?;
                model.put_above(below);
            }
            stack = Some(model);
        }
        Ok(stack.unwrap_or_else(super::grey))
    }

    /// Returns (1 − weight) · first + weight · second, whose weight has an image.
    fn textured_blend(
        &mut self,
        object: &Object,
        [first, second]: [Look; 2],
        weight: TexturedValue,
        at: BsdfUse,
    ) -> Result<Look, ParseError> {
        let (mut above, below, weight) = if second.can_be_above() {
            (second, first, weight)
        } else if first.can_be_above() {
            let image = weight.image.and_then(|image| image.complement(weight.factor.x, &mut self.images));
            (first, second, TexturedValue { image, ..TexturedValue::plain(Vec3::ONE) })
        } else {
            let message = format!("the {} is not supported: the first model is used", object.title());
            self.omissions.warn(&object.place, message);
            return Ok(first);
        };
        self.add_alpha(object, &mut above, &weight, at)?;
        above.put_above(below);
        Ok(above)
    }
}
