//! What changes a material: alpha of shapes, normal maps, mixtures.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, NormalMap, TextureFilter, Wrap};

use super::Importer;
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::pbrt::parameter::{Directive, Values};
use crate::pbrt::state::MaterialName;
use crate::pbrt::texture::{Paint, UvSpace};
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::Look;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Makes a material as transparent as the alpha of a shape says.
    pub(super) fn add_alpha(
        &mut self,
        look: &mut Look,
        shape: &Directive,
        uv: UvSpace,
    ) -> Result<(), ParseError> {
        let Some(alpha) = self.paint(shape, "alpha", Quantity::Index) else { return Ok(()) };
        if !look.below.is_empty() {
            let message = "alpha of mixtures is not supported: the surface is opaque";
            self.omissions.warn(&shape.place, message);
            return Ok(());
        }
        if !look.multiply_alpha(alpha.factor.x.clamp(0.0, 1.0)) {
            let message = "alpha of this material is not supported: the surface is opaque";
            self.omissions.warn(&shape.place, message);
            return Ok(());
        }
        self.mask_by(look, shape, alpha.image.as_ref(), uv)
    }

    /// Gives a material an image as its alpha, if there is one.
    pub(super) fn mask_by(
        &mut self,
        look: &mut Look,
        directive: &Directive,
        mask: Option<&ImageUse>,
        uv: UvSpace,
    ) -> Result<(), ParseError> {
        if let Some(mask) = mask {
            let color = look.image.as_ref();
            let image = mask.masking(color, &mut self.images, &mut self.omissions, &directive.place);
            let texture = match &image {
                Some(image) => self.texture_ref(directive, image, uv)?,
                None => None,
            };
            if let Some(color) = look.surface.alpha_color_mut() {
                color.texture = texture;
            }
            look.is_masked = image.is_some();
            look.image = image;
        }
        look.alpha = Alpha::Blend;
        Ok(())
    }

    /// Returns the normal map of a file, whose y axis is along normal × tangent.
    pub(super) fn normal_map(
        &mut self,
        material: &Directive,
        name: &str,
        uv: UvSpace,
    ) -> Result<Option<NormalMap>, ParseError> {
        if !self.image(material, name) {
            return Ok(None);
        }
        let (wrap, filter) = ([Wrap::Repeat; 2], TextureFilter::Linear);
        let sampling = Sampling { encoding: Encoding::Linear, wrap, filter };
        let image = ImageUse { key: name.to_string(), sampling, image_from_uv: UvSpace::flip() };
        let texture = self.texture_ref(material, &image, uv)?;
        Ok(texture.map(|texture| NormalMap { texture, scale: 1.0 }))
    }

    pub(super) fn mix(
        &mut self,
        material: &Directive,
        uv: UvSpace,
        depth: usize,
    ) -> Result<Look, ParseError> {
        let names: Vec<String> = match material.get("materials").map(|parameter| &parameter.values) {
            Some(Values::Texts(names)) => names.clone(),
            _ => ["namedmaterial1", "namedmaterial2"]
                .iter()
                .filter_map(|name| material.text(name))
                .map(str::to_string)
                .collect(),
        };
        let [first, second] = &names[..] else {
            return Err(material.place.error("a mixture needs two materials"));
        };
        let amount = self.paint(material, "amount", Quantity::Index);
        let amount = amount.unwrap_or_else(|| Paint::plain(Vec3::splat(0.5)));
        // The share of the second material in version 4, of the first one in version 3
        let share = amount.factor.clamp(Vec3::ZERO, Vec3::ONE);
        let share = if self.description.is_version_3 { 1.0 - share } else { share };
        let mut look = |name: &String| -> Result<Look, ParseError> {
            let found = self.look_of(&MaterialName::Named(name.as_str().into()), uv, depth + 1)?;
            let missing = || material.place.error(format!("there is no material {name:?}"));
            found.map(|(_, look)| look).ok_or_else(missing)
        };
        let (first, second) = (look(first)?, look(second)?);
        if let (Some(a), Some(b), None) = (first.plain_albedo(), second.plain_albedo(), &amount.image) {
            return Ok(Look::diffuse(a * (1.0 - share) + b * share));
        }
        if share.min_element() != share.max_element() {
            let message = "a mixture whose amount is a colour is one by the red component";
            self.omissions.note(&material.place, message);
        }
        // The image multiplies the share of the second material in version 4
        let (first, second) = if self.description.is_version_3 && amount.image.is_some() {
            (second, first)
        } else {
            (first, second)
        };
        let share = if amount.image.is_some() { amount.factor.x.clamp(0.0, 1.0) } else { share.x };
        self.layered(material, [first, second], share, amount.image.as_ref(), uv)
    }

    /// Returns a mixture as layers, with the share of the second material, which an image multiplies.
    fn layered(
        &mut self,
        material: &Directive,
        [first, second]: [Look; 2],
        share: f32,
        image: Option<&ImageUse>,
        uv: UvSpace,
    ) -> Result<Look, ParseError> {
        let (mut above, below, alpha, image) = if second.can_be_above() {
            (second, first, share, image.cloned())
        } else if first.can_be_above() {
            match image.and_then(|image| image.complement(share, &mut self.images)) {
                Some(image) => (first, second, 1.0, Some(image)),
                None => (first, second, 1.0 - share, None),
            }
        } else {
            self.omissions.warn(
                &material.place,
                "this mixture of materials is not supported: the one with the larger share is used",
            );
            return Ok(if share > 0.5 { second } else { first });
        };
        above.multiply_alpha(alpha);
        self.mask_by(&mut above, material, image.as_ref(), uv)?;
        above.put_above(below);
        Ok(above)
    }
}
