//! Microfacets: their distribution and roughness.

use sunfleck_math::Vec3;

use super::Importer;
use crate::error::ParseError;
use crate::mitsuba::texture::TexturedValue;
use crate::mitsuba::tree::Object;
use crate::renderer::anisotropy::{self, MAX_ANISOTROPY, roughness_and_anisotropy};
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

/// Roughness of microfacets as files have it: α along u and along v.
struct Alphas {
    along: [TexturedValue; 2],
    beckmann: bool,
}

impl Importer<'_, '_> {
    /// Returns the microfacets of a model; a smooth one has the roughness 0.
    ///
    /// * `is_rough` — whether the plugin has microfacets.
    pub(super) fn microfacets(&mut self, object: &Object, is_rough: bool) -> Result<Microfacets, ParseError> {
        if !is_rough {
            return Ok(Microfacets::default());
        }
        let Alphas { along: [u, v], beckmann } = self.alphas(object)?;
        let factors = [&u, &v].map(|alpha| alpha.factor.x.max(0.0));
        let key = format!("roughness along u and v of factors {factors:?}");
        let images = [u.image.as_ref(), v.image.as_ref()];
        let at = (&mut self.images, &mut self.omissions, &object.place);
        let texel = |[u, v]: [f32; 2]| anisotropy::texel(factors[0] * u, factors[1] * v);
        let Some(image) = ImageUse::combined(images, &key, at, texel) else {
            let (roughness, anisotropy) = roughness_and_anisotropy(factors[0], factors[1]);
            return Ok(Microfacets { roughness, anisotropy, image: None, beckmann });
        };
        let anisotropy = if u == v { 0.0 } else { MAX_ANISOTROPY };
        Ok(Microfacets { roughness: 1.0, anisotropy, image: Some(image), beckmann })
    }

    /// Returns the microfacets of a model that cannot have a texture of the roughness, of which the mean is taken.
    ///
    /// * `is_rough` — whether the plugin has microfacets.
    pub(super) fn plain_microfacets(
        &mut self,
        object: &Object,
        is_rough: bool,
    ) -> Result<Microfacets, ParseError> {
        if !is_rough {
            return Ok(Microfacets::default());
        }
        let Alphas { along, beckmann } = self.alphas(object)?;
        if along.iter().any(|alpha| alpha.image.is_some()) {
            let message = format!(
                "a texture of the roughness of the {} is not supported: it is the mean",
                object.title()
            );
            self.omissions.warn(&object.place, message);
        }
        let [u, v] = along.map(|alpha| alpha.mean(&self.images).x.max(0.0));
        let (roughness, anisotropy) = roughness_and_anisotropy(u, v);
        Ok(Microfacets { roughness, anisotropy, image: None, beckmann })
    }

    fn alphas(&mut self, object: &Object) -> Result<Alphas, ParseError> {
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
        let mut alpha = |name: &str| self.textured(object, name, Vec3::splat(0.1), Quantity::Index);
        let both = alpha("alpha")?;
        let has = |name: &str| object.get(name).is_some();
        let along = if has("alpha_u") || has("alpha_v") {
            [alpha("alpha_u")?, alpha("alpha_v")?]
        } else {
            [both.clone(), both]
        };
        Ok(Alphas { along, beckmann })
    }

    /// Warns if there are different roughnesses along u and v, for models that have one.
    pub(super) fn warn_of_anisotropy(&mut self, object: &Object, microfacets: &Microfacets) {
        if microfacets.anisotropy != 0.0 {
            let message =
                format!("the roughness of the {} is the mean of those along u and v", object.title());
            self.omissions.warn(&object.place, message);
        }
    }
}
