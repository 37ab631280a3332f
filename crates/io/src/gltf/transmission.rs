//! Glass: `KHR_materials_transmission`, `KHR_materials_volume` and `KHR_materials_ior`.

use sunfleck_math::{Vec3, Vec4, log};
use sunfleck_scene::{Media, Medium, Surface};

use crate::FileLocation;
use crate::ior;
use crate::renderer::MEDIA_ARE_KEPT;

use super::Importer;
use super::model::{Material, Volume};

/// Largest roughness of sheets of glass that counts as smooth. Rougher ones become smooth with a warning, since light
/// passes them straight on average.
const MAX_GLASS_ROUGHNESS: f32 = 0.1;

impl Importer<'_> {
    /// Returns the index of refraction of a material; infinity for a surface that reflects everything.
    ///
    /// * `path` — JSON path of the material.
    pub(super) fn ior(&mut self, material: &Material, path: &str) -> f32 {
        let Some(ior) = material.extensions.ior.as_ref().map(|ior| ior.ior) else { return ior::DEFAULT };
        // Special case of KHR_materials_ior, for the specular-glossiness workflow
        if ior == 0.0 {
            return f32::INFINITY;
        }
        let (min, max) = (*ior::VALID.start(), *ior::VALID.end());
        let clamped = ior.clamp(min, max);
        if clamped != ior {
            let location = FileLocation::Json(format!("{path}.extensions.KHR_materials_ior.ior"));
            let message =
                format!("the index of refraction {ior} is outside of [{min}, {max}]; {clamped} is used");
            self.report.warn(location, message);
        }
        clamped
    }

    /// Returns the glass of a transmissive material: without a volume thin glass, which does not bend rays, else the
    /// surface of a solid. Returns `None` for materials that are not transmissive, or that are imported as opaque with
    /// a warning.
    ///
    /// * `path` — JSON path of the material.
    pub(super) fn glass(
        &mut self,
        material: &Material,
        (factor, metallic, roughness): (Vec4, f32, f32),
        ior: f32,
        path: &str,
    ) -> Option<Surface> {
        let transmission = material.extensions.transmission.as_ref().map_or(0.0, |t| t.transmission_factor);
        if transmission <= 0.0 || ior == f32::INFINITY {
            return None;
        }
        let location = || FileLocation::Json(path.to_string());
        let volume = material.extensions.volume.as_ref().filter(|volume| volume.thickness_factor > 0.0);
        if transmission <= 0.5 || metallic >= 0.5 {
            let message = "transmission is ignored: it is supported for dielectrics with a transmissionFactor above 0.5";
            self.report.warn(location(), message);
            return None;
        }
        if roughness > MAX_GLASS_ROUGHNESS && volume.is_none() {
            let message = "rough transmission is not supported: the thin glass is smooth";
            self.report.warn(location(), message);
        }
        if material.pbr_metallic_roughness.base_color_texture.is_some() {
            self.report.warn(location(), "the base colour texture of glass is not supported and is ignored");
        }
        if material.extensions.transmission.as_ref().is_some_and(|t| t.transmission_texture.is_some()) {
            self.report.warn(location(), "the transmission texture is not supported and is ignored");
        }
        let (what, tint) = (if volume.is_some() { "a dielectric" } else { "thin glass" }, factor.truncate());
        let message = format!("transmission is imported as {what} with an index of refraction of {ior}");
        self.report.note(location(), message);
        Some(match volume {
            Some(_) => Surface::Dielectric { ior, tint, roughness, anisotropy: 0.0, beckmann: false },
            None => Surface::ThinDielectric { ior, tint },
        })
    }

    /// Returns the media on the sides of a surface.
    ///
    /// * `path` — JSON path of the material.
    pub(super) fn media(&mut self, material: &Material, path: &str) -> Media {
        let media = match &material.extensions.sunfleck {
            Some(sunfleck) => {
                let is_valid = sunfleck.media.iter().all(is_valid);
                if !is_valid {
                    let message = "the coefficients of a medium are out of range: the media are ignored";
                    self.report.warn(FileLocation::Json(path.to_string()), message);
                }
                if is_valid { sunfleck.media } else { Media::default() }
            }
            None => {
                Media { interior: material.extensions.volume.as_ref().and_then(absorbing), exterior: None }
            }
        };
        // Whoever wrote a file of ours has been told
        if !media.is_empty() && self.sunfleck.is_none() {
            self.report.warn(FileLocation::Json(path.to_string()), MEDIA_ARE_KEPT);
        }
        media
    }
}

/// Returns whether a scene can have a medium.
fn is_valid(medium: &Medium) -> bool {
    let is_coefficient = |sigma: Vec3| sigma.is_finite() && sigma.min_element() >= 0.0;
    is_coefficient(medium.absorption) && is_coefficient(medium.scattering) && medium.asymmetry.abs() < 1.0
}

/// Returns the medium of a volume: the attenuation `color^(x / distance)` is `exp(−σ_a x)`.
fn absorbing(volume: &Volume) -> Option<Medium> {
    let distance = volume.attenuation_distance.filter(|distance| *distance > 0.0 && distance.is_finite())?;
    let is_solid = volume.thickness_factor > 0.0;
    let color = volume.attenuation_color.unwrap_or([1.0; 3]);
    let absorption = color.map(|value| -log(value.clamp(f32::MIN_POSITIVE, 1.0)) / distance);
    let absorption = Vec3::from_array(absorption);
    let is_clear = absorption == Vec3::ZERO || !absorption.is_finite();
    (is_solid && !is_clear).then_some(Medium { absorption, scattering: Vec3::ZERO, asymmetry: 0.0 })
}
