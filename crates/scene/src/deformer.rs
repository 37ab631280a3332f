use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, Vec3};

use crate::{Mesh, NodeId};

/// Deformer of a mesh: morph targets and a skin. The mesh in the scene is the deformed one, which has the same
/// triangles as the base; [`crate::Scene::deform`] returns the edits that update it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deformer {
    /// Mesh without deformation, in the bind pose of the skin.
    pub base: Arc<Mesh>,
    /// Morph targets.
    pub targets: Arc<Vec<MorphTarget>>,
    /// Current weight of each morph target, usually in [0, 1].
    pub weights: Vec<f32>,
    /// Skin.
    pub skin: Option<Arc<Skin>>,
}

/// Morph target: displacements of vertex attributes. Each array is empty or as long as the number of vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MorphTarget {
    /// Name, for display only.
    pub name: String,
    /// Displacements of the positions, metres.
    pub positions: Vec<Vec3>,
    /// Displacements of the normals.
    pub normals: Vec<Vec3>,
    /// Displacements of the tangents; their handedness does not change.
    pub tangents: Vec<Vec3>,
}

/// Skin: joints that transform the vertices of a mesh [glTF2, §3.7.3]. The transform of the mesh's node has no effect
/// on the vertices in world space, which depend on the joints only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Name, for display only.
    pub name: String,
    /// Nodes of the joints.
    pub joints: Vec<NodeId>,
    /// Inverse bind matrix of each joint: transform from the space of the base mesh to that of the joint in the bind
    /// pose.
    pub joint_from_bind: Vec<Affine3>,
    /// Sets of influences, at least one; each assigns four joints to each vertex, as `JOINTS_n` and `WEIGHTS_n` of glTF.
    pub influences: Arc<Vec<Influences>>,
}

/// Set of influences: four joints of each vertex, with their weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Influences {
    /// Indices into [`Skin::joints`].
    pub joints: Vec<[u16; 4]>,
    /// Weight of each joint, ≥ 0. A vertex whose weights are all 0 is not skinned.
    pub weights: Vec<[f32; 4]>,
}
