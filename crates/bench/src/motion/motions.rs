//! What moves from frame to frame.

use std::fmt;
use std::str::FromStr;

use sunfleck_engine::EditableWorld;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Material, Node, NodeId, Scene, SceneEdit};

use crate::BenchError;

/// Motion of the camera or of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// The camera moves forward.
    Walk,
    /// A lamp moves.
    Lamp,
    /// An object moves.
    Object,
    /// The first animation of the scene plays.
    Play,
    /// A lamp is switched off in the middle of the sequence.
    SwitchOff,
    /// An object is moved at once in the middle of the sequence.
    Jump,
}

/// A name that is not in [`MotionKind::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no motion is called '{0}' (there are walk, lamp, object, play, switch-off, jump)")]
pub struct UnknownMotion(String);

impl MotionKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Walk, Self::Lamp, Self::Object, Self::Play, Self::SwitchOff, Self::Jump];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Lamp => "lamp",
            Self::Object => "object",
            Self::Play => "play",
            Self::SwitchOff => "switch-off",
            Self::Jump => "jump",
        }
    }

    /// Returns whether the scene changes once, in the middle.
    pub const fn is_sudden(self) -> bool {
        matches!(self, Self::SwitchOff | Self::Jump)
    }
}

impl fmt::Display for MotionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MotionKind {
    type Err = UnknownMotion;

    fn from_str(name: &str) -> Result<Self, UnknownMotion> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownMotion(name.to_owned()))
    }
}

/// Motion of one scene.
#[derive(Debug)]
pub(super) struct Motion {
    kind: MotionKind,
    /// Length of the way, metres.
    distance: f32,
    frames: u32,
    /// What moves, with its state at rest.
    moved: Option<(NodeId, Node)>,
}

impl Motion {
    /// Chooses what moves. Errors: there is no such object.
    ///
    /// * `node` — part of the name of the node that moves; `None`: the first lamp or object.
    pub(super) fn new(
        kind: MotionKind,
        distance: f32,
        frames: u32,
        node: Option<&str>,
        scene: &Scene,
    ) -> Result<Self, BenchError> {
        let wants_lamp = match kind {
            MotionKind::Walk | MotionKind::Play => return Ok(Self { kind, distance, frames, moved: None }),
            MotionKind::Lamp | MotionKind::SwitchOff => true,
            MotionKind::Object | MotionKind::Jump => false,
        };
        let fits = |(_, found): &(NodeId, &Node)| match node {
            Some(name) => found.name.contains(name),
            None => found.instance.is_some() && is_lamp(scene, found) == wants_lamp,
        };
        let found = scene.nodes().filter(fits).last();
        let (id, found) =
            found.ok_or_else(|| BenchError::Scene("there is nothing that could move".into()))?;
        Ok(Self { kind, distance, frames, moved: Some((id, found.clone())) })
    }

    /// Returns the name of what moves.
    pub(super) fn what(&self) -> String {
        self.moved.as_ref().map_or_else(|| "the camera".into(), |(_, node)| node.name.clone())
    }

    /// Returns the motion of the camera at a frame.
    pub(super) fn camera(&self, frame: u32) -> Affine3 {
        match self.kind {
            MotionKind::Walk => {
                let share = frame as f32 / self.frames.max(2) as f32;
                Affine3::from_translation(vec3(0.0, 0.0, -self.distance * share))
            }
            _ => Affine3::IDENTITY,
        }
    }

    /// Edits and commits the world of a frame. Errors: the edit is refused.
    pub(super) fn set(&self, world: &mut EditableWorld, frame: u32) -> Result<(), BenchError> {
        let failed = |error: &dyn fmt::Display| BenchError::Scene(error.to_string());
        let share = frame as f32 / self.frames.max(2) as f32;
        let is_late = frame >= self.frames / 2;
        match (self.kind, &self.moved) {
            (MotionKind::Lamp | MotionKind::Object, Some((id, node))) => {
                self.place(world, *id, node, self.distance * share)
            }
            (MotionKind::Jump, Some((id, node))) => {
                self.place(world, *id, node, if is_late { self.distance } else { 0.0 })
            }
            (MotionKind::SwitchOff, Some((id, node))) if is_late => switch_off(world, *id, node),
            (MotionKind::Play, _) => {
                let animation = world.scene().animations().next().map(|(id, _)| id);
                let animation = animation.ok_or_else(|| failed(&"the scene has no animation"))?;
                world.pose(animation, frame as f32 / 24.0).map(drop).map_err(|error| failed(&error))
            }
            _ => Ok(()),
        }?;
        world.commit().map(drop).map_err(|error| failed(&error))
    }

    /// Moves a node along x.
    fn place(
        &self,
        world: &mut EditableWorld,
        id: NodeId,
        node: &Node,
        metres: f32,
    ) -> Result<(), BenchError> {
        let parent_from_node = Affine3::from_translation(Vec3::X * metres) * node.parent_from_node;
        let edit = SceneEdit::Transform { id, parent_from_node };
        world.edit(edit).map_err(|error| BenchError::Scene(error.to_string()))
    }
}

fn is_lamp(scene: &Scene, node: &Node) -> bool {
    let materials = node.instance.iter().flat_map(|instance| &instance.materials);
    materials.filter_map(|&id| scene.material(id)).any(|material| material.emission.radiance != Vec3::ZERO)
}

/// Gives the node materials without emission.
fn switch_off(world: &mut EditableWorld, id: NodeId, node: &Node) -> Result<(), BenchError> {
    let refused = |error: sunfleck_scene::EditError| BenchError::Scene(error.to_string());
    let Some(instance) = &node.instance else { return Ok(()) };
    let mut dark = node.clone();
    let mut edits = Vec::new();
    let first = world.scene().materials().map(|(id, _)| id.0).max().map_or(0, |id| id + 1);
    let mut slots = Vec::new();
    for (material, new) in instance.materials.iter().zip(first..) {
        let before = world.scene().material(*material).cloned();
        let before = before.unwrap_or_else(|| Material::lambert("dark", Vec3::ZERO));
        edits.push(SceneEdit::Material { id: new.into(), material: Some(before.with_emission(Vec3::ZERO)) });
        slots.push(new.into());
    }
    if let Some(instance) = &mut dark.instance {
        instance.materials = slots;
    }
    if world.scene().node(id) == Some(&dark) || world.scene().node(id) != Some(node) {
        return Ok(());
    }
    edits.push(SceneEdit::Node { id, node: Some(dark) });
    world.edit(SceneEdit::Batch(edits)).map_err(refused)
}
