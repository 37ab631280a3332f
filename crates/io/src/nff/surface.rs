//! Conversion of fills, which use Phong's model, to physically based surfaces.

use sunfleck_math::Vec3;
use sunfleck_scene::{ColorTexture, Surface};

use super::parse::Fill;
use crate::ior;
use crate::phong::roughness_of_phong;

/// Returns the surface of a fill.
pub(super) fn of(fill: &Fill) -> Surface {
    let Fill { color, diffuse, specular, exponent, transmittance, ior: index, .. } = *fill;
    let unit = |color: Vec3| color.clamp(Vec3::ZERO, Vec3::ONE);
    if transmittance > 0.0 {
        let tint = unit(Vec3::splat(transmittance));
        // Without refraction, light passes a sheet.
        let thin = Surface::ThinDielectric { ior: ior::DEFAULT, tint };
        return if index > 1.001 && ior::VALID.contains(&index) {
            Surface::smooth_dielectric(index, tint)
        } else {
            thin
        };
    }
    if specular <= 0.0 {
        return Surface::Lambert { albedo: ColorTexture::plain(unit(color * diffuse)) };
    }
    // The index of refraction at which a dielectric reflects the fraction Ks: F₀ = ((n − 1) / (n + 1))²
    let root = specular.min(0.6).sqrt();
    Surface::MetallicRoughness {
        base_color: ColorTexture::plain(unit(color * diffuse)),
        metallic: 0.0,
        roughness: roughness_of_phong(exponent),
        ior: ((1.0 + root) / (1.0 - root)).min(*ior::VALID.end()),
        metallic_roughness_texture: None,
    }
}
