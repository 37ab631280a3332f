//! A scene made ready for rays: acceleration structures, material and light tables, cameras.

mod commit;
mod lights;
mod packed;
mod pick;
mod sources;
mod specular_bounds;
mod vantage;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sunfleck_kernel::{Blas, BuildError, Geometry, Tlas};
use sunfleck_math::{Aabb, Affine3};
use sunfleck_scene::{Camera, Mesh, MeshId, NodeId};
use sunfleck_shading::{LightTable, MaterialTable};

use sources::Sources;

pub use packed::{MeshArrays, PackedMesh, PackedPlaced};
pub use pick::Picked;
pub use specular_bounds::BoundingSphere;

/// What rays meet: made from a scene by [`World::commit`], immutable afterwards. The parts that an edit of the scene leaves
/// as they are belong to several worlds: see [`World::update`].
#[derive(Debug)]
pub struct World {
    pub(crate) tlas: Arc<Tlas>,
    pub(crate) materials: Arc<MaterialTable>,
    pub(crate) lights: Arc<LightTable>,
    /// Bottom levels with the meshes that they were made from.
    meshes: BTreeMap<MeshId, (Arc<Mesh>, Arc<Blas>)>,
    sources: Sources,
    pub(crate) instances: Vec<Placed>,
    /// Dense material indices of all instances, one run of `slot_count` entries each.
    pub(crate) instance_materials: Vec<u32>,
    cameras: Vec<PlacedCamera>,
    revision: u64,
    /// See [`World::specular_bounds`].
    specular: OnceLock<Vec<BoundingSphere>>,
}

/// A mesh in the world; its index is the `inst_id` of hits.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    node: NodeId,
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) first_material: u32,
    pub(crate) world_from_object: Affine3,
    pub(crate) object_from_world: Affine3,
}

/// A camera of the scene in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedCamera {
    /// Its name, or its node's name if it has none.
    pub name: String,
    /// How it maps the film.
    pub camera: Camera,
    /// Where it is; it looks along −z.
    pub world_from_view: Affine3,
}

/// Why a scene could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The acceleration structure of one mesh could not be built.
    #[error("{mesh}: {error}")]
    Mesh {
        /// Which mesh.
        mesh: MeshId,
        /// Why.
        error: BuildError,
    },
    /// The acceleration structure over all instances could not be built.
    #[error("the top level: {0}")]
    TopLevel(BuildError),
}

impl World {
    /// All cameras in the order of their nodes' ids; the first is the default.
    pub fn cameras(&self) -> &[PlacedCamera] {
        &self.cameras
    }

    /// [`Scene::revision`](sunfleck_scene::Scene::revision) of what it was made from: of machines that started with the same scene and
    /// followed the same edits, those with the same revision have the same world.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Box of everything visible.
    pub fn bounds(&self) -> Aabb {
        self.tlas.bounds()
    }

    /// Number of visible instances.
    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// Number of lights: emissive triangles, punctual lights, the environment.
    pub fn light_count(&self) -> usize {
        self.lights.len()
    }

    /// Bytes of the acceleration structures.
    pub fn bvh_bytes(&self) -> usize {
        self.tlas.memory_bytes() + self.tlas.geometries().iter().map(Geometry::memory_bytes).sum::<usize>()
    }

    /// The node that an `inst_id` of a hit stands for.
    pub fn node_of(&self, inst_id: u32) -> Option<NodeId> {
        self.instances.get(inst_id as usize).map(|placed| placed.node)
    }

    /// The material slot of a triangle that a hit names.
    pub(crate) fn slot_at(&self, inst_id: u32, prim_id: u32) -> Option<u16> {
        self.instances.get(inst_id as usize).map(|placed| placed.mesh.slot(prim_id))
    }
}
