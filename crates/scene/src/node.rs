use serde::{Deserialize, Serialize};
use sunfleck_math::Affine3;

use crate::{CameraId, LightId, MaterialId, MeshId, NodeId};

/// A place in the hierarchy, with what is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// For people.
    pub name: String,
    /// The node whose frame this one moves in; none: the world.
    pub parent: Option<NodeId>,
    /// Where it is in its parent.
    pub parent_from_node: Affine3,
    /// Whether it and all below it are shown.
    pub visible: bool,
    /// A mesh with its materials.
    pub instance: Option<Instance>,
    /// A light.
    pub light: Option<LightId>,
    /// A camera.
    pub camera: Option<CameraId>,
}

/// A mesh in the scene, with a material for each of its slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// What is shown.
    pub mesh: MeshId,
    /// At least [`crate::Mesh::slot_count`] of them.
    pub materials: Vec<MaterialId>,
}

impl Node {
    /// An empty, visible node at the origin of the world.
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

    /// The same, somewhere else.
    pub fn at(self, parent_from_node: Affine3) -> Self {
        Self { parent_from_node, ..self }
    }

    /// The same, below a node.
    pub fn below(self, parent: NodeId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// The same, showing a mesh.
    pub fn with_mesh(self, mesh: MeshId, materials: Vec<MaterialId>) -> Self {
        Self { instance: Some(Instance { mesh, materials }), ..self }
    }

    /// The same, with a light.
    pub fn with_light(self, light: LightId) -> Self {
        Self { light: Some(light), ..self }
    }

    /// The same, with a camera.
    pub fn with_camera(self, camera: CameraId) -> Self {
        Self { camera: Some(camera), ..self }
    }
}
