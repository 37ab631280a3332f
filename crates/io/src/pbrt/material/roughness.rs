//! Roughness of microfacets.

use sunfleck_math::{Vec3, log};

use super::Importer;
use crate::pbrt::parameter::Directive;
use crate::pbrt::texture::Paint;
use crate::renderer::anisotropy::{self, MAX_ANISOTROPY, roughness_and_anisotropy};
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

    /// Returns the roughness that is the same everywhere.
    fn plain(self, along_u: f32, along_v: f32) -> Roughness {
        let (alpha_u, alpha_v) = (self.alpha_or_smooth(along_u), self.alpha_or_smooth(along_v));
        let (value, anisotropy) = roughness_and_anisotropy(alpha_u, alpha_v);
        Roughness { value, anisotropy, image: None }
    }
}

impl Importer<'_, '_> {
    /// Returns the roughness of a material.
    ///
    /// * `prefix` — what the names of its parameters begin with. * `default` — the roughness if none is given.
    pub(super) fn roughness(&mut self, material: &Directive, prefix: &str, default: f32) -> Roughness {
        let (remapping, [u, v]) = self.paints_of_roughness(material, prefix, default);
        let [along_u, along_v] = [u.factor.x, v.factor.x];
        let key = format!("roughness of factors {along_u} {along_v}, {remapping:?}");
        let images = [u.image.as_ref(), v.image.as_ref()];
        let at = (&mut self.images, &mut self.omissions, &material.place);
        let texel = |[u, v]: [f32; 2]| {
            anisotropy::texel(remapping.alpha_or_smooth(along_u * u), remapping.alpha_or_smooth(along_v * v))
        };
        match ImageUse::combined(images, &key, at, texel) {
            None => remapping.plain(along_u, along_v),
            image => {
                let anisotropy = if u == v { 0.0 } else { MAX_ANISOTROPY };
                Roughness { value: 1.0, anisotropy, image }
            }
        }
    }

    /// Returns the roughness of a material that cannot have a texture of it, of which the mean is taken.
    ///
    /// * `default` — the roughness if none is given.
    pub(super) fn plain_roughness(&mut self, material: &Directive, default: f32) -> Roughness {
        let (remapping, paints) = self.paints_of_roughness(material, "", default);
        if paints.iter().any(|paint| paint.image.is_some()) {
            let message = format!(
                "a texture of the roughness of {} is not supported: it is the mean",
                material.title()
            );
            self.omissions.warn(&material.place, message);
        }
        let [u, v] = paints.map(|paint| paint.mean(&self.images).x);
        remapping.plain(u, v)
    }

    /// Returns the roughness along u and along v.
    fn paints_of_roughness(
        &mut self,
        material: &Directive,
        prefix: &str,
        default: f32,
    ) -> (Remapping, [Paint; 2]) {
        let is_remapped = material.flag("remaproughness", true);
        let remapping = match (is_remapped, self.description.is_version_3) {
            (false, _) => Remapping::None,
            (true, false) => Remapping::Root,
            (true, true) => Remapping::Polynomial,
        };
        let mut paint = |name: &str| self.paint(material, &format!("{prefix}{name}"), Quantity::Index);
        let both = paint("roughness").unwrap_or_else(|| Paint::plain(Vec3::splat(default)));
        let (u, v) = (paint("uroughness"), paint("vroughness"));
        (remapping, [u.unwrap_or_else(|| both.clone()), v.unwrap_or(both)])
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
