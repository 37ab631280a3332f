//! Surfaces as plain arrays, for a GPU.

use std::borrow::Cow;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_kernel::Tlas;
use sunfleck_math::Affine3;
use sunfleck_scene::{Mesh, MeshData, MeshId};
use sunfleck_shading::{LightTable, MaterialTable};

use super::World;

/// An instance.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedPlaced {
    /// Rows of `world_from_object`.
    pub world: [[f32; 4]; 3],
    /// Rows of `object_from_world`.
    pub object: [[f32; 4]; 3],
    /// Which mesh.
    pub mesh: u32,
    /// The word that is the material of its first slot.
    pub first_material: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
}

/// Where among the words the arrays of a mesh begin, [`NONE`](Self::NONE) for what it lacks. Numbers are bits of f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedMesh {
    /// Three indices each.
    pub triangles: u32,
    /// Slot of each triangle.
    pub slots: u32,
    /// Three numbers each.
    pub positions: u32,
    /// Three numbers each.
    pub normals: u32,
    /// Four numbers each.
    pub tangents: u32,
    /// Two numbers each.
    pub uv0: u32,
    /// Two numbers each.
    pub uv1: u32,
    /// Four numbers each.
    pub colors: u32,
}

impl PackedMesh {
    /// There is no such array.
    pub const NONE: u32 = sunfleck_constants::surface::NO_ARRAY;
}

/// The arrays of a mesh as a GPU reads them, one after the other in the order of [`PackedMesh`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshArrays<'a>([Cow<'a, [u8]>; 8]);

impl<'a> MeshArrays<'a> {
    /// Those of a mesh; copied are only the slots.
    pub fn new(data: &'a MeshData) -> Self {
        let slots: Vec<u32> = data.slots.iter().map(|&slot| slot.into()).collect();
        Self([
            bytes(data.triangles.as_flattened()),
            Cow::Owned(bytemuck::cast_slice(&slots).to_vec()),
            bytes(&data.positions),
            bytes(&data.normals),
            bytes(&data.tangents),
            bytes(&data.uv0),
            bytes(&data.uv1),
            bytes(&data.colors),
        ])
    }

    /// The content of each, words of four bytes.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|array| &**array)
    }

    /// Words of all together.
    pub fn words(&self) -> usize {
        self.iter().map(|array| array.len() / 4).sum()
    }

    /// Where each begins.
    ///
    /// * `first` — word where the first begins; all together end below 2³².
    pub fn placed(&self, first: u32) -> PackedMesh {
        let mut next = first;
        let [triangles, slots, positions, normals, tangents, uv0, uv1, colors] =
            self.0.each_ref().map(|array| {
                let here = if array.is_empty() { PackedMesh::NONE } else { next };
                next = next.saturating_add(index(array.len() / 4));
                here
            });
        PackedMesh { triangles, slots, positions, normals, tangents, uv0, uv1, colors }
    }
}

fn bytes<T: Pod>(array: &[T]) -> Cow<'_, [u8]> {
    Cow::Borrowed(bytemuck::cast_slice(array))
}

impl World {
    /// What rays are traced against; an `inst_id` is an instance of [`World::packed_instances`].
    pub fn tlas(&self) -> &Arc<Tlas> {
        &self.tlas
    }

    /// The materials.
    pub fn materials(&self) -> &Arc<MaterialTable> {
        &self.materials
    }

    /// The lights.
    pub fn lights(&self) -> &Arc<LightTable> {
        &self.lights
    }

    /// Whether all surfaces are there everywhere.
    pub fn is_opaque(&self) -> bool {
        self.instance_materials.iter().all(|&material| self.materials.is_opaque(material))
    }

    /// The meshes, in the order of [`Tlas::geometries`].
    pub fn meshes(&self) -> impl Iterator<Item = (MeshId, &Arc<Mesh>)> {
        self.meshes.iter().map(|(id, (mesh, _))| (*id, mesh))
    }

    /// Dense indices of the materials of all instances, slot by slot.
    pub fn instance_materials(&self) -> &[u32] {
        &self.instance_materials
    }

    /// The instances.
    ///
    /// * `meshes` — what to call each of [`World::meshes`].
    /// * `materials` — word where [`World::instance_materials`] begin.
    pub fn packed_instances(&self, meshes: &[u32], materials: u32) -> Vec<PackedPlaced> {
        let placed = self.instances.iter().zip(self.tlas.instances());
        placed
            .map(|(placed, instance)| PackedPlaced {
                world: rows(&placed.world_from_object),
                object: rows(&placed.object_from_world),
                mesh: meshes.get(instance.blas as usize).copied().unwrap_or(0),
                first_material: materials + placed.first_material,
                unused0: 0,
                unused1: 0,
            })
            .collect()
    }
}

fn rows(m: &Affine3) -> [[f32; 4]; 3] {
    let [x, y, z, t] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    [0, 1, 2].map(|axis: usize| [x[axis], y[axis], z[axis], t[axis]])
}

/// The caller checks that there are not more.
fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
