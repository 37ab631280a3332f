//! Meshes as they were saved: one array of vertices, triangles in their order, a slot for each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sunfleck_scene::{Influences, Instance, Mesh, MeshData, MorphTarget, SceneEdit};

use crate::FileLocation;
use crate::error::{At, Fault};
use crate::gltf::deformer::Deformable;
use crate::gltf::movable::{Movable, name_targets};
use crate::gltf::primitive::{read_triangles, read_vertices};
use crate::gltf::{Importer, model};

use super::NAME;

/// Vertices and triangles, and how they move.
type OwnMesh = (MeshData, Vec<MorphTarget>, Vec<Influences>);

impl Importer<'_> {
    /// Adds a mesh, but for copies, and those that another program has made over.
    pub(super) fn add_own_mesh(&mut self, index: usize) -> Result<(), Fault> {
        let mesh = &self.root.meshes[index];
        let own = mesh.extensions.own.as_ref();
        let made_over = own.is_none_or(|own| own.slots.is_none()) && mesh.primitives.len() != 1;
        if made_over || own.is_some_and(|own| own.copy_of.is_some()) {
            return Ok(());
        }
        let path = format!("meshes[{index}]");
        let place = || FileLocation::Json(path.clone());
        let (data, mut targets, influences) = self.read_own_mesh(mesh, &path)?;
        let base = Arc::new(Mesh::new(data).at(place)?);
        let id = self.scene.next_mesh_id();
        self.scene.apply(SceneEdit::Mesh { id, mesh: Some(base.clone()) }).at(place)?;
        self.own_meshes.insert(index, id);
        let skin = own.and_then(|own| own.skin);
        if skin.is_some() || !targets.is_empty() {
            name_targets(&mut targets, &mesh.extras);
            let movable = Movable { base, targets: Arc::new(targets), influences: Arc::new(influences) };
            let (rest, weights) = (mesh.weights.clone(), own.and_then(|own| own.weights.clone()));
            self.deformables.push(Deformable { mesh: id, movable, skin, rest, weights, path });
        }
        Ok(())
    }

    /// What a node shows, if its mesh is one of ours.
    pub(in crate::gltf) fn own_instance(
        &mut self,
        node: &model::Node,
        path: &str,
    ) -> Result<Option<Instance>, Fault> {
        let Some(index) = node.mesh else { return Ok(None) };
        let Some(mesh) = self.root.meshes.get(index) else { return Ok(None) };
        let original = mesh.extensions.own.as_ref().and_then(|own| own.copy_of).unwrap_or(index);
        let Some(&id) = self.own_meshes.get(&original) else { return Ok(None) };
        let materials = match node.extensions.own.as_ref().and_then(|own| own.materials.as_ref()) {
            Some(materials) => materials.iter().map(|&index| Some(index)).collect(),
            None => mesh.primitives.iter().map(|primitive| primitive.material).collect::<Vec<_>>(),
        };
        let path = format!("{path}.extensions.{NAME}.materials");
        let known = |material: Option<usize>| match material {
            Some(i) if i >= self.root.materials.len() => {
                let message = format!("there is no material {i}; there are {}", self.root.materials.len());
                Err(Fault::malformed(FileLocation::Json(path.clone()), message))
            }
            material => self.material(material),
        };
        let materials = materials.into_iter().map(known).collect::<Result<_, _>>()?;
        Ok(Some(Instance { mesh: id, materials }))
    }

    fn read_own_mesh(&self, mesh: &model::Mesh, path: &str) -> Result<OwnMesh, Fault> {
        let fault = |message: &str| Fault::malformed(FileLocation::Json(path.to_string()), message);
        let first = mesh.primitives.first().ok_or_else(|| fault("the mesh has no primitives"))?;
        if mesh.primitives.iter().any(|primitive| primitive.attributes != first.attributes) {
            return Err(fault("primitives of a mesh with slots must have the same vertices"));
        }
        let vertices = read_vertices(&self.accessors, first, &format!("{path}.primitives[0]"))?;
        let count = vertices.positions.len();
        let of_primitive = |(i, primitive)| {
            read_triangles(&self.accessors, primitive, count, &format!("{path}.primitives[{i}]"))
        };
        let mut of_primitive =
            mesh.primitives.iter().enumerate().map(of_primitive).collect::<Result<Vec<_>, Fault>>()?;
        let slots = self.read_slots(mesh, path)?;
        let triangles = match slots.is_empty() {
            true => of_primitive.swap_remove(0),
            false => interleaved(&slots, &of_primitive)
                .ok_or_else(|| fault("the slots do not belong to the primitives"))?,
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
        };
        Ok((data, vertices.targets, vertices.influences))
    }

    fn read_slots(&self, mesh: &model::Mesh, path: &str) -> Result<Vec<u16>, Fault> {
        let Some(accessor) = mesh.extensions.own.as_ref().and_then(|own| own.slots) else {
            return Ok(Vec::new());
        };
        let from = format!("{path}.extensions.{NAME}.slots");
        let slots = self.accessors.indices(accessor, &from)?;
        let narrow = slots.into_iter().map(u16::try_from).collect::<Result<_, _>>();
        narrow.map_err(|_| Fault::malformed(FileLocation::Json(from), "a slot is larger than 65535"))
    }
}

/// The triangles of all primitives in the order that their slots say; nothing if they do not fit together.
fn interleaved(slots: &[u16], of_primitive: &[Vec<[u32; 3]>]) -> Option<Vec<[u32; 3]>> {
    let in_use: BTreeSet<u16> = slots.iter().copied().collect();
    let triangles: usize = of_primitive.iter().map(Vec::len).sum();
    if in_use.len() != of_primitive.len() || triangles != slots.len() {
        return None;
    }
    let mut queues: BTreeMap<u16, _> =
        in_use.into_iter().zip(of_primitive.iter().map(|triangles| triangles.iter().copied())).collect();
    slots.iter().map(|slot| queues.get_mut(slot)?.next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_return_to_their_places() {
        let (a, b, c) = ([0, 1, 2], [1, 2, 3], [2, 3, 4]);
        assert_eq!(interleaved(&[7, 2, 7], &[vec![b], vec![a, c]]), Some(vec![a, b, c]));
        assert_eq!(interleaved(&[7, 2, 2], &[vec![b], vec![a, c]]), None, "two of slot 7 are given");
        assert_eq!(interleaved(&[7, 7, 7], &[vec![b], vec![a, c]]), None, "one slot, two primitives");
    }
}
