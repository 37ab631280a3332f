//! Participating media on the sides of shapes.

use std::rc::Rc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Media, Medium};

use super::Importer;
use super::tree::{Class, Object, Parameter};
use crate::error::ParseError;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Returns the media inside and outside of a shape.
    ///
    /// Errors: a reference to an object that does not exist.
    pub(super) fn media_of(&self, shape: &Object) -> Result<[Option<Rc<Object>>; 2], ParseError> {
        let mut media = [None, None];
        for parameter in &shape.parameters {
            if let Some(object) = self.object(parameter)?.filter(|object| object.class == Class::Medium) {
                parameter.is_used.set(true);
                media[usize::from(parameter.name == "exterior")] = Some(object);
            }
        }
        Ok(media)
    }

    /// Converts the media inside and outside of a shape.
    pub(super) fn media(&mut self, [inside, outside]: &[Option<Rc<Object>>; 2]) -> Result<Media, ParseError> {
        let mut converted = |object: &Option<Rc<Object>>| match object {
            Some(object) => self.medium(object),
            None => Ok(None),
        };
        Ok(Media { interior: converted(inside)?, exterior: converted(outside)? })
    }

    /// Warns of the subsurface scattering of a shape, which scenes do not have.
    pub(super) fn warn_of_subsurface(&mut self, shape: &Object) -> Result<(), ParseError> {
        for object in self.inner(shape, Class::Subsurface)? {
            let message =
                format!("the {} is not supported: light does not enter the surface", object.title());
            self.omissions.warn(&object.place, message);
        }
        Ok(())
    }

    /// Returns a homogeneous medium; `None` if it is another one.
    fn medium(&mut self, object: &Object) -> Result<Option<Medium>, ParseError> {
        if let Some(&medium) = self.media.get(&object.number) {
            return Ok(medium);
        }
        object.is_used.set(true);
        let medium = self.converted_medium(object)?;
        self.omissions.medium(&object.place, medium.is_some());
        self.media.insert(object.number, medium);
        Ok(medium)
    }

    fn converted_medium(&mut self, object: &Object) -> Result<Option<Medium>, ParseError> {
        object.ignore(&[
            "sample_emitters",
            "has_spectral_extinction",
            "majorant_resolution_factor",
            "strategy",
            "method",
            "step_size",
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
        // Heterogeneous media of versions before 2 have a density instead of the extinction
        let extinction = extinction.or(coefficient("density")?);
        // Homogeneous ones without coefficients were skin, a material of the table
        let has_any = [absorption, scattering, extinction].iter().any(Option::is_some);
        is_known &= has_any || !object.is_old;
        let asymmetry = self.asymmetry(object)?;
        Ok(is_known.then(|| match (absorption, scattering) {
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
        }))
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
