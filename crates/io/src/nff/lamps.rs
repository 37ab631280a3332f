//! Lamps of NFF and AFF files.

use std::f32::consts::PI;

use sunfleck_math::{Affine3, DVec3, Vec3};
use sunfleck_scene::{Light, LightKind, Node, NodeId, Scene};

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError};
use crate::report::Reporter;

use super::tokens::Tokens;

/// Lamp of a file: a point that lights all surfaces alike, however far away they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lamp {
    pub(crate) position: DVec3,
    pub(crate) color: Option<Vec3>,
}

impl Lamp {
    /// Reads what follows the keyword.
    pub(crate) fn read(tokens: &mut Tokens<'_>) -> Result<Self, ParseError> {
        let position = tokens.vec3()?;
        let color = if tokens.line_goes_on() { Some(tokens.color()?) } else { None };
        Ok(Self { position, color })
    }

    /// Returns the intensity, in W/sr, that gives a point the irradiance π times the colour, divided by the root of the
    /// number of lamps.
    pub(crate) fn intensity(&self, lamps: usize, middle: DVec3) -> Vec3 {
        let share = 1.0 / f32::from(u16::try_from(lamps).unwrap_or(u16::MAX).max(1)).sqrt();
        #[allow(clippy::cast_possible_truncation, reason = "scenes are in f32")]
        let squared_distance = (self.position - middle).length_squared() as f32;
        self.color.unwrap_or(Vec3::ONE) * (PI * share * squared_distance)
    }

    /// Adds the lamp to a scene.
    pub(crate) fn add(
        &self,
        scene: &mut Scene,
        name: &str,
        intensity: Vec3,
        origin: DVec3,
    ) -> Result<NodeId, ImportProblem> {
        let light =
            scene.add_light(Light { name: name.into(), emission: intensity, kind: LightKind::Point })?;
        let place = Affine3::from_translation((self.position - origin).as_vec3());
        Ok(scene.add_node(Node::new(name).at(place).with_light(light))?)
    }
}

/// Adds a note on the intensity of lamps, if there are any.
pub(crate) fn report_intensity(lamps: usize, report: &mut Reporter) {
    if lamps > 0 {
        let message = "lamps have no intensity in this format: here they give the middle of the scene an irradiance \
                       of π, divided by the root of their number";
        report.note(FileLocation::File, message);
    }
}
