//! Meshes of files with `SUNFLECK_scene`, as they were saved: one array of vertices, triangles in their original order,
//! and a material slot for each triangle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sunfleck_scene::{Influences, Instance, Mesh, MeshData, MorphTarget, SceneEdit};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::gltf::deformation::{DeformationData, name_targets};
use crate::gltf::deformer::PendingDeformer;
use crate::gltf::primitive::{read_triangles, read_vertices};
use crate::gltf::{Importer, model};

use super::NAME;

/// Mesh with its morph targets and influences.
type SunfleckMesh = (MeshData, Vec<MorphTarget>, Vec<Influences>);

impl Importer<'_> {
    /// Adds a mesh, unless it is a copy or another program has rewritten it.
    pub(super) fn add_sunfleck_mesh(&mut self, index: usize) -> Result<(), ParseError> {
        let mesh = &self.root.meshes[index];
        let sunfleck = mesh.extensions.sunfleck.as_ref();
        let rewritten =
            sunfleck.is_none_or(|sunfleck| sunfleck.slots.is_none()) && mesh.primitives.len() != 1;
        if rewritten || sunfleck.is_some_and(|sunfleck| sunfleck.copy_of.is_some()) {
            return Ok(());
        }
        let path = format!("meshes[{index}]");
        let location = || FileLocation::Json(path.clone());
        let (data, mut targets, influences) = self.read_sunfleck_mesh(mesh, &path)?;
        let base = Arc::new(Mesh::new(data).at(location)?);
        let id = self.scene.next_mesh_id();
        self.scene.apply(SceneEdit::Mesh { id, mesh: Some(base.clone()) }).at(location)?;
        self.sunfleck_meshes.insert(index, id);
        let skin = sunfleck.and_then(|sunfleck| sunfleck.skin);
        if skin.is_some() || !targets.is_empty() {
            name_targets(&mut targets, &mesh.extras);
            let deformation =
                DeformationData { base, targets: Arc::new(targets), influences: Arc::new(influences) };
            let (rest, weights) =
                (mesh.weights.clone(), sunfleck.and_then(|sunfleck| sunfleck.weights.clone()));
            self.pending_deformers.push(PendingDeformer { mesh: id, deformation, skin, rest, weights, path });
        }
        Ok(())
    }

    /// Returns the instance of a node, if its mesh was added by [`add_sunfleck_mesh`](Self::add_sunfleck_mesh).
    pub(in crate::gltf) fn sunfleck_instance(
        &mut self,
        node: &model::Node,
        path: &str,
    ) -> Result<Option<Instance>, ParseError> {
        let Some(index) = node.mesh else { return Ok(None) };
        let Some(mesh) = self.root.meshes.get(index) else { return Ok(None) };
        let original =
            mesh.extensions.sunfleck.as_ref().and_then(|sunfleck| sunfleck.copy_of).unwrap_or(index);
        let Some(&id) = self.sunfleck_meshes.get(&original) else { return Ok(None) };
        let materials =
            match node.extensions.sunfleck.as_ref().and_then(|sunfleck| sunfleck.materials.as_ref()) {
                Some(materials) => materials.iter().map(|&index| Some(index)).collect(),
                None => mesh.primitives.iter().map(|primitive| primitive.material).collect::<Vec<_>>(),
            };
        let path = format!("{path}.extensions.{NAME}.materials");
        let known = |material: Option<usize>| match material {
            Some(i) if i >= self.root.materials.len() => {
                let message = format!("there is no material {i}; there are {}", self.root.materials.len());
                Err(ParseError::malformed(FileLocation::Json(path.clone()), message))
            }
            material => self.material(material),
        };
        let materials = materials.into_iter().map(known).collect::<Result<_, _>>()?;
        Ok(Some(Instance { mesh: id, materials }))
    }

    fn read_sunfleck_mesh(&self, mesh: &model::Mesh, path: &str) -> Result<SunfleckMesh, ParseError> {
        let error = |message: &str| ParseError::malformed(FileLocation::Json(path.to_string()), message);
        let first = mesh.primitives.first().ok_or_else(|| error("the mesh has no primitives"))?;
        if mesh.primitives.iter().any(|primitive| primitive.attributes != first.attributes) {
            return Err(error("all primitives of a mesh with slots must have the same attributes"));
        }
        let vertices = read_vertices(&self.accessors, first, self.uv_sets, &format!("{path}.primitives[0]"))?;
        let count = vertices.positions.len();
        let read_primitive = |(i, primitive)| {
            read_triangles(&self.accessors, primitive, count, &format!("{path}.primitives[{i}]"))
        };
        let mut primitive_triangles =
            mesh.primitives.iter().enumerate().map(read_primitive).collect::<Result<Vec<_>, ParseError>>()?;
        let slots = self.read_slots(mesh, path)?;
        let triangles = match slots.is_empty() {
            true => primitive_triangles.swap_remove(0),
            false => interleaved(&slots, &primitive_triangles)
                .ok_or_else(|| error("the slots do not match the primitives"))?,
        };
        let [uv0, uv1] = vertices.uvs;
        let data = MeshData {
            name: mesh.name.clone(),
            positions: vertices.positions,
            normals: vertices.normals,
            tangents: vertices.tangents,
            uv0,
            uv1,
            colors: vertices.colors,
            triangles,
            slots,
            ..MeshData::default()
        };
        Ok((data, vertices.targets, vertices.influences))
    }

    fn read_slots(&self, mesh: &model::Mesh, path: &str) -> Result<Vec<u16>, ParseError> {
        let Some(accessor) = mesh.extensions.sunfleck.as_ref().and_then(|sunfleck| sunfleck.slots) else {
            return Ok(Vec::new());
        };
        let from = format!("{path}.extensions.{NAME}.slots");
        let slots = self.accessors.indices(accessor, &from)?;
        let narrow = slots.into_iter().map(u16::try_from).collect::<Result<_, _>>();
        narrow.map_err(|_| ParseError::malformed(FileLocation::Json(from), "a slot is larger than 65535"))
    }
}

/// Merges the triangles of the primitives into the order given by the slots; returns `None` if slots and primitives do
/// not match.
fn interleaved(slots: &[u16], primitives: &[Vec<[u32; 3]>]) -> Option<Vec<[u32; 3]>> {
    let in_use: BTreeSet<u16> = slots.iter().copied().collect();
    let triangles: usize = primitives.iter().map(Vec::len).sum();
    if in_use.len() != primitives.len() || triangles != slots.len() {
        return None;
    }
    let mut queues: BTreeMap<u16, _> =
        in_use.into_iter().zip(primitives.iter().map(|triangles| triangles.iter().copied())).collect();
    slots.iter().map(|slot| queues.get_mut(slot)?.next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_return_to_their_original_order() {
        let (a, b, c) = ([0, 1, 2], [1, 2, 3], [2, 3, 4]);
        assert_eq!(interleaved(&[7, 2, 7], &[vec![b], vec![a, c]]), Some(vec![a, b, c]));
        assert_eq!(interleaved(&[7, 2, 2], &[vec![b], vec![a, c]]), None, "two of slot 7 are given");
        assert_eq!(interleaved(&[7, 7, 7], &[vec![b], vec![a, c]]), None, "one slot, two primitives");
    }
}
