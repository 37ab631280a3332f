//! Poses of animations as edits. A pose is a function of the scene and the time; it does not depend on earlier poses.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::Affine3;

use crate::flatten::WorldNode;
use crate::{Animation, AnimationId, Deformer, MeshError, MeshId, NodeId, Scene, SceneEdit};

/// Error of computing a pose.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// The animation does not exist.
    #[error("there is no {0}")]
    Missing(AnimationId),
    /// The vertices of a deformed mesh are not finite.
    #[error("{mesh} cannot be deformed: {error}")]
    Mesh {
        /// Deformed mesh.
        mesh: MeshId,
        /// Error of the mesh.
        error: MeshError,
    },
}

/// Transforms of nodes, and weights of deformers by their mesh.
#[derive(Default)]
struct Pose {
    nodes: BTreeMap<NodeId, Affine3>,
    weights: BTreeMap<MeshId, Vec<f32>>,
}

impl Scene {
    /// Returns the edits that set the pose of an animation at a time: [`SceneEdit::Transform`]s of nodes,
    /// [`SceneEdit::Weights`], and [`SceneEdit::Mesh`]es with new vertices and the same triangles. Edits that would
    /// change nothing are omitted. Nodes that are not animated keep their transforms, so several animations can be
    /// combined.
    ///
    /// * `time_secs` — time, clamped to the duration of the animation.
    ///
    /// Errors: [`PoseError`].
    pub fn pose(&self, animation: AnimationId, time_secs: f32) -> Result<Vec<SceneEdit>, PoseError> {
        self.animation_edits(animation, |animation| Pose {
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

    /// Returns the edits that set the rest pose of everything that an animation changes. Errors: [`PoseError`].
    pub fn rest(&self, animation: AnimationId) -> Result<Vec<SceneEdit>, PoseError> {
        self.animation_edits(animation, |animation| Pose {
            nodes: animation
                .nodes
                .iter()
                .map(|motion| (motion.node, motion.rest.parent_from_node()))
                .collect(),
            weights: animation.weights.iter().map(|motion| (motion.mesh, motion.rest.clone())).collect(),
        })
    }

    /// Returns the edits that update the deformed meshes to the current transforms of their joints and the current
    /// weights; none for meshes that are up to date. Errors: [`PoseError::Mesh`].
    pub fn deform(&self) -> Result<Vec<SceneEdit>, PoseError> {
        self.edits_for_pose(&Pose::default())
    }

    /// Returns the edits that set a pose derived from an animation. Errors: [`PoseError`].
    fn animation_edits(
        &self,
        id: AnimationId,
        pose_of: impl FnOnce(&Animation) -> Pose,
    ) -> Result<Vec<SceneEdit>, PoseError> {
        let animation = self.animation(id).ok_or(PoseError::Missing(id))?;
        self.edits_for_pose(&pose_of(animation))
    }

    /// Returns the edits from the current state to `pose`; objects that are not in `pose` keep their state.
    fn edits_for_pose(&self, pose: &Pose) -> Result<Vec<SceneEdit>, PoseError> {
        let mut edits = Vec::new();
        for (&id, &parent_from_node) in &pose.nodes {
            if self.node(id).is_some_and(|node| node.parent_from_node != parent_from_node) {
                edits.push(SceneEdit::Transform { id, parent_from_node });
            }
        }
        for (&id, weights) in &pose.weights {
            if self.deformer(id).is_some_and(|deformer| deformer.weights != *weights) {
                edits.push(SceneEdit::Weights { id, weights: weights.clone() });
            }
        }
        if self.deformers.is_empty() {
            return Ok(edits);
        }
        let world_nodes =
            self.world_nodes(|id, node| pose.nodes.get(&id).copied().unwrap_or(node.parent_from_node));
        let first_node_by_mesh = self.first_node_by_mesh();
        for (id, deformer) in self.deformers() {
            let weights = pose.weights.get(&id).unwrap_or(&deformer.weights);
            let world_from_object = first_node_by_mesh.get(&id).and_then(|node| world_nodes.get(node));
            let Some(joints) = object_from_bind(deformer, world_from_object, &world_nodes) else { continue };
            let mesh = deformer.deformed(weights, &joints);
            let mesh = mesh.map_err(|error| PoseError::Mesh { mesh: id, error })?;
            if self.mesh(id).is_some_and(|current| **current != mesh) {
                edits.push(SceneEdit::Mesh { id, mesh: Some(Arc::new(mesh)) });
            }
        }
        Ok(edits)
    }

    /// Returns the first node of each mesh. Its transform defines the object space of the deformed vertices; other
    /// nodes are copies with their own transforms.
    fn first_node_by_mesh(&self) -> BTreeMap<MeshId, NodeId> {
        let mut first_node_by_mesh = BTreeMap::new();
        for (id, node) in self.nodes() {
            if let Some(instance) = &node.instance {
                first_node_by_mesh.entry(instance.mesh).or_insert(id);
            }
        }
        first_node_by_mesh
    }
}

/// Returns the transform of each joint from the bind pose to the object space of the mesh. It includes the inverse of
/// the mesh's world transform, so that the latter has no effect. Returns `None` if that transform is singular; the
/// instance is then invisible.
fn object_from_bind(
    deformer: &Deformer,
    world_from_object: Option<&WorldNode>,
    world_nodes: &BTreeMap<NodeId, WorldNode>,
) -> Option<Vec<Affine3>> {
    let Some(skin) = &deformer.skin else { return Some(Vec::new()) };
    let world_from_object = world_from_object.map_or(Affine3::IDENTITY, |node| node.world_from_node);
    let object_from_world = world_from_object.inverse();
    if !object_from_world.is_finite() {
        return None;
    }
    let world_from_joint =
        |joint| world_nodes.get(joint).map_or(Affine3::IDENTITY, |node| node.world_from_node);
    let joints = skin.joints.iter().zip(&skin.joint_from_bind);
    Some(joints.map(|(joint, from_bind)| object_from_world * world_from_joint(joint) * *from_bind).collect())
}
