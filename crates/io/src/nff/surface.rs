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
    if transmittance > 0.0 && transmittance >= (color * diffuse).max_element() {
        return ior::transmitting(transmittance, index);
    }
    if specular <= 0.0 {
        return Surface::Lambert { albedo: ColorTexture::plain(unit(color * diffuse)) };
    }
    Surface::MetallicRoughness {
        base_color: ColorTexture::plain(unit(color * diffuse)),
        metallic: 0.0,
        roughness: roughness_of_phong(exponent),
        ior: ior::of_reflectance(specular),
        metallic_roughness_texture: None,
    }
}
