//! Roughness of microfacets.

use sunfleck_math::{Vec3, log};

use super::Importer;
use crate::images::{Encoding, Sampling};
use crate::pbrt::parameter::Directive;
use crate::pbrt::texture::Paint;
use crate::renderer::bake;
use crate::renderer::image_use::ImageUse;
use crate::renderer::spectrum::Quantity;

/// Perceptual roughness, the root of pbrt's α, with an image that multiplies it by its green channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Roughness {
    pub(super) value: f32,
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

    fn perceptual(self, roughness: f32) -> f32 {
        // Neither version has microfacets where this is 0
        if roughness <= 0.0 { 0.0 } else { self.alpha(roughness).clamp(0.0, 1.0).sqrt() }
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
        if u != v {
            let message =
                "different roughness along u and v is not supported: it is their geometric mean everywhere";
            self.omissions.warn(&material.place, message);
            if u.image.is_none() || v.image.is_none() {
                let mean = (remapping.perceptual(u.factor.x) * remapping.perceptual(v.factor.x)).sqrt();
                return Roughness { value: mean, image: None };
            }
        }
        let Some(image) = &u.image else {
            return Roughness { value: remapping.perceptual(u.factor.x), image: None };
        };
        self.roughness_image(image, u.factor.x, remapping)
    }

    /// Returns an image whose green channel is the perceptual roughness, as in glTF.
    fn roughness_image(&mut self, image: &ImageUse, factor: f32, remapping: Remapping) -> Roughness {
        let ImageUse { key: of_color, sampling, image_from_uv } = image;
        let key = format!("roughness {of_color} {:?} × {factor} {remapping:?}", sampling.encoding);
        if self.images.get(&key).is_none() {
            let baked = self.images.get(of_color).map(|source| {
                let texel = |rough: f32, _: f32| [1.0, remapping.perceptual(rough * factor), 1.0, 1.0];
                bake::combined(Some((source, sampling.encoding)), None, texel)
            });
            match baked {
                Some(baked) => self.images.insert(key.clone(), of_color.clone(), baked),
                None => return Roughness { value: remapping.perceptual(factor), image: None },
            }
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..*sampling };
        Roughness { value: 1.0, image: Some(ImageUse { key, sampling, image_from_uv: *image_from_uv }) }
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
        assert_eq!([Remapping::Root, Remapping::Polynomial].map(|map| map.perceptual(0.0)), [0.0; 2]);
    }
}
