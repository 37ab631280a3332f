//! The committed scene: acceleration structures, material and light tables, cameras.

mod commit;
mod commit_inputs;
mod common_lights;
mod derived;
mod lights;
mod motion;
mod packed;
mod pick;
mod share_of_distant;
mod specular_bounds;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sunfleck_kernel::{BuildError, Geometry, Tlas};
use sunfleck_math::{Aabb, Affine3};
use sunfleck_scene::{Camera, Mesh, MeshId, NodeId};
use sunfleck_shading::{LightTable, MaterialTable};

use commit_inputs::CommitInputs;
use derived::DerivedData;

pub use derived::WorldIdentity;
pub use motion::{InstanceMotion, Motion, PreviousPoint};
pub use packed::{MeshArrays, PackedInstance, PackedMesh};
pub use pick::Picked;
pub use specular_bounds::BoundingSphere;

/// Scene that is ready for rays: made by [`World::commit`] and immutable afterwards. Worlds share the parts that an
/// edit of the scene does not change: see [`World::update`].
#[derive(Debug)]
pub struct World {
    pub(crate) tlas: Arc<Tlas>,
    pub(crate) materials: Arc<MaterialTable>,
    pub(crate) lights: Arc<LightTable>,
    /// Meshes with their bottom-level acceleration structures.
    meshes: BTreeMap<MeshId, (Arc<Mesh>, Geometry)>,
    inputs: Arc<CommitInputs>,
    pub(crate) instances: Vec<MeshInstance>,
    /// Indices into the material table of all instances, `slot_count` consecutive entries each.
    pub(crate) instance_materials: Vec<u32>,
    cameras: Vec<PlacedCamera>,
    revision: u64,
    /// See [`World::specular_bounds`].
    specular: OnceLock<Vec<BoundingSphere>>,
    /// See [`World::with_derived`].
    derived: Arc<DerivedData>,
}

/// Instance of a mesh; its index is the `inst_id` of hits.
#[derive(Clone, Debug)]
pub(crate) struct MeshInstance {
    node: NodeId,
    pub(crate) mesh: Arc<Mesh>,
    /// Index into [`World::instance_materials`] of the material of slot 0.
    pub(crate) first_material: u32,
    pub(crate) world_from_object: Affine3,
    pub(crate) object_from_world: Affine3,
}

/// Camera of the scene with its transform.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedCamera {
    /// Name of the camera, or of its node if it has none.
    pub name: String,
    /// The camera, with its projection.
    pub camera: Camera,
    /// Transform of the camera, which looks along −z.
    pub world_from_view: Affine3,
}

impl PlacedCamera {
    /// Returns the camera for images of an aspect ratio: see [`Camera::fitted`].
    pub fn fitted(&self, aspect: f32) -> Self {
        Self { camera: self.camera.fitted(aspect), ..self.clone() }
    }

    /// Returns whether two cameras make the same image, whatever they are called.
    pub fn is_same_view(&self, other: &Self) -> bool {
        (self.world_from_view, self.camera.projection) == (other.world_from_view, other.camera.projection)
    }
}

/// Reason why a scene could not be committed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The acceleration structure of one mesh could not be built.
    #[error("{mesh}: {error}")]
    Mesh {
        /// Id of the mesh.
        mesh: MeshId,
        /// Error of the builder.
        error: BuildError,
    },
    /// The acceleration structure over all instances could not be built.
    #[error("top-level acceleration structure: {0}")]
    TopLevel(BuildError),
}

impl World {
    /// Returns all cameras in the order of their nodes' ids; the first one is the default.
    pub fn cameras(&self) -> &[PlacedCamera] {
        &self.cameras
    }

    /// Returns the [`Scene::revision`](sunfleck_scene::Scene::revision) of the committed scene. Machines that started
    /// with the same scene and applied the same edits have the same world if the revision is the same.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the index of the instance of each node that has one.
    pub(crate) fn instances_by_node(&self) -> BTreeMap<NodeId, u32> {
        self.instances.iter().zip(0..).map(|(placed, inst_id)| (placed.node, inst_id)).collect()
    }

    /// Returns the bounds of all visible instances.
    pub fn bounds(&self) -> Aabb {
        self.tlas.bounds()
    }

    /// Returns the number of visible instances.
    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// Returns the number of lights: emissive triangles, punctual lights, the environment.
    pub fn light_count(&self) -> usize {
        self.lights.len()
    }

    /// Returns the memory of the acceleration structures, bytes.
    pub fn bvh_bytes(&self) -> usize {
        self.tlas.memory_bytes() + self.tlas.geometries().iter().map(Geometry::memory_bytes).sum::<usize>()
    }

    /// Returns the node of the `inst_id` of a hit.
    pub fn node_of(&self, inst_id: u32) -> Option<NodeId> {
        self.instances.get(inst_id as usize).map(|placed| placed.node)
    }

    /// Returns the material slot of the triangle or shape of a hit.
    pub(crate) fn slot_at(&self, inst_id: u32, prim_id: u32) -> Option<u16> {
        self.instances.get(inst_id as usize).map(|placed| placed.mesh.slot(prim_id))
    }
}
