//! Microfacets: their distribution and roughness.

use sunfleck_math::Vec3;

use super::Importer;
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::mitsuba::tree::Object;
use crate::renderer::anisotropy::{self, MAX_ANISOTROPY, roughness_and_anisotropy};
use crate::renderer::bake::{self, Encoded};
use crate::renderer::image_use::ImageUse;
use crate::renderer::spectrum::Quantity;

/// Distribution of microfacets.
#[derive(Clone, Debug, Default)]
pub(super) struct Microfacets {
    /// Perceptual roughness, the root of Mitsuba's α.
    pub(super) roughness: f32,
    /// Difference of α along u and along v, divided by their sum.
    pub(super) anisotropy: f32,
    /// Image whose green channel multiplies the roughness; its blue channel is that of the anisotropy.
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
        let alpha = self.textured(object, "alpha", Vec3::splat(0.1), Quantity::Index)?;
        let has = |name: &str| object.get(name).is_some();
        let (mut u, mut v) = (alpha.clone(), alpha);
        if has("alpha_u") || has("alpha_v") {
            u = self.textured(object, "alpha_u", Vec3::splat(0.1), Quantity::Index)?;
            v = self.textured(object, "alpha_v", Vec3::splat(0.1), Quantity::Index)?;
        }
        let [along_u, along_v] = [&u, &v].map(|alpha| alpha.factor.x.max(0.0));
        let key = format!("roughness along u and v of factors {along_u} {along_v}");
        let image = self.combined_image(object, &key, [u.image.as_ref(), v.image.as_ref()], |[u, v]| {
            anisotropy::texel(along_u * u, along_v * v)
        });
        Ok(match image {
            Some(image) => {
                let is_isotropic = u == v;
                let anisotropy = if is_isotropic { 0.0 } else { MAX_ANISOTROPY };
                Microfacets { roughness: 1.0, anisotropy, image: Some(image), beckmann }
            }
            None => {
                let (roughness, anisotropy) = roughness_and_anisotropy(along_u, along_v);
                Microfacets { roughness, anisotropy, image: None, beckmann }
            }
        })
    }

    /// Warns if there is a texture of the roughness, for models that have none.
    pub(super) fn warn_of_roughness_texture(&mut self, object: &Object, microfacets: &Microfacets) {
        if microfacets.image.is_some() {
            let message = format!("the texture of the roughness of the {} is not supported", object.title());
            self.omissions.warn(&object.place, message);
        }
    }

    /// Warns if there are different roughnesses along u and v, for models that have one.
    pub(super) fn warn_of_anisotropy(&mut self, object: &Object, microfacets: &Microfacets) {
        if microfacets.anisotropy != 0.0 {
            let message =
                format!("the roughness of the {} is the mean of those along u and v", object.title());
            self.omissions.warn(&object.place, message);
        }
    }

    /// Returns a linear image that is computed from the luminances of others, which are 1 for those that are not given;
    /// `None` if there is none.
    ///
    /// * `key` — identifies `texel` among all such images.
    pub(super) fn combined_image<const N: usize>(
        &mut self,
        object: &Object,
        key: &str,
        images: [Option<&ImageUse>; N],
        texel: impl Fn([f32; N]) -> [f32; 4],
    ) -> Option<ImageUse> {
        let main = images.into_iter().flatten().next()?;
        let images = images.map(|image| {
            let image = image?;
            if image.image_from_uv != main.image_from_uv {
                let message = "textures of numbers with different transforms are not supported together";
                self.omissions.warn(&object.place, message);
                return None;
            }
            Some(image)
        });
        let name = |image: Option<&ImageUse>| {
            image.map_or("1".to_string(), |image| format!("{} {:?}", image.key, image.sampling.encoding))
        };
        let key = format!("{key}: {}", images.map(name).join(", "));
        if self.images.get(&key).is_none() {
            let encoded = |image: Option<&ImageUse>| -> Option<Encoded<'_>> {
                image.and_then(|image| Some((self.images.get(&image.key)?, image.sampling.encoding)))
            };
            let image = bake::combined(images.map(encoded), texel);
            self.images.insert(key.clone(), main.key.clone(), image);
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..main.sampling };
        Some(ImageUse { key, sampling, image_from_uv: main.image_from_uv })
    }
}
