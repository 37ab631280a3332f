//! Indices of refraction.

use std::ops::RangeInclusive;

/// Index of refraction of materials that do not state theirs: that of glass and plastics.
pub(crate) const DEFAULT: f32 = 1.5;

/// Indices of refraction that are imported.
pub(crate) const VALID: RangeInclusive<f32> = 1.0..=10.0;

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::Vec3;
    use sunfleck_scene::{Material, Scene, Surface};

    #[test]
    fn scenes_have_the_same_default_and_range() {
        let plastic = Material::metallic_roughness("", Vec3::ONE, 0.0, 0.5);
        assert!(matches!(plastic.surface, Surface::MetallicRoughness { ior, .. } if ior == DEFAULT));
        for (ior, is_valid) in [(*VALID.start(), true), (*VALID.end(), true), (VALID.end() + 0.1, false)] {
            let surface = Surface::ThinDielectric { ior, tint: Vec3::ONE };
            assert_eq!(Scene::default().add_material(Material::new("", surface)).is_ok(), is_valid, "{ior}");
        }
    }
}
