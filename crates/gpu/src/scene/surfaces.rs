use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use sunfleck_scene::{Mesh, MeshId};
use sunfleck_shaders::{SurfaceFeature, SurfaceFeatures};
use sunfleck_transport::{MeshArrays, PackedInstance, PackedMesh, World};

use crate::GpuError;
use crate::buffer::SegmentedArray;
use crate::buffer::{MirroredBuffer, Pool, Upload};
use crate::mirror::Deformation;

/// Data that turn hits into surfaces: vertices and indices of the meshes, each of which has a range of the words, and
/// the instances.
#[derive(Debug)]
pub(super) struct Surfaces {
    placed: MirroredBuffer<PackedInstance>,
    meshes: MirroredBuffer<PackedMesh>,
    words: Pool<u32>,
    resident: BTreeMap<MeshId, ResidentMesh>,
    /// Free indices of the array of meshes.
    free_indices: Vec<u32>,
    /// Range of the words that holds the materials of the instances, and these materials.
    material_words: Range<u32>,
    materials: Vec<u32>,
}

/// A mesh in GPU memory.
#[derive(Debug)]
struct ResidentMesh {
    mesh: Arc<Mesh>,
    /// Index of the geometry in the world.
    geometry: usize,
    /// Index in the array of meshes.
    index: u32,
    words: Range<u32>,
    packed: PackedMesh,
}

impl Surfaces {
    /// Creates an array without surfaces.
    ///
    /// * `binding` — largest size of a binding, bytes.
    pub(super) fn new(upload: &Upload<'_>, binding: u64) -> Result<Self, GpuError> {
        Ok(Self {
            placed: MirroredBuffer::new(upload.gpu, "instances")?,
            meshes: MirroredBuffer::new(upload.gpu, "meshes")?,
            words: Pool::new(upload, "vertices", u32::MAX, binding)?,
            resident: BTreeMap::new(),
            free_indices: Vec::new(),
            material_words: 0..0,
            materials: Vec::new(),
        })
    }

    /// Updates the content to another world. Returns the meshes that differ from their predecessors only in their
    /// vertices.
    pub(super) fn update<'a>(
        &mut self,
        upload: &mut Upload<'_>,
        world: &'a World,
    ) -> Result<Vec<Deformation<'a>>, GpuError> {
        let deformations = self.update_meshes(upload, world)?;
        if self.materials != world.instance_materials() {
            if self.material_words.len() < world.instance_materials().len() {
                self.words.free(std::mem::take(&mut self.material_words));
                self.material_words = self.words.allocate(upload, world.instance_materials().len())?;
            }
            self.words.write(upload, self.material_words.start, world.instance_materials());
            self.materials = world.instance_materials().to_vec();
        }
        let index_of: Vec<u32> = world.meshes().map(|(id, _)| self.resident[&id].index).collect();
        let placed = world.packed_instances(&index_of, self.material_words.start);
        self.placed.update(upload, placed)?;
        Ok(deformations)
    }

    /// Optional features of surfaces that the meshes use.
    pub(super) fn surface_features(&self) -> SurfaceFeatures {
        let has_colors = self.resident.values().any(|resident| resident.packed.colors != PackedMesh::NONE);
        has_colors.then_some(SurfaceFeature::VertexColors).into_iter().collect()
    }

    fn update_meshes<'a>(
        &mut self,
        upload: &mut Upload<'_>,
        world: &'a World,
    ) -> Result<Vec<Deformation<'a>>, GpuError> {
        // Meshes that stay, or change in place; those that are gone make room for new ones
        let mut known = std::mem::take(&mut self.resident);
        let (mut fresh, mut deformations) = (Vec::new(), Vec::new());
        for (geometry, (id, mesh)) in world.meshes().enumerate() {
            match known.remove(&id) {
                Some(resident) if resident.has_layout_of(mesh) => {
                    let is_deformed = !Arc::ptr_eq(&resident.mesh, mesh)
                        && mesh.shapes().is_empty()
                        && resident.mesh.triangles() == mesh.triangles();
                    let (from, triangles) = (resident.geometry, mesh.triangles());
                    let deformation = Deformation { from, to: geometry, mesh: resident.packed, triangles };
                    deformations.extend(is_deformed.then_some(deformation));
                    let resident =
                        ResidentMesh { geometry, ..resident.replace_by(upload, &self.words, mesh) };
                    self.resident.insert(id, resident);
                }
                other => {
                    known.extend(other.map(|resident| (id, resident)));
                    fresh.push((geometry, id, mesh));
                }
            }
        }
        for resident in known.into_values() {
            self.words.free(resident.words);
            self.free_indices.push(resident.index);
        }

        // New meshes, all at once, so that the arrays do not grow step by step during a first upload
        let arrays: Vec<_> = fresh.iter().map(|(.., mesh)| MeshArrays::new(mesh.data())).collect();
        let words = arrays.iter().map(MeshArrays::words).sum::<usize>();
        if self.resident.is_empty() {
            self.words.reserve(upload, words + world.instance_materials().len())?;
        }
        let mut packed = self.meshes.contents().to_vec();
        for ((geometry, id, mesh), arrays) in fresh.into_iter().zip(&arrays) {
            let words = self.words.allocate(upload, arrays.words())?;
            let mut at = words.start;
            for array in arrays.iter() {
                self.words.write_bytes(upload, at, array);
                at += u32::try_from(array.len() / 4).unwrap_or(0);
            }
            let index = self.free_indices.pop().unwrap_or_else(|| {
                packed.push(bytemuck::Zeroable::zeroed());
                u32::try_from(packed.len() - 1).unwrap_or(u32::MAX)
            });
            let place = arrays.placed(words.start);
            packed[index as usize] = place;
            self.resident
                .insert(id, ResidentMesh { mesh: mesh.clone(), geometry, index, words, packed: place });
        }
        self.meshes.update(upload, packed)?;
        Ok(deformations)
    }

    /// Buffer of the vertices, if one binding holds them.
    pub(super) fn words(&self) -> Option<&wgpu::Buffer> {
        self.words.whole()
    }

    /// Layout of the array of words.
    pub(super) fn segmentation(&self) -> SegmentedArray {
        self.words.segmentation("words")
    }

    pub(super) fn resources(&self) -> Vec<(String, &wgpu::Buffer)> {
        let records = [("placed_instances", self.placed.buffer()), ("meshes", self.meshes.buffer())];
        let records = records.map(|(name, buffer)| (name.to_owned(), buffer));
        records.into_iter().chain(self.words.resources("words")).collect()
    }
}

impl ResidentMesh {
    /// Returns the entry of another mesh with arrays of the same lengths, and writes those arrays that differ.
    fn replace_by(self, upload: &mut Upload<'_>, words: &Pool<u32>, mesh: &Arc<Mesh>) -> Self {
        if !Arc::ptr_eq(&self.mesh, mesh) {
            let (old, new) = (MeshArrays::new(self.mesh.data()), MeshArrays::new(mesh.data()));
            let mut at = self.words.start;
            for (old, new) in old.iter().zip(new.iter()) {
                if old != new {
                    words.write_bytes(upload, at, new);
                }
                at += u32::try_from(new.len() / 4).unwrap_or(0);
            }
        }
        Self { mesh: mesh.clone(), ..self }
    }

    /// Returns whether the arrays of another mesh have the same lengths.
    fn has_layout_of(&self, mesh: &Arc<Mesh>) -> bool {
        if Arc::ptr_eq(&self.mesh, mesh) {
            return true;
        }
        let arrays = MeshArrays::new(mesh.data());
        arrays.placed(self.words.start) == self.packed && arrays.words() == self.words.len()
    }
}
