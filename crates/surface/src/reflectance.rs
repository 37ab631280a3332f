use sunfleck_math::Vec3;
use sunfleck_shading::Bsdf;

/// Returns the reflectance of a surface that is taken as ideally diffuse: that of light from above. `None` for mirrors and
/// glass, smooth or rough: what one sees there depends on the direction so much that light is not stored.
pub(crate) fn diffuse_reflectance(bsdf: &Bsdf) -> Option<Vec3> {
    match bsdf {
        Bsdf::Lambert(lambert) => Some(lambert.albedo),
        Bsdf::RoughDielectric(_) => None,
        bsdf if bsdf.is_delta() => None,
        bsdf => Some(bsdf.reflectance(1.0).clamp(Vec3::ZERO, Vec3::ONE)),
    }
}
