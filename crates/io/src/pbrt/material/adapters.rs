//! What changes a material: alpha of shapes, normal maps, mixtures.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, NormalMap, Surface, TextureFilter, Wrap};

use super::{Importer, Look};
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::pbrt::parameter::{Directive, Values};
use crate::pbrt::state::MaterialName;
use crate::pbrt::texture::{ImageUse, Paint, UvSpace};
use crate::renderer::bake;
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
        let paint = look.paint.clone();
        let Some(color) = look.surface.alpha_color_mut() else {
            self.omissions
                .warn(&shape.place, "alpha of this material is not supported: the surface is opaque");
            return Ok(());
        };
        color.factor.w *= alpha.factor.x.clamp(0.0, 1.0);
        if let Some(mask) = &alpha.image {
            let image = self.masked(shape, paint.as_ref().and_then(|paint| paint.image.as_ref()), mask);
            let texture = match &image {
                Some(image) => self.texture_ref(shape, image, uv)?,
                None => None,
            };
            if let Some(color) = look.surface.alpha_color_mut() {
                color.texture = texture;
            }
        }
        look.alpha = Alpha::Blend;
        Ok(())
    }

    /// Returns the image of a colour, or white, with a mask as its alpha.
    fn masked(&mut self, shape: &Directive, color: Option<&ImageUse>, mask: &ImageUse) -> Option<ImageUse> {
        let color = color.filter(|color| {
            let is_same = color.image_from_uv == mask.image_from_uv;
            if !is_same {
                let message =
                    "an alpha and a colour with different mappings are not supported: the colour is plain";
                self.omissions.warn(&shape.place, message);
            }
            is_same
        });
        let encoding = color.map_or(Encoding::Color, |color| color.sampling.encoding);
        let name = color.map_or("white", |color| color.key.as_str());
        let key = format!("{name} {encoding:?} masked by {} {:?}", mask.key, mask.sampling.encoding);
        if self.images.get(&key).is_none() {
            let color = color.and_then(|color| Some((self.images.get(&color.key)?, encoding)));
            let image = bake::masked(color, (self.images.get(&mask.key)?, mask.sampling.encoding));
            self.images.insert(key.clone(), mask.key.clone(), image);
        }
        let sampling = Sampling { encoding, ..color.map_or(mask.sampling, |color| color.sampling) };
        Some(ImageUse { key, sampling, image_from_uv: mask.image_from_uv })
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
            match self.directive_of(&MaterialName::Named(name.as_str().into())) {
                Some((_, directive)) => self.look(&directive, uv, depth + 1),
                None => Err(material.place.error(format!("there is no material {name:?}"))),
            }
        };
        let (first, second) = (look(first)?, look(second)?);
        let albedo = |look: &Look| match (&look.surface, look.alpha, look.normal_map) {
            (Surface::Lambert { albedo }, Alpha::Opaque, None) if albedo.texture.is_none() => {
                Some(albedo.factor.truncate())
            }
            _ => None,
        };
        if let (Some(a), Some(b), None) = (albedo(&first), albedo(&second), &amount.image) {
            let paint = Paint::plain(a * (1.0 - share) + b * share);
            return Ok(Look::painted(Surface::Lambert { albedo: paint.factor.into() }, paint));
        }
        self.omissions.warn(
            &material.place,
            "a mixture of materials is not supported: the one with the larger share is used",
        );
        Ok(if share.x > 0.5 { second } else { first })
    }
}
