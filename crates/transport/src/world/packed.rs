//! Meshes and instances as plain arrays, for a GPU.

use std::borrow::Cow;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::shape::WORDS;
use sunfleck_kernel::Tlas;
use sunfleck_math::{BezierPatch, Shape, UnitShape, rows};
use sunfleck_scene::{Mesh, MeshData, MeshId};
use sunfleck_shading::{LightTable, MaterialTable};

use super::World;

/// Instance in the memory layout of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedInstance {
    /// Rows of `world_from_object`.
    pub world: [[f32; 4]; 3],
    /// Rows of `object_from_world`.
    pub object: [[f32; 4]; 3],
    /// Index of the mesh.
    pub mesh: u32,
    /// Word offset of the material index of slot 0.
    pub first_material: u32,
    /// Padding, zero.
    pub unused0: u32,
    /// Padding, zero.
    pub unused1: u32,
}

/// Word offsets of the arrays of a mesh; [`NONE`](Self::NONE) for arrays that it lacks. Floats are stored as their
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedMesh {
    /// Vertex indices, three per triangle.
    pub triangles: u32,
    /// Material slots, one per triangle.
    pub slots: u32,
    /// Positions, three floats per vertex. Of a mesh without triangles: shapes, [`WORDS`](sunfleck_constants::shape::WORDS) each.
    pub positions: u32,
    /// Normals, three floats per vertex.
    pub normals: u32,
    /// Tangents, four floats per vertex.
    pub tangents: u32,
    /// First set of texture coordinates, two floats per vertex.
    pub uv0: u32,
    /// Second set of texture coordinates, two floats per vertex.
    pub uv1: u32,
    /// Colours, four floats per vertex.
    pub colors: u32,
}

impl PackedMesh {
    /// Offset of an array that does not exist.
    pub const NONE: u32 = sunfleck_constants::surface::NO_ARRAY;
}

/// Arrays of a mesh in the memory layout of the GPU, in the order of [`PackedMesh`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshArrays<'a>([Cow<'a, [u8]>; 8]);

impl<'a> MeshArrays<'a> {
    /// Makes the arrays of a mesh. Only slots and shapes are copied.
    pub fn new(data: &'a MeshData) -> Self {
        let slots: Vec<u32> = data.slots.iter().map(|&slot| slot.into()).collect();
        Self([
            bytes(data.triangles.as_flattened()),
            Cow::Owned(bytemuck::cast_slice(&slots).to_vec()),
            if data.shapes.is_empty() {
                bytes(&data.positions)
            } else {
                Cow::Owned(packed_shapes(&data.shapes))
            },
            bytes(&data.normals),
            bytes(&data.tangents),
            bytes(&data.uv0),
            bytes(&data.uv1),
            bytes(&data.colors),
        ])
    }

    /// Returns the content of each array, in words of four bytes.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|array| &**array)
    }

    /// Returns the number of words of all arrays.
    pub fn words(&self) -> usize {
        self.iter().map(|array| array.len() / 4).sum()
    }

    /// Returns the word offsets of the arrays, if they are stored one after the other.
    ///
    /// * `first` — offset of the first array; the last one must end below 2³².
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

/// Returns the words of shapes: the columns of `object_from_unit`, the kind, the parameter, the side of the normals. After
/// them come those of patches.
fn packed_shapes(shapes: &[Shape]) -> Vec<u8> {
    let mut patches: Vec<u32> = Vec::new();
    let mut words = |shape: &Shape| {
        let (kind, parameter) = shape.unit.packed();
        let parameter = match &shape.unit {
            UnitShape::Patch(patch) => {
                let at = index(shapes.len()) * WORDS + index(patches.len());
                patches.extend(packed_patch(patch));
                at
            }
            _ => parameter.to_bits(),
        };
        let side: f32 = if shape.flipped { -1.0 } else { 1.0 };
        let transform = shape.object_from_unit.to_cols_array().map(f32::to_bits);
        let mut words = [0; WORDS as usize];
        words[..12].copy_from_slice(&transform);
        words[12..15].copy_from_slice(&[kind, parameter, side.to_bits()]);
        words
    };
    let all: Vec<_> = shapes.iter().map(&mut words).collect();
    [all.as_flattened(), &patches].map(bytemuck::cast_slice).concat()
}

/// Returns the words of a patch: control points, texture coordinates of the corners, cumulative probabilities of the
/// cells.
fn packed_patch(patch: &BezierPatch) -> impl Iterator<Item = u32> {
    let points = patch.points().iter().flat_map(|point| point.to_array());
    let uv = patch.uv().iter().flat_map(|uv| uv.to_array());
    points.chain(uv).chain(patch.cumulative().iter().copied()).map(f32::to_bits)
}

fn bytes<T: Pod>(array: &[T]) -> Cow<'_, [u8]> {
    Cow::Borrowed(bytemuck::cast_slice(array))
}

impl World {
    /// Returns the acceleration structure. The `inst_id` of its hits is an index into [`World::packed_instances`].
    pub fn tlas(&self) -> &Arc<Tlas> {
        &self.tlas
    }

    /// Returns the material table.
    pub fn materials(&self) -> &Arc<MaterialTable> {
        &self.materials
    }

    /// Returns the light table.
    pub fn lights(&self) -> &Arc<LightTable> {
        &self.lights
    }

    /// Returns whether the alpha of all surfaces is 1 everywhere.
    pub fn is_opaque(&self) -> bool {
        self.instance_materials.iter().all(|&material| self.materials.is_opaque(material))
    }

    /// Returns the meshes, in the order of [`Tlas::geometries`].
    pub fn meshes(&self) -> impl Iterator<Item = (MeshId, &Arc<Mesh>)> {
        self.meshes.iter().map(|(id, (mesh, _))| (*id, mesh))
    }

    /// Returns the materials of all instances, slot by slot, as indices into the material table.
    pub fn instance_materials(&self) -> &[u32] {
        &self.instance_materials
    }

    /// Returns the instances in the memory layout of the GPU.
    ///
    /// * `meshes` — index on the GPU of each of [`World::meshes`].
    /// * `materials` — word offset of [`World::instance_materials`].
    pub fn packed_instances(&self, meshes: &[u32], materials: u32) -> Vec<PackedInstance> {
        let placed = self.instances.iter().zip(self.tlas.instances());
        placed
            .map(|(placed, instance)| PackedInstance {
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

/// Converts an index to 32 bits; the caller checks that it fits.
fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
