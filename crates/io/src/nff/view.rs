//! View of NFF and AFF files.

use sunfleck_math::DVec3;
use sunfleck_math::transform::look_at;
use sunfleck_scene::{Camera, Node, NodeId, Scene};

use crate::error::{ImportProblem, ParseError};
use crate::text::Word;

use super::tokens::Tokens;

/// View of the image that the file describes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) from: DVec3,
    pub(crate) at: DVec3,
    pub(crate) up: DVec3,
    /// Angle between the top and the bottom row.
    pub(crate) angle_degrees: f32,
    pub(crate) aspect_ratio: Option<f32>,
}

impl View {
    /// Reads one of its statements.
    pub(crate) fn read(&mut self, word: &Word<'_>, tokens: &mut Tokens<'_>) -> Result<(), ParseError> {
        match word.text {
            b"from" => self.from = tokens.vec3()?,
            b"at" => self.at = tokens.vec3()?,
            b"up" => self.up = tokens.vec3()?,
            b"angle" => {
                let angle = tokens.short()?;
                if !(angle > 0.0 && angle < 180.0) {
                    return Err(word.bad("an angle between 0 and 180 degrees"));
                }
                self.angle_degrees = angle;
            }
            // Clipping plane
            b"hither" => drop(tokens.number()?),
            _ => {
                let [width, height] = [tokens.short()?, tokens.short()?];
                self.aspect_ratio = (width >= 1.0 && height >= 1.0).then_some(width / height);
            }
        }
        Ok(())
    }

    /// Adds the camera to a scene.
    pub(crate) fn add(&self, scene: &mut Scene, origin: DVec3) -> Result<NodeId, ImportProblem> {
        let [eye, target] = [self.from, self.at].map(|p| (p - origin).as_vec3());
        let mut camera = Camera::perspective("view", self.angle_degrees.to_radians());
        camera.aspect_ratio = self.aspect_ratio;
        let camera = scene.add_camera(camera)?;
        let place = look_at(eye, target, self.up.as_vec3());
        Ok(scene.add_node(Node::new("view").at(place).with_camera(camera))?)
    }
}

impl Default for View {
    fn default() -> Self {
        Self { from: DVec3::Z, at: DVec3::ZERO, up: DVec3::Y, angle_degrees: 45.0, aspect_ratio: None }
    }
}
