use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use sunfleck_scene::{Mesh, MeshId};
use sunfleck_shaders::{SurfaceFeature, SurfaceFeatures};
use sunfleck_transport::{MeshArrays, PackedMesh, PackedPlaced, World};

use crate::GpuError;
use crate::buffer::Parts;
use crate::buffer::{Pool, Twin, Upload};
use crate::mirror::Motion;

/// What hits need to become surfaces: vertices and indices of meshes, each with a range of the words, and instances.
#[derive(Debug)]
pub(super) struct Surfaces {
    placed: Twin<PackedPlaced>,
    meshes: Twin<PackedMesh>,
    words: Pool<u32>,
    held: BTreeMap<MeshId, Held>,
    /// Places among the meshes that are free.
    vacant: Vec<u32>,
    /// Of the materials of instances among the words, and what they are.
    material_words: Range<u32>,
    materials: Vec<u32>,
}

/// A mesh that is there.
#[derive(Debug)]
struct Held {
    mesh: Arc<Mesh>,
    /// Which of the world's meshes it is.
    geometry: usize,
    /// Its place among the meshes.
    index: u32,
    words: Range<u32>,
    packed: PackedMesh,
}

impl Surfaces {
    /// No surfaces.
    ///
    /// * `binding` — bytes that a binding reaches.
    pub(super) fn new(upload: &Upload<'_>, binding: u64) -> Result<Self, GpuError> {
        Ok(Self {
            placed: Twin::new(upload.gpu, "instances")?,
            meshes: Twin::new(upload.gpu, "meshes")?,
            words: Pool::new(upload, "vertices", u32::MAX, binding)?,
            held: BTreeMap::new(),
            vacant: Vec::new(),
            material_words: 0..0,
            materials: Vec::new(),
        })
    }

    /// Goes on to another world. Returns the meshes whose triangles are those of others before.
    pub(super) fn update<'a>(
        &mut self,
        upload: &mut Upload<'_>,
        world: &'a World,
    ) -> Result<Vec<Motion<'a>>, GpuError> {
        let motions = self.update_meshes(upload, world)?;
        if self.materials != world.instance_materials() {
            if self.material_words.len() < world.instance_materials().len() {
                self.words.give(std::mem::take(&mut self.material_words));
                self.material_words = self.words.take(upload, world.instance_materials().len())?;
            }
            self.words.write(upload, self.material_words.start, world.instance_materials());
            self.materials = world.instance_materials().to_vec();
        }
        let index_of: Vec<u32> = world.meshes().map(|(id, _)| self.held[&id].index).collect();
        let placed = world.packed_instances(&index_of, self.material_words.start);
        self.placed.update(upload, placed)?;
        Ok(motions)
    }

    /// What meshes have of what they may have.
    pub(super) fn details(&self) -> SurfaceFeatures {
        let has_colors = self.held.values().any(|held| held.packed.colors != PackedMesh::NONE);
        has_colors.then_some(SurfaceFeature::VertexColors).into_iter().collect()
    }

    fn update_meshes<'a>(
        &mut self,
        upload: &mut Upload<'_>,
        world: &'a World,
    ) -> Result<Vec<Motion<'a>>, GpuError> {
        // What stays, or changes where it is; who goes makes room for those who come
        let mut known = std::mem::take(&mut self.held);
        let (mut fresh, mut motions) = (Vec::new(), Vec::new());
        for (geometry, (id, mesh)) in world.meshes().enumerate() {
            match known.remove(&id) {
                Some(held) if held.has_room_for(mesh) => {
                    let moves = !Arc::ptr_eq(&held.mesh, mesh) && held.mesh.triangles() == mesh.triangles();
                    let (from, triangles) = (held.geometry, mesh.triangles());
                    let motion = Motion { from, to: geometry, mesh: held.packed, triangles };
                    motions.extend(moves.then_some(motion));
                    let held = Held { geometry, ..held.with(upload, &self.words, mesh) };
                    self.held.insert(id, held);
                }
                other => {
                    known.extend(other.map(|held| (id, held)));
                    fresh.push((geometry, id, mesh));
                }
            }
        }
        for held in known.into_values() {
            self.words.give(held.words);
            self.vacant.push(held.index);
        }

        // What is new; all at once, so that a first upload grows nothing
        let arrays: Vec<_> = fresh.iter().map(|(.., mesh)| MeshArrays::new(mesh.data())).collect();
        let words = arrays.iter().map(MeshArrays::words).sum::<usize>();
        if self.held.is_empty() {
            self.words.reserve(upload, words + world.instance_materials().len())?;
        }
        let mut packed = self.meshes.held().to_vec();
        for ((geometry, id, mesh), arrays) in fresh.into_iter().zip(&arrays) {
            let words = self.words.take(upload, arrays.words())?;
            let mut at = words.start;
            for array in arrays.iter() {
                self.words.write_bytes(upload, at, array);
                at += u32::try_from(array.len() / 4).unwrap_or(0);
            }
            let index = self.vacant.pop().unwrap_or_else(|| {
                packed.push(bytemuck::Zeroable::zeroed());
                u32::try_from(packed.len() - 1).unwrap_or(u32::MAX)
            });
            let place = arrays.placed(words.start);
            packed[index as usize] = place;
            self.held.insert(id, Held { mesh: mesh.clone(), geometry, index, words, packed: place });
        }
        self.meshes.update(upload, packed)?;
        Ok(motions)
    }

    /// Where vertices are, if one binding holds them.
    pub(super) fn words(&self) -> Option<&wgpu::Buffer> {
        self.words.whole()
    }

    /// The array that may be split.
    pub(super) fn parts(&self) -> Parts {
        self.words.parts("words")
    }

    pub(super) fn resources(&self) -> Vec<(String, &wgpu::Buffer)> {
        let records = [("placed_instances", self.placed.buffer()), ("meshes", self.meshes.buffer())];
        let records = records.map(|(name, buffer)| (name.to_owned(), buffer));
        records.into_iter().chain(self.words.resources("words")).collect()
    }
}

impl Held {
    /// Becomes another mesh with arrays of the same lengths: those that differ are written.
    fn with(self, upload: &mut Upload<'_>, words: &Pool<u32>, mesh: &Arc<Mesh>) -> Self {
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

    /// Whether the arrays of another mesh are as long.
    fn has_room_for(&self, mesh: &Arc<Mesh>) -> bool {
        Arc::ptr_eq(&self.mesh, mesh)
            || MeshArrays::new(mesh.data()).placed(self.words.start) == self.packed
                && MeshArrays::new(mesh.data()).words() == self.words.len()
    }
}
