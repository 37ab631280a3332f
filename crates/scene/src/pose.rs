//! A moment of an animation as edits; what is shown is a function of the scene and the moment, not of moments before.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::Affine3;

use crate::flatten::Placed;
use crate::{Animation, AnimationId, Deformer, MeshError, MeshId, NodeId, Scene, SceneEdit};

/// Why a moment cannot be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// There is no such animation.
    #[error("there is no {0}")]
    Missing(AnimationId),
    /// Vertices of a mesh are moved to where there are no numbers.
    #[error("{mesh} cannot be deformed: {error}")]
    Mesh {
        /// Which.
        mesh: MeshId,
        /// What is wrong with it.
        error: MeshError,
    },
}

/// Where things are that move.
#[derive(Default)]
struct Moved {
    nodes: BTreeMap<NodeId, Affine3>,
    weights: BTreeMap<MeshId, Vec<f32>>,
}

impl Scene {
    /// The edits that show a moment of an animation: [`SceneEdit::Transform`]s of nodes, [`SceneEdit::Weights`], and
    /// [`SceneEdit::Mesh`]es with other vertices and the same triangles. What is there already is left out. Nodes that the
    /// animation does not move stay where they are; so animations can be put one over the other.
    ///
    /// * `time_secs` — before the beginning it is as at the beginning, after the end as at the end.
    ///
    /// Errors: [`PoseError`].
    pub fn pose(&self, animation: AnimationId, time_secs: f32) -> Result<Vec<SceneEdit>, PoseError> {
        self.moved(animation, |animation| Moved {
            nodes: animation
                .nodes
                .iter()
                .map(|motion| (motion.node, motion.at(time_secs).parent_from_node()))
                .collect(),
            weights: animation
                .weights
                .iter()
                .map(|motion| (motion.mesh, motion.weights.numbers(time_secs, motion.rest.len())))
                .collect(),
        })
    }

    /// The edits that bring everything that an animation moves back to where it stands without it. Errors: [`PoseError`].
    pub fn rest(&self, animation: AnimationId) -> Result<Vec<SceneEdit>, PoseError> {
        self.moved(animation, |animation| Moved {
            nodes: animation
                .nodes
                .iter()
                .map(|motion| (motion.node, motion.rest.parent_from_node()))
                .collect(),
            weights: animation.weights.iter().map(|motion| (motion.mesh, motion.rest.clone())).collect(),
        })
    }

    /// The edits that bring deformed meshes to where joints and weights say; none if they are there. Errors:
    /// [`PoseError::Mesh`].
    pub fn deform(&self) -> Result<Vec<SceneEdit>, PoseError> {
        self.edits(&Moved::default())
    }

    fn moved(
        &self,
        id: AnimationId,
        to: impl FnOnce(&Animation) -> Moved,
    ) -> Result<Vec<SceneEdit>, PoseError> {
        let animation = self.animation(id).ok_or(PoseError::Missing(id))?;
        self.edits(&to(animation))
    }

    fn edits(&self, moved: &Moved) -> Result<Vec<SceneEdit>, PoseError> {
        let mut edits = Vec::new();
        for (&id, &parent_from_node) in &moved.nodes {
            if self.node(id).is_some_and(|node| node.parent_from_node != parent_from_node) {
                edits.push(SceneEdit::Transform { id, parent_from_node });
            }
        }
        for (&id, weights) in &moved.weights {
            if self.deformer(id).is_some_and(|deformer| deformer.weights != *weights) {
                edits.push(SceneEdit::Weights { id, weights: weights.clone() });
            }
        }
        if self.deformers.is_empty() {
            return Ok(edits);
        }
        let placed =
            self.placed_nodes(|id, node| moved.nodes.get(&id).copied().unwrap_or(node.parent_from_node));
        let shown_by = self.shown_by();
        for (id, deformer) in self.deformers() {
            let weights = moved.weights.get(&id).unwrap_or(&deformer.weights);
            let world_from_object = shown_by.get(&id).and_then(|node| placed.get(node));
            let Some(joints) = joints(deformer, world_from_object, &placed) else { continue };
            let mesh = deformer.deformed(weights, &joints);
            let mesh = mesh.map_err(|error| PoseError::Mesh { mesh: id, error })?;
            if self.mesh(id).is_some_and(|shown| **shown != mesh) {
                edits.push(SceneEdit::Mesh { id, mesh: Some(Arc::new(mesh)) });
            }
        }
        Ok(edits)
    }

    /// The first node that shows each mesh. Others show copies of it, each where it stands.
    fn shown_by(&self) -> BTreeMap<MeshId, NodeId> {
        let mut shown_by = BTreeMap::new();
        for (id, node) in self.nodes() {
            if let Some(instance) = &node.instance {
                shown_by.entry(instance.mesh).or_insert(id);
            }
        }
        shown_by
    }
}

/// From bind space to the mesh's space for each joint: the mesh's own place is taken out, since it has no influence. Nothing
/// if that cannot be, as the place is flat; then there is nothing to see either.
fn joints(
    deformer: &Deformer,
    world_from_object: Option<&Placed>,
    placed: &BTreeMap<NodeId, Placed>,
) -> Option<Vec<Affine3>> {
    let Some(skin) = &deformer.skin else { return Some(Vec::new()) };
    let world_from_object = world_from_object.map_or(Affine3::IDENTITY, |placed| placed.world_from_node);
    let object_from_world = world_from_object.inverse();
    if !object_from_world.is_finite() {
        return None;
    }
    let world_from_joint =
        |joint| placed.get(joint).map_or(Affine3::IDENTITY, |placed| placed.world_from_node);
    let joints = skin.joints.iter().zip(&skin.joint_from_bind);
    Some(joints.map(|(joint, from_bind)| object_from_world * world_from_joint(joint) * *from_bind).collect())
}
