//! Roughness of microfacets.

use sunfleck_math::{Vec3, log};

use super::Importer;
use crate::images::{Encoding, Sampling};
use crate::pbrt::parameter::Directive;
use crate::pbrt::texture::Paint;
use crate::renderer::anisotropy::{self, MAX_ANISOTROPY, roughness_and_anisotropy};
use crate::renderer::bake;
use crate::renderer::image_use::ImageUse;
use crate::renderer::spectrum::Quantity;

/// Perceptual roughness, the root of the geometric mean of pbrt's α along u and v, with an image that multiplies it by
/// its green channel and the anisotropy by twice its blue channel minus 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Roughness {
    pub(super) value: f32,
    /// Difference of α along u and along v, divided by their sum.
    pub(super) anisotropy: f32,
    pub(super) image: Option<ImageUse>,
}

/// How a roughness becomes the α of the microfacets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Remapping {
    /// The roughness is α.
    None,
    /// The root of the roughness [PBRT4, remapped roughness].
    Root,
    /// A polynomial of its logarithm [PBRT3, §8.4.2].
    Polynomial,
}

impl Remapping {
    fn alpha(self, roughness: f32) -> f32 {
        match self {
            Self::None => roughness,
            Self::Root => roughness.max(0.0).sqrt(),
            Self::Polynomial => {
                let x = log(roughness.max(1e-3));
                1.621_42 + x * (0.819_955 + x * (0.1734 + x * (0.017_120_1 + x * 0.000_640_711)))
            }
        }
    }

    /// Returns the α of microfacets; neither version has any where the roughness is 0.
    fn alpha_or_smooth(self, roughness: f32) -> f32 {
        if roughness <= 0.0 { 0.0 } else { self.alpha(roughness).clamp(0.0, 1.0) }
    }
}

impl Importer<'_, '_> {
    /// Returns the roughness of a material.
    ///
    /// * `prefix` — what the names of its parameters begin with. * `default` — the roughness if none is given.
    pub(super) fn roughness(&mut self, material: &Directive, prefix: &str, default: f32) -> Roughness {
        let is_remapped = material.flag("remaproughness", true);
        let remapping = match (is_remapped, self.description.is_version_3) {
            (false, _) => Remapping::None,
            (true, false) => Remapping::Root,
            (true, true) => Remapping::Polynomial,
        };
        let mut paint = |name: &str| self.paint(material, &format!("{prefix}{name}"), Quantity::Index);
        let both = paint("roughness").unwrap_or_else(|| Paint::plain(Vec3::splat(default)));
        let (u, v) = (paint("uroughness"), paint("vroughness"));
        let (u, v) = (u.unwrap_or_else(|| both.clone()), v.unwrap_or(both));
        let alphas = |u: f32, v: f32| (remapping.alpha_or_smooth(u), remapping.alpha_or_smooth(v));
        let (along_u, along_v) = (u.factor.x, v.factor.x);
        let plain = {
            let (alpha_u, alpha_v) = alphas(along_u, along_v);
            let (value, anisotropy) = roughness_and_anisotropy(alpha_u, alpha_v);
            Roughness { value, anisotropy, image: None }
        };
        let placed = u.image.as_ref().zip(v.image.as_ref());
        if placed.is_some_and(|(u, v)| u.image_from_uv != v.image_from_uv) {
            let message = "textures of roughness along u and v with different transforms are not supported";
            self.omissions.warn(&material.place, message);
            return plain;
        }
        let Some(main) = u.image.as_ref().or(v.image.as_ref()) else { return plain };
        let name = |image: &Option<ImageUse>| {
            image.as_ref().map(|image| format!("{} {:?}", image.key, image.sampling.encoding))
        };
        let key = format!(
            "roughness {:?} × {along_u}, {:?} × {along_v}, {remapping:?}",
            name(&u.image),
            name(&v.image)
        );
        if self.images.get(&key).is_none() {
            let encoded = |image: &Option<ImageUse>| {
                image.as_ref().and_then(|image| Some((self.images.get(&image.key)?, image.sampling.encoding)))
            };
            let texel = |[u, v]: [f32; 2]| {
                let (alpha_u, alpha_v) = alphas(along_u * u, along_v * v);
                anisotropy::texel(alpha_u, alpha_v)
            };
            let baked = bake::combined([encoded(&u.image), encoded(&v.image)], texel);
            self.images.insert(key.clone(), main.key.clone(), baked);
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..main.sampling };
        let image = Some(ImageUse { key, sampling, image_from_uv: main.image_from_uv });
        let anisotropy = if u == v { 0.0 } else { MAX_ANISOTROPY };
        Roughness { value: 1.0, anisotropy, image }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the functions `RoughnessToAlpha` of the two versions, computed in double precision.
    #[test]
    fn alpha_of_both_versions() {
        for (roughness, version_3, version_4) in [(0.025, 0.215_556, 0.158_114), (0.15, 0.581_350, 0.387_298)]
        {
            assert!((Remapping::Polynomial.alpha(roughness) - version_3).abs() < 1e-5);
            assert!((Remapping::Root.alpha(roughness) - version_4).abs() < 1e-5);
            assert_eq!(Remapping::None.alpha(roughness), roughness);
        }
        assert_eq!([Remapping::Root, Remapping::Polynomial].map(|map| map.alpha_or_smooth(0.0)), [0.0; 2]);
    }
}
