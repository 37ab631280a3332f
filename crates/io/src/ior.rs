//! Indices of refraction.

use std::ops::RangeInclusive;

use sunfleck_math::Vec3;
use sunfleck_scene::Surface;

/// Index of refraction of materials that do not state theirs: that of glass and plastics.
pub(crate) const DEFAULT: f32 = 1.5;

/// Indices of refraction that are imported.
pub(crate) const VALID: RangeInclusive<f32> = 1.0..=10.0;

/// Returns the nearest index that is imported.
pub(crate) fn valid(ior: f32) -> f32 {
    ior.clamp(*VALID.start(), *VALID.end())
}

/// Returns the nearest index of a medium over another one, which may be below 1.
pub(crate) fn valid_relative(ior: f32) -> f32 {
    ior.clamp(1.0 / VALID.end(), *VALID.end())
}

/// Returns the index of refraction at which a dielectric reflects a fraction of light at normal incidence, at most 0.6:
/// F₀ = ((n − 1) / (n + 1))², solved for n.
pub(crate) fn of_reflectance(f0: f32) -> f32 {
    let root = f0.clamp(0.0, 0.6).sqrt();
    ((1.0 + root) / (1.0 - root)).min(*VALID.end())
}

/// Returns the surface of a fill that lets light through: glass, or a sheet if the index of refraction is not above 1.
pub(crate) fn transmitting(transmittance: f32, ior: f32) -> Surface {
    let tint = Vec3::splat(transmittance.clamp(0.0, 1.0));
    if ior > 1.001 && VALID.contains(&ior) {
        Surface::smooth_dielectric(ior, tint)
    } else {
        Surface::ThinDielectric { ior: DEFAULT, tint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_scene::{Material, Scene};

    #[test]
    fn scenes_have_the_same_default_and_range() {
        let plastic = Material::metallic_roughness("", Vec3::ONE, 0.0, 0.5);
        assert!(matches!(plastic.surface, Surface::MetallicRoughness { ior, .. } if ior == DEFAULT));
        for (ior, is_valid) in [(*VALID.start(), true), (*VALID.end(), true), (VALID.end() + 0.1, false)] {
            let surface = Surface::ThinDielectric { ior, tint: Vec3::ONE };
            assert_eq!(Scene::default().add_material(Material::new("", surface)).is_ok(), is_valid, "{ior}");
        }
    }

    #[test]
    fn reflectance_and_index_belong_together() {
        assert!((of_reflectance(0.04) - 1.5).abs() < 1e-6);
        assert_eq!((of_reflectance(-1.0), of_reflectance(f32::INFINITY)), (1.0, of_reflectance(0.6)));
    }
}
