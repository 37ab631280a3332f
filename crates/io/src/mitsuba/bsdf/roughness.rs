//! Roughness of microfacets.

use sunfleck_math::Vec3;

use super::Importer;
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::mitsuba::bake::{self, Encoded};
use crate::mitsuba::spectrum::Quantity;
use crate::mitsuba::texture::{ImageUse, Paint};
use crate::mitsuba::tree::Object;

/// Perceptual roughness, the root of Mitsuba's α, with an image that multiplies it by its green channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Roughness {
    pub(super) value: f32,
    pub(super) image: Option<ImageUse>,
}

impl Importer<'_, '_> {
    /// Returns the roughness of a model, 0 if it is a smooth one.
    ///
    /// * `is_rough` — whether the plugin has microfacets.
    pub(super) fn roughness(&mut self, object: &Object, is_rough: bool) -> Result<Roughness, ParseError> {
        if !is_rough {
            return Ok(Roughness::default());
        }
        // How samples are chosen does not change the image
        object.ignore(&["sample_visible"]);
        let alpha = self.paint(object, "alpha", Vec3::splat(0.1), Quantity::Index)?;
        let has = |name: &str| object.get(name).is_some();
        if !has("alpha_u") && !has("alpha_v") {
            return Ok(self.root_of(object, &alpha));
        }
        let u = self.paint(object, "alpha_u", Vec3::splat(0.1), Quantity::Index)?;
        let v = self.paint(object, "alpha_v", Vec3::splat(0.1), Quantity::Index)?;
        if u == v {
            return Ok(self.root_of(object, &u));
        }
        let message =
            "different roughness along u and v is not supported: it is their geometric mean everywhere";
        self.gaps.warn(&object.place, message);
        if u.image.is_some() && v.image.is_some() && u.factor == v.factor {
            // The one along u, rather than none
            return Ok(self.root_of(object, &u));
        }
        Ok(Roughness { value: (u.factor.x * v.factor.x).max(0.0).sqrt().sqrt().min(1.0), image: None })
    }

    /// Returns the root of α, also of its image.
    fn root_of(&mut self, object: &Object, alpha: &Paint) -> Roughness {
        let value = alpha.factor.x.clamp(0.0, 1.0).sqrt();
        let image = alpha.image.as_ref();
        let image =
            image.and_then(|image| self.metallic_roughness_image(object, Some(image), None, f32::sqrt));
        Roughness { value, image }
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
                self.gaps.warn(&object.place, message);
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
