use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, Vec3};

use crate::{Mesh, NodeId};

/// How the vertices of a mesh move: between shapes, and with joints. It stands beside the mesh that is shown, which has the
/// same triangles as the base; [`crate::Scene::deform`] brings that to where joints and weights say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deformer {
    /// The mesh without weights, and as it was bound to its skin.
    pub base: Arc<Mesh>,
    /// Shapes that are added to the base.
    pub targets: Arc<Vec<MorphTarget>>,
    /// How much of each target is added now; usually 0 … 1.
    pub weights: Vec<f32>,
    /// Joints that take the vertices along.
    pub skin: Option<Arc<Skin>>,
}

/// A shape as differences from the base. Each array is empty or has one for each vertex.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MorphTarget {
    /// For people.
    pub name: String,
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Added to the normals.
    pub normals: Vec<Vec3>,
    /// Added to the tangents; handedness stays.
    pub tangents: Vec<Vec3>,
}

/// Which joints take vertices along [glTF2, §3.7.3]. The transform of the node that shows the mesh has no influence: the
/// joints alone say where the vertices are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// For people.
    pub name: String,
    /// The nodes that are joints.
    pub joints: Vec<NodeId>,
    /// For each joint, from the space of the base mesh to its own as it was when the mesh was bound.
    pub joint_from_bind: Vec<Affine3>,
    /// At least one; each adds four joints to each vertex.
    pub influences: Arc<Vec<Influences>>,
}

/// Four joints of each vertex.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Influences {
    /// Indices into [`Skin::joints`].
    pub joints: Vec<[u16; 4]>,
    /// How much each of them counts, ≥ 0. A vertex whose weights are all 0 stays in the space of its node.
    pub weights: Vec<[f32; 4]>,
}
