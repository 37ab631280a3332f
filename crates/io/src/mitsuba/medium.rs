//! Participating media on the sides of shapes.

use sunfleck_math::Vec3;
use sunfleck_scene::{Media, Medium};

use super::Importer;
use super::tree::{Class, Object, Parameter};
use crate::error::ParseError;
use crate::renderer::spectrum::Quantity;
use crate::renderer::{MEDIA_ARE_KEPT, MEDIUM_IS_LEFT_OUT};

impl Importer<'_, '_> {
    /// Returns the numbers of the media inside and outside of a shape, 0 where there is none.
    pub(super) fn medium_numbers(&self, shape: &Object) -> Result<[u32; 2], ParseError> {
        let mut numbers = [0; 2];
        for parameter in &shape.parameters {
            if let Some(object) = self.object(parameter)?.filter(|object| object.class == Class::Medium) {
                parameter.is_used.set(true);
                numbers[usize::from(parameter.name == "exterior")] = object.number;
            }
        }
        Ok(numbers)
    }

    /// Returns the media of a shape.
    pub(super) fn media(&mut self, shape: &Object) -> Result<Media, ParseError> {
        let mut media = Media::default();
        for parameter in &shape.parameters {
            let Some(object) = self.object(parameter)?.filter(|object| object.class == Class::Medium) else {
                continue;
            };
            parameter.is_used.set(true);
            let medium = self.medium(&object)?;
            match parameter.name.as_str() {
                "exterior" => media.exterior = medium,
                _ => media.interior = medium,
            }
        }
        Ok(media)
    }

    /// Returns a homogeneous medium; `None` if it is another one.
    fn medium(&mut self, object: &Object) -> Result<Option<Medium>, ParseError> {
        object.is_used.set(true);
        object.ignore(&[
            "sample_emitters",
            "has_spectral_extinction",
            "majorant_resolution_factor",
            "strategy",
        ]);
        let scale = object.float("scale", 1.0)?.max(0.0);
        let mut is_known = matches!(object.plugin.as_str(), "homogeneous" | "heterogeneous");
        // A name of a table of measured media
        is_known &= object.get("material").is_none();
        let mut coefficient = |name: &str| -> Result<Option<Vec3>, ParseError> {
            let Some(parameter) = object.get(name) else { return Ok(None) };
            let value = self.constant(parameter)?;
            is_known &= value.is_some();
            Ok(value)
        };
        let (absorption, scattering) = (coefficient("sigma_a")?, coefficient("sigma_s")?);
        let (extinction, albedo) = (coefficient("sigma_t")?, coefficient("albedo")?);
        let asymmetry = self.asymmetry(object)?;
        if !is_known {
            self.omissions.warn(&object.place, MEDIUM_IS_LEFT_OUT);
            return Ok(None);
        }
        self.omissions.warn(&object.place, MEDIA_ARE_KEPT);
        let medium = match (absorption, scattering) {
            (None, None) => {
                let extinction = extinction.unwrap_or(Vec3::ONE).max(Vec3::ZERO) * scale;
                let albedo = albedo.unwrap_or(Vec3::splat(0.75)).clamp(Vec3::ZERO, Vec3::ONE);
                Medium::of_extinction(extinction, albedo, asymmetry)
            }
            (absorption, scattering) => Medium {
                absorption: absorption.unwrap_or_default().max(Vec3::ZERO) * scale,
                scattering: scattering.unwrap_or_default().max(Vec3::ZERO) * scale,
                asymmetry,
            },
        };
        Ok(Some(medium))
    }

    /// Returns the value of a parameter that is the same everywhere; `None` if it is not.
    fn constant(&mut self, parameter: &Parameter) -> Result<Option<Vec3>, ParseError> {
        let volume = self.object(parameter)?.filter(|object| object.class == Class::Medium);
        let Some(volume) = volume else {
            let value = self.textured_of(parameter, Quantity::Index, false, 0)?;
            return Ok(value.image.is_none().then_some(value.factor));
        };
        parameter.is_used.set(true);
        match (volume.plugin.as_str(), volume.get("value")) {
            ("constvolume", Some(value)) => {
                volume.is_used.set(true);
                Ok(Some(self.textured_of(value, Quantity::Index, false, 0)?.factor))
            }
            _ => Ok(None),
        }
    }

    /// Returns the mean cosine of the phase function within a medium.
    fn asymmetry(&mut self, medium: &Object) -> Result<f32, ParseError> {
        for inner in self.inner(medium, Class::Medium)? {
            match inner.plugin.as_str() {
                "hg" => {
                    inner.is_used.set(true);
                    return Ok(inner.float("g", 0.8)?.clamp(-0.999, 0.999));
                }
                "isotropic" | "constvolume" | "gridvolume" => {}
                _ => {
                    let message = format!("the {} is not supported: it is isotropic", inner.title());
                    self.omissions.warn(&inner.place, message);
                }
            }
        }
        Ok(0.0)
    }
}
