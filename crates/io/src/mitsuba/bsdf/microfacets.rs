//! Microfacets: their distribution and roughness.

use sunfleck_math::Vec3;

use super::Importer;
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::mitsuba::texture::TexturedValue;
use crate::mitsuba::tree::Object;
use crate::renderer::bake::{self, Encoded};
use crate::renderer::image_use::ImageUse;
use crate::renderer::spectrum::Quantity;

/// Distribution of microfacets.
#[derive(Clone, Debug, Default)]
pub(super) struct Microfacets {
    /// Perceptual roughness, the root of Mitsuba's α.
    pub(super) roughness: f32,
    /// Image whose green channel multiplies the roughness.
    pub(super) image: Option<ImageUse>,
    /// Whether the distribution is Beckmann's instead of GGX.
    pub(super) beckmann: bool,
}

impl Importer<'_, '_> {
    /// Returns the microfacets of a model; a smooth one has the roughness 0.
    ///
    /// * `is_rough` — whether the plugin has microfacets.
    pub(super) fn microfacets(&mut self, object: &Object, is_rough: bool) -> Result<Microfacets, ParseError> {
        if !is_rough {
            return Ok(Microfacets::default());
        }
        // How samples are chosen does not change the image
        object.ignore(&["sample_visible"]);
        let beckmann = match object.text("distribution")? {
            Some("ggx") => false,
            None | Some("beckmann") => true,
            Some(other) => {
                let message =
                    format!("the microfacets {other:?} are not supported: they have Beckmann's distribution");
                self.omissions.warn(&object.place, message);
                true
            }
        };
        let (roughness, image) = self.roughness(object)?;
        Ok(Microfacets { roughness, image, beckmann })
    }

    /// Returns the root of α, with an image that multiplies it.
    fn roughness(&mut self, object: &Object) -> Result<(f32, Option<ImageUse>), ParseError> {
        let alpha = self.textured(object, "alpha", Vec3::splat(0.1), Quantity::Index)?;
        let has = |name: &str| object.get(name).is_some();
        if !has("alpha_u") && !has("alpha_v") {
            return Ok(self.root_of(object, &alpha));
        }
        let u = self.textured(object, "alpha_u", Vec3::splat(0.1), Quantity::Index)?;
        let v = self.textured(object, "alpha_v", Vec3::splat(0.1), Quantity::Index)?;
        if u == v {
            return Ok(self.root_of(object, &u));
        }
        let message = "different roughness along u and v is not supported: it is the geometric mean, or that along u if \
                       there are textures";
        self.omissions.warn(&object.place, message);
        if u.image.is_some() || v.image.is_some() {
            return Ok(self.root_of(object, &u));
        }
        Ok(((u.factor.x * v.factor.x).max(0.0).sqrt().sqrt().min(1.0), None))
    }

    /// Returns the root of α, also of its image.
    fn root_of(&mut self, object: &Object, alpha: &TexturedValue) -> (f32, Option<ImageUse>) {
        let image = alpha.image.as_ref();
        let image =
            image.and_then(|image| self.metallic_roughness_image(object, Some(image), None, f32::sqrt));
        (alpha.factor.x.clamp(0.0, 1.0).sqrt(), image)
    }

    /// Warns if there is a texture of the roughness, for models that have none.
    pub(super) fn warn_of_roughness_texture(&mut self, object: &Object, microfacets: &Microfacets) {
        if microfacets.image.is_some() {
            let message = format!("the texture of the roughness of the {} is not supported", object.title());
            self.omissions.warn(&object.place, message);
        }
    }

    /// Returns an image whose green channel is the roughness and whose blue channel is metallic, as in glTF.
    ///
    /// * `convert` — from the luminance of `rough` to roughness.
    pub(super) fn metallic_roughness_image(
        &mut self,
        object: &Object,
        rough: Option<&ImageUse>,
        metal: Option<&ImageUse>,
        convert: impl Fn(f32) -> f32,
    ) -> Option<ImageUse> {
        let metal = metal.filter(|metal| {
            let same = rough.is_none_or(|rough| rough.image_from_uv == metal.image_from_uv);
            if !same {
                let message =
                    "textures of roughness and metallic with different transforms are not supported";
                self.omissions.warn(&object.place, message);
            }
            same
        });
        let main = rough.or(metal)?;
        let name = |image: Option<&ImageUse>| {
            image.map_or("1".to_string(), |image| format!("{} {:?}", image.key, image.sampling.encoding))
        };
        let key = format!("roughness {} metallic {} {}", name(rough), name(metal), convert(0.25));
        if self.images.get(&key).is_none() {
            let encoded = |image: Option<&ImageUse>| -> Option<Encoded<'_>> {
                image.and_then(|image| Some((self.images.get(&image.key)?, image.sampling.encoding)))
            };
            let texel = |rough: f32, metal: f32| [1.0, convert(rough), metal, 1.0];
            let image = bake::combined(encoded(rough), encoded(metal), texel);
            self.images.insert(key.clone(), main.key.clone(), image);
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..main.sampling };
        Some(ImageUse { key, sampling, image_from_uv: main.image_from_uv })
    }
}
