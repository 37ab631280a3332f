//! A scene made ready for rays: acceleration structures, material and light tables, cameras.

mod surface;
mod visibility;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_kernel::{Blas, BuildError, BuildOptions, Geometry, Tlas};
use sunfleck_math::{Aabb, Affine3, Vec2, Vec4};
use sunfleck_scene::{Camera, Mesh, MeshId, NodeId, Scene, WorldInstance};
use sunfleck_shading::{EmissiveTriangle, LightTable, MaterialTable};

pub use surface::SurfacePoint;
pub use visibility::AlphaSeed;

/// What rays meet: made from a [`Scene`] by [`World::commit`], immutable afterwards.
#[derive(Debug)]
pub struct World {
    pub(crate) tlas: Tlas,
    pub(crate) materials: MaterialTable,
    pub(crate) lights: LightTable,
    instances: Vec<Placed>,
    /// Dense material indices of all instances, one run of `slot_count` entries each.
    instance_materials: Vec<u32>,
    cameras: Vec<PlacedCamera>,
}

/// A mesh in the world; its index is the `inst_id` of hits.
#[derive(Clone, Debug)]
struct Placed {
    node: NodeId,
    mesh: Arc<Mesh>,
    first_material: u32,
    world_from_object: Affine3,
    object_from_world: Affine3,
}

/// A camera of the scene in the world.
#[derive(Clone, Debug)]
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
    /// Builds everything that rays need, in parallel. Errors: [`CommitError`].
    pub fn commit(scene: &Scene) -> Result<Self, CommitError> {
        let options = BuildOptions::default();
        let visible = scene.world_instances();
        let (blases, blas_of_mesh) = bottom_levels(scene, &visible, &options)?;
        let materials = MaterialTable::new(scene);

        let mut instances = Vec::with_capacity(visible.len());
        let mut instance_materials = Vec::new();
        let mut kernel_instances = Vec::with_capacity(visible.len());
        for instance in &visible {
            let Some(mesh) = scene.mesh(instance.mesh) else { continue };
            let first_material = u32::try_from(instance_materials.len()).unwrap_or(u32::MAX);
            let slots = &instance.materials[..mesh.slot_count() as usize];
            instance_materials.extend(slots.iter().map(|&id| materials.index_of(id)));
            kernel_instances.push(sunfleck_kernel::Instance {
                blas: blas_of_mesh[&instance.mesh],
                world_from_object: instance.world_from_object,
                mask: u32::MAX,
                opaque: instance_materials[first_material as usize..].iter().all(|&m| materials.is_opaque(m)),
            });
            instances.push(Placed {
                node: instance.node,
                mesh: mesh.clone(),
                first_material,
                world_from_object: instance.world_from_object,
                object_from_world: instance.world_from_object.inverse(),
            });
        }
        let tlas = Tlas::build(blases, kernel_instances, &options).map_err(CommitError::TopLevel)?;

        let emissive = emissive_triangles(&instances, &instance_materials, &materials);
        let lights = LightTable::build(scene, &materials, emissive, tlas.bounds());
        let cameras = scene.world_cameras().into_iter().filter_map(|placed| {
            let camera = scene.camera(placed.camera)?.clone();
            let node_name = scene.node(placed.node).map(|n| n.name.clone()).unwrap_or_default();
            let name = if camera.name.is_empty() { node_name } else { camera.name.clone() };
            Some(PlacedCamera { name, camera, world_from_view: placed.world_from_view })
        });
        let cameras = cameras.collect();
        Ok(Self { tlas, materials, lights, instances, instance_materials, cameras })
    }

    /// All cameras in the order of their nodes' ids; the first is the default.
    pub fn cameras(&self) -> &[PlacedCamera] {
        &self.cameras
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
}

type BlasTable = (Vec<Arc<Blas>>, BTreeMap<MeshId, u32>);

/// One BLAS for each mesh in use, in the order of mesh ids.
fn bottom_levels(
    scene: &Scene,
    visible: &[WorldInstance<'_>],
    options: &BuildOptions,
) -> Result<BlasTable, CommitError> {
    let blas_of_mesh: BTreeMap<MeshId, u32> = visible.iter().map(|i| (i.mesh, 0)).collect();
    let used: Vec<MeshId> = blas_of_mesh.into_keys().collect();
    let build = |&id: &MeshId| {
        let (positions, triangles) =
            scene.mesh(id).map_or((&[][..], &[][..]), |m| (m.positions(), m.triangles()));
        Blas::build(positions, triangles, options)
            .map(Arc::new)
            .map_err(|error| CommitError::Mesh { mesh: id, error })
    };
    let blases = used.par_iter().map(build).collect::<Result<Vec<_>, _>>()?;
    Ok((blases, used.into_iter().zip(0..).collect()))
}

/// The triangles of all instances whose material radiates, in the order of (instance, triangle).
fn emissive_triangles(
    instances: &[Placed],
    instance_materials: &[u32],
    materials: &MaterialTable,
) -> Vec<EmissiveTriangle> {
    let mut emissive = Vec::new();
    for (placed, inst_id) in instances.iter().zip(0u32..) {
        let slots =
            &instance_materials[placed.first_material as usize..][..placed.mesh.slot_count() as usize];
        if !slots.iter().any(|&m| materials.is_emissive(m)) {
            continue;
        }
        let data = placed.mesh.data();
        for (&[a, b, c], prim_id) in data.triangles.iter().zip(0u32..) {
            let material = slots[placed.mesh.slot(prim_id) as usize];
            if !materials.is_emissive(material) {
                continue;
            }
            let vertices = [a, b, c].map(|v| v as usize);
            let uv = |uvs: &[Vec2]| vertices.map(|v| uvs.get(v).copied().unwrap_or(Vec2::ZERO));
            emissive.push(EmissiveTriangle {
                inst_id,
                prim_id,
                material,
                corners: vertices.map(|v| placed.world_from_object.transform_point3(data.positions[v])),
                uv0: uv(&data.uv0),
                uv1: uv(&data.uv1),
                colors: vertices.map(|v| data.colors.get(v).copied().unwrap_or(Vec4::ONE)),
                flipped: placed.world_from_object.matrix3.determinant() < 0.0,
            });
        }
    }
    emissive
}
