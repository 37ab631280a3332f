//! Motions of the camera or of the scene from frame to frame.

use std::fmt;
use std::str::FromStr;

use sunfleck_engine::EditableWorld;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Instance, Node, NodeId, Scene, SceneEdit};

use crate::BenchError;

/// Frames per second of animations.
const FPS: f32 = 24.0;

/// Kind of motion of the camera or of the scene.
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

/// Name that is not in [`MotionKind::ALL`].
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

    /// Returns whether something moves by a distance.
    pub const fn has_distance(self) -> bool {
        !matches!(self, Self::Play | Self::SwitchOff)
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

/// Motion of the camera or of objects of one scene.
#[derive(Debug)]
pub(super) struct SceneMotion {
    kind: MotionKind,
    /// Distance of the motion, metres.
    distance: f32,
    /// Number of frames.
    frames: u32,
    /// Nodes that move, at rest; none if the camera moves.
    moved: Vec<(NodeId, Node)>,
}

impl SceneMotion {
    /// Chooses what moves. Errors: there is no such object.
    ///
    /// * `node` — part of the names of the nodes that move; `None`: the last lamp or object.
    pub(super) fn new(
        kind: MotionKind,
        distance: f32,
        frames: u32,
        node: Option<&str>,
        scene: &Scene,
    ) -> Result<Self, BenchError> {
        let wants_lamp = match kind {
            MotionKind::Walk | MotionKind::Play => {
                return Ok(Self { kind, distance, frames, moved: Vec::new() });
            }
            MotionKind::Lamp | MotionKind::SwitchOff => true,
            MotionKind::Object | MotionKind::Jump => false,
        };
        let fits = |(_, found): &(NodeId, &Node)| match node {
            Some(name) => found.name.contains(name),
            None => found.instance.is_some() && is_lamp(scene, found) == wants_lamp,
        };
        let mut moved: Vec<_> = scene.nodes().filter(fits).map(|(id, node)| (id, node.clone())).collect();
        if moved.is_empty() {
            return Err(BenchError::Scene("there is nothing that could move".into()));
        }
        if node.is_none() {
            moved.drain(..moved.len() - 1);
        }
        Ok(Self { kind, distance, frames, moved })
    }

    /// Returns the name of what moves.
    pub(super) fn what(&self) -> String {
        let moved = self.moved.first().map(|(_, node)| node.name.clone());
        moved.unwrap_or_else(|| {
            if self.kind == MotionKind::Play { "the animation" } else { "the camera" }.into()
        })
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
        match self.kind {
            MotionKind::Lamp | MotionKind::Object => self.place(world, self.distance * share),
            MotionKind::Jump => self.place(world, if is_late { self.distance } else { 0.0 }),
            MotionKind::SwitchOff if is_late => self.switch_off(world),
            MotionKind::SwitchOff => self.switch_on(world),
            MotionKind::Play => {
                let animation = world.scene().animations().next().map(|(id, _)| id);
                let animation = animation.ok_or_else(|| failed(&"the scene has no animation"))?;
                world.pose(animation, frame as f32 / FPS).map(drop).map_err(|error| failed(&error))
            }
            MotionKind::Walk => Ok(()),
        }?;
        world.commit().map(drop).map_err(|error| failed(&error))
    }

    /// Moves the nodes along x.
    fn place(&self, world: &mut EditableWorld, metres: f32) -> Result<(), BenchError> {
        let edits = self.moved.iter().filter_map(|(id, node)| {
            let parent_from_node = Affine3::from_translation(Vec3::X * metres) * node.parent_from_node;
            let is_there = world.scene().node(*id)?.parent_from_node == parent_from_node;
            // An edit, even one that changes nothing, would make another world
            (!is_there).then_some(SceneEdit::Transform { id: *id, parent_from_node })
        });
        let edits = edits.collect();
        edit(world, edits)
    }

    /// Gives the nodes their own materials again.
    fn switch_on(&self, world: &mut EditableWorld) -> Result<(), BenchError> {
        let is_dark = |(id, node): &&(NodeId, Node)| world.scene().node(*id) != Some(node);
        let lit = |(id, node): &(NodeId, Node)| SceneEdit::Node { id: *id, node: Some(node.clone()) };
        let edits = self.moved.iter().filter(is_dark).map(lit).collect();
        edit(world, edits)
    }

    /// Gives the nodes materials without emission.
    fn switch_off(&self, world: &mut EditableWorld) -> Result<(), BenchError> {
        let scene = world.scene();
        let mut next = scene.materials().map(|(id, _)| id.0).max().map_or(0, |id| id + 1);
        let mut edits = Vec::new();
        for (id, node) in &self.moved {
            // Unless it is dark already
            let Some(instance) = node.instance.as_ref().filter(|_| scene.node(*id) == Some(node)) else {
                continue;
            };
            let mut dark = node.clone();
            let mut slots = Vec::new();
            for &material in &instance.materials {
                let Some(lit) = scene.material(material).cloned() else { continue };
                let material = Some(lit.with_emission(Vec3::ZERO));
                edits.push(SceneEdit::Material { id: next.into(), material });
                slots.push(next.into());
                next += 1;
            }
            dark.instance = Some(Instance { materials: slots, ..instance.clone() });
            edits.push(SceneEdit::Node { id: *id, node: Some(dark) });
        }
        edit(world, edits)
    }
}

/// Applies edits as one. Errors: they are refused.
fn edit(world: &mut EditableWorld, edits: Vec<SceneEdit>) -> Result<(), BenchError> {
    if edits.is_empty() {
        return Ok(());
    }
    world.edit(SceneEdit::Batch(edits)).map_err(|error| BenchError::Scene(error.to_string()))
}

/// Returns whether a node has an emissive material.
fn is_lamp(scene: &Scene, node: &Node) -> bool {
    let materials = node.instance.iter().flat_map(|instance| &instance.materials);
    materials.filter_map(|&id| scene.material(id)).any(|material| material.emission.radiance != Vec3::ZERO)
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use sunfleck_engine::{Presentation, StageChoice};

    use super::*;

    #[test]
    fn lamps_are_on_before_they_are_switched_off_whenever_the_sequence_begins_again() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let presented = Presentation::new(scene, StageChoice::Automatic, Level::new()).unwrap();
        let mut world = presented.world;
        let motion = SceneMotion::new(MotionKind::SwitchOff, 0.0, 8, None, world.scene()).unwrap();
        let mut lights_at = |frame: u32| {
            motion.set(&mut world, frame).unwrap();
            world.committed().light_count()
        };
        let on = lights_at(3);
        assert!(on > 0);
        assert_eq!([lights_at(4), lights_at(7), lights_at(0), lights_at(4), lights_at(3)], [0, 0, on, 0, on]);
    }
}
