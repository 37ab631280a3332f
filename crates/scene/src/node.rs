use serde::{Deserialize, Serialize};
use sunfleck_math::Affine3;

use crate::{CameraId, LightId, MaterialId, MeshId, NodeId};

/// Node of the scene hierarchy, with its transform and the objects attached to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Name, for display only.
    pub name: String,
    /// Parent node; `None` for a root node.
    pub parent: Option<NodeId>,
    /// Transform from the node to its parent, or to the world.
    pub parent_from_node: Affine3,
    /// Whether the node and its descendants are visible.
    pub visible: bool,
    /// Mesh instance.
    pub instance: Option<Instance>,
    /// Light.
    pub light: Option<LightId>,
    /// Camera.
    pub camera: Option<CameraId>,
}

/// Instance of a mesh, with a material for each of its slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Mesh.
    pub mesh: MeshId,
    /// Material of each slot; at least [`crate::Mesh::slot_count`] of them.
    pub materials: Vec<MaterialId>,
}

impl Node {
    /// Creates an empty, visible root node with the identity transform.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            parent: None,
            parent_from_node: Affine3::IDENTITY,
            visible: true,
            instance: None,
            light: None,
            camera: None,
        }
    }

    /// Returns the node with another transform.
    pub fn at(self, parent_from_node: Affine3) -> Self {
        Self { parent_from_node, ..self }
    }

    /// Returns the node as a child of `parent`.
    pub fn below(self, parent: NodeId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// Returns the node with an instance of a mesh.
    pub fn with_mesh(self, mesh: MeshId, materials: Vec<MaterialId>) -> Self {
        Self { instance: Some(Instance { mesh, materials }), ..self }
    }

    /// Returns the node with a light.
    pub fn with_light(self, light: LightId) -> Self {
        Self { light: Some(light), ..self }
    }

    /// Returns the node with a camera.
    pub fn with_camera(self, camera: CameraId) -> Self {
        Self { camera: Some(camera), ..self }
    }
}
