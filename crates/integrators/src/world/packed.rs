//! Surfaces as plain arrays, for a GPU.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_kernel::Tlas;
use sunfleck_math::Affine3;
use sunfleck_scene::MeshData;
use sunfleck_shading::{LightTable, MaterialTable};

use super::World;

/// What a hit needs to become a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedSurfaces {
    /// In the order of `inst_id`.
    pub placed: Vec<PackedPlaced>,
    /// What instances refer to.
    pub meshes: Vec<PackedMesh>,
    /// Vertices, indices and materials: where, the meshes and the instances say. Numbers are bits of f32.
    pub words: Vec<u32>,
}

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

/// Where among the words the arrays of a mesh begin, [`NONE`](Self::NONE) for what it lacks.
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
    pub const NONE: u32 = u32::MAX;
}

impl World {
    /// What rays are traced against; an `inst_id` is an instance of [`PackedSurfaces::placed`].
    pub fn tlas(&self) -> &Tlas {
        &self.tlas
    }

    /// The materials.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }

    /// The lights.
    pub fn lights(&self) -> &LightTable {
        &self.lights
    }

    /// Whether all surfaces are there everywhere.
    pub fn is_opaque(&self) -> bool {
        self.instance_materials.iter().all(|&material| self.materials.is_opaque(material))
    }

    /// All surfaces; `None` if they are more than 32 bits can number.
    pub fn packed_surfaces(&self) -> Option<PackedSurfaces> {
        let mut packed = PackedSurfaces::default();
        let mut index_of = BTreeMap::new();
        for (mesh, _) in self.meshes.values() {
            index_of.insert(Arc::as_ptr(mesh), packed.meshes.len());
            let mesh = packed.append(mesh.data());
            packed.meshes.push(mesh);
        }
        let materials = packed.words.len();
        packed.words.extend(&self.instance_materials);
        u32::try_from(packed.words.len()).ok()?;
        for placed in &self.instances {
            packed.placed.push(PackedPlaced {
                world: rows(&placed.world_from_object),
                object: rows(&placed.object_from_world),
                mesh: index(*index_of.get(&Arc::as_ptr(&placed.mesh))?),
                first_material: index(materials + placed.first_material as usize),
                unused0: 0,
                unused1: 0,
            });
        }
        Some(packed)
    }
}

impl PackedSurfaces {
    fn append(&mut self, data: &MeshData) -> PackedMesh {
        PackedMesh {
            triangles: self.array(data.triangles.as_flattened(), |&v| v),
            slots: self.array(&data.slots, |&slot| slot.into()),
            positions: self.numbers(&data.positions),
            normals: self.numbers(&data.normals),
            tangents: self.numbers(&data.tangents),
            uv0: self.numbers(&data.uv0),
            uv1: self.numbers(&data.uv1),
            colors: self.numbers(&data.colors),
        }
    }

    fn numbers<T: Pod>(&mut self, array: &[T]) -> u32 {
        self.array(bytemuck::cast_slice::<T, f32>(array), |x| x.to_bits())
    }

    fn array<T>(&mut self, array: &[T], word: impl Fn(&T) -> u32) -> u32 {
        let first = self.words.len();
        self.words.extend(array.iter().map(word));
        if array.is_empty() { PackedMesh::NONE } else { index(first) }
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
