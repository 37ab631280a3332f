//! Participating media on the sides of shapes.

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Media, Medium};

use super::Importer;
use crate::pbrt::description::MediumNames;
use crate::pbrt::parameter::Directive;
use crate::renderer::place::SourcePlace;
use crate::renderer::spectrum::Quantity;
use crate::renderer::{MEDIA_ARE_KEPT, MEDIUM_IS_LEFT_OUT};

/// Coefficients of media without their own, 1/m: those of pbrt.
const ABSORPTION: Vec3 = vec3(0.0011, 0.0024, 0.014);
const SCATTERING: Vec3 = vec3(2.55, 3.21, 3.77);

impl Importer<'_, '_> {
    /// Returns the media on the sides of a shape.
    pub(super) fn media(&mut self, names: &MediumNames, place: &SourcePlace) -> Media {
        Media { interior: self.medium(&names.interior, place), exterior: self.medium(&names.exterior, place) }
    }

    /// Returns a homogeneous medium [PBRT4, §11.4.1]; `None` if it is another one, or there is none of the name.
    fn medium(&mut self, name: &str, place: &SourcePlace) -> Option<Medium> {
        if name.is_empty() {
            return None;
        }
        let Some(medium) = self.description.named_media.get(name).cloned() else {
            self.omissions.warn(place, format!("there is no medium {name:?}: the space is empty"));
            return None;
        };
        if medium.kind != "homogeneous" || medium.get("preset").is_some() {
            self.omissions.warn(&medium.place, MEDIUM_IS_LEFT_OUT);
            return None;
        }
        self.omissions.warn(&medium.place, MEDIA_ARE_KEPT);
        let scale = medium.float("scale", 1.0).max(0.0);
        let mut coefficient = |name: &str, default: Vec3| {
            let value = self.color(&medium, name, Quantity::Index).unwrap_or(default);
            value.max(Vec3::ZERO) * scale
        };
        let absorption = coefficient("sigma_a", ABSORPTION);
        let scattering = coefficient("sigma_s", SCATTERING);
        let asymmetry = medium.float("g", 0.0).clamp(-0.999, 0.999);
        self.note_emission(&medium);
        self.unused(&medium);
        Some(Medium { absorption, scattering, asymmetry })
    }

    fn note_emission(&mut self, medium: &Directive) {
        medium.ignore(&["Lescale"]);
        if medium.get("Le").is_some() {
            self.omissions.warn(&medium.place, "a medium that emits is not supported: it is dark");
        }
    }
}
