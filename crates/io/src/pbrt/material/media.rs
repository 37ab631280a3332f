//! Participating media on the sides of shapes.

use std::rc::Rc;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Media, Medium};

use super::Importer;
use crate::pbrt::description::MediumNames;
use crate::pbrt::parameter::Directive;
use crate::renderer::place::SourcePlace;
use crate::renderer::spectrum::Quantity;

/// Coefficients `σ_a` and `σ_s` of media without their own, 1/m. In version 3 they are those of milk.
const DEFAULTS: [Vec3; 2] = [Vec3::ONE; 2];
const DEFAULTS_OF_VERSION_3: [Vec3; 2] = [vec3(0.0011, 0.0024, 0.014), vec3(2.55, 3.21, 3.77)];

impl Importer<'_, '_> {
    /// Returns the media on the sides of a shape.
    pub(super) fn media(&mut self, names: &MediumNames, place: &SourcePlace) -> Media {
        Media { interior: self.medium(&names.interior, place), exterior: self.medium(&names.exterior, place) }
    }

    /// Returns a medium, which is converted at its first use; `None` if it is left out, or there is none of the name.
    fn medium(&mut self, name: &Rc<str>, place: &SourcePlace) -> Option<Medium> {
        if name.is_empty() {
            return None;
        }
        if let Some(&medium) = self.media.get(name) {
            return medium;
        }
        let medium = match self.description.named_media.get(&**name).cloned() {
            Some(directive) => {
                let medium = self.homogeneous(&directive);
                self.omissions.medium(&directive.place, medium.is_some());
                medium
            }
            None => {
                self.omissions.warn(place, format!("there is no medium {name:?}: the space is empty"));
                None
            }
        };
        self.media.insert(Rc::clone(name), medium);
        medium
    }

    /// Returns a homogeneous medium [PBRT4, §11.4.1]; `None` if it is another one.
    fn homogeneous(&mut self, medium: &Directive) -> Option<Medium> {
        if medium.kind != "homogeneous" || medium.get("preset").is_some() {
            return None;
        }
        let scale = medium.float("scale", 1.0).max(0.0);
        let defaults = if self.description.is_version_3 { DEFAULTS_OF_VERSION_3 } else { DEFAULTS };
        let mut coefficient = |name: &str, default: Vec3| {
            let value = self.color(medium, name, Quantity::Index).unwrap_or(default);
            value.max(Vec3::ZERO) * scale
        };
        let (absorption, scattering) =
            (coefficient("sigma_a", defaults[0]), coefficient("sigma_s", defaults[1]));
        let asymmetry = medium.float("g", 0.0).clamp(-0.999, 0.999);
        self.note_emission(medium);
        self.unused(medium);
        Some(Medium { absorption, scattering, asymmetry })
    }

    fn note_emission(&mut self, medium: &Directive) {
        medium.ignore(&["Lescale"]);
        if medium.get("Le").is_some() {
            self.omissions.warn(&medium.place, "a medium that emits is not supported: it is dark");
        }
    }
}
