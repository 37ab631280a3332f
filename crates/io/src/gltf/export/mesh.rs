//! Meshes: one primitive for each material slot, all with the same vertices.
//!
//! In glTF, materials belong to meshes; in a scene, they belong to instances. The meshes of the scene come first, each
//! with the materials of its first instance. Copies with other materials follow. They share the vertices, and are meant
//! for other programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Deformer, Influences, Instance, MaterialId, Mesh, MeshId, MorphTarget};

use crate::FileLocation;

use super::{Exporter, extension, named};

/// Meshes of the file.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) json: Vec<Value>,
    accessors: BTreeMap<MeshId, MeshAccessors>,
    /// Index of the glTF mesh for each mesh with given materials.
    by_materials: BTreeMap<(MeshId, Vec<MaterialId>), usize>,
}

/// Accessors that the copies of a mesh share.
#[derive(Clone)]
struct MeshAccessors {
    attributes: Map<String, Value>,
    /// Accessors of the morph targets.
    targets: Vec<Value>,
    /// Slots in use, each with the accessor of its triangles.
    primitives: Vec<(u16, usize)>,
}

/// Accessors of shared arrays that have been written, by the addresses of the arrays.
#[derive(Default)]
struct WrittenDeformations {
    targets: BTreeMap<*const Vec<MorphTarget>, Vec<Value>>,
    influences: BTreeMap<*const Vec<Influences>, Map<String, Value>>,
}

impl Exporter<'_> {
    /// Writes the meshes of the scene, each with the materials of its first instance.
    pub(super) fn meshes(&mut self) -> Meshes {
        let mut meshes = Meshes::default();
        let mut materials: BTreeMap<MeshId, &[MaterialId]> = BTreeMap::new();
        for instance in self.scene.nodes().filter_map(|(_, node)| node.instance.as_ref()) {
            materials.entry(instance.mesh).or_insert(&instance.materials);
        }
        let (mut bases, mut written) = (BTreeMap::new(), WrittenDeformations::default());
        for (id, mesh) in self.scene.meshes() {
            if !self.indices.meshes.contains_key(&id) {
                let message = format!("the mesh `{}` has no triangles and is not written", mesh.name());
                self.report.warn(FileLocation::Json("meshes".into()), message);
                continue;
            }
            // Write the base, which deformed meshes may share; their vertices are computed from it
            let deformer = self.scene.deformer(id);
            let mesh = deformer.map_or(mesh, |deformer| &deformer.base);
            let mut accessors = match bases.get(&Arc::as_ptr(mesh)) {
                Some(accessors) => MeshAccessors::clone(accessors),
                None => self.write_accessors(mesh),
            };
            bases.entry(Arc::as_ptr(mesh)).or_insert_with(|| accessors.clone());
            if let Some(deformer) = deformer {
                self.add_deformation(deformer, &mut written, &mut accessors);
            }
            let materials = materials.get(&id).copied().unwrap_or_default();
            let mut json = self.mesh(mesh.name(), &accessors, materials);
            if let Some(deformer) = deformer {
                self.deformer(id, deformer, &mut json);
            }
            if !mesh.data().slots.is_empty() {
                extension(&mut json)["slots"] = self.buffer.small_integers(&mesh.data().slots).into();
            }
            meshes.by_materials.insert((id, materials.to_vec()), meshes.json.len());
            meshes.json.push(json);
            meshes.accessors.insert(id, accessors);
        }
        meshes
    }

    /// Writes the mesh and the materials of a node.
    pub(super) fn instance(&mut self, instance: &Instance, meshes: &mut Meshes, node: &mut Value) {
        let Instance { mesh: id, materials } = instance;
        let Some(accessors) = meshes.accessors.get(id) else { return };
        let original = self.indices.meshes[id];
        let mesh_index = *meshes.by_materials.entry((*id, materials.clone())).or_insert_with(|| {
            let name = self.scene.mesh(*id).map_or("", |mesh| mesh.name());
            let mut copy = self.mesh(name, accessors, materials);
            if let Some(weights) = meshes.json[original].get("weights") {
                copy["weights"] = weights.clone();
            }
            extension(&mut copy)["copyOf"] = original.into();
            meshes.json.push(copy);
            meshes.json.len() - 1
        });
        node["mesh"] = mesh_index.into();
        // Materials of slots without triangles are in no primitive
        let simple =
            materials.len() == 1 && accessors.primitives.len() == 1 && accessors.primitives[0].0 == 0;
        if mesh_index != original || !simple {
            let materials: Vec<usize> = materials.iter().map(|id| self.indices.materials[id]).collect();
            extension(node)["materials"] = json!(materials);
        }
    }

    fn mesh(&self, name: &str, accessors: &MeshAccessors, materials: &[MaterialId]) -> Value {
        let primitive = |&(slot, indices): &(u16, usize)| {
            let mut primitive = json!({ "attributes": accessors.attributes, "indices": indices });
            if !accessors.targets.is_empty() {
                primitive["targets"] = json!(accessors.targets);
            }
            if let Some(material) = materials.get(usize::from(slot)) {
                primitive["material"] = self.indices.materials[material].into();
            }
            primitive
        };
        let mut json = named(name);
        json["primitives"] = accessors.primitives.iter().map(primitive).collect();
        json
    }

    /// Adds influences and morph targets to the accessors of a base; each array is written once.
    fn add_deformation(
        &mut self,
        deformer: &Deformer,
        written: &mut WrittenDeformations,
        accessors: &mut MeshAccessors,
    ) {
        let targets = written.targets.entry(Arc::as_ptr(&deformer.targets));
        accessors.targets = targets.or_insert_with(|| self.targets(&deformer.targets)).clone();
        if let Some(skin) = &deformer.skin {
            let attributes = written.influences.entry(Arc::as_ptr(&skin.influences)).or_insert_with(|| {
                let mut attributes = Map::new();
                self.influences(&skin.influences, &mut attributes);
                attributes
            });
            accessors.attributes.extend(attributes.clone());
        }
    }

    fn write_accessors(&mut self, mesh: &Mesh) -> MeshAccessors {
        let (data, buffer) = (mesh.data(), &mut self.buffer);
        let mut attributes = Map::new();
        let mut put = |name: &str, accessor: usize| attributes.insert(name.into(), accessor.into());
        put("POSITION", buffer.positions(data.positions.iter().map(Vec3::to_array)));
        if !data.normals.is_empty() {
            put("NORMAL", buffer.attribute(data.normals.iter().map(Vec3::to_array)));
        }
        if !data.tangents.is_empty() {
            put("TANGENT", buffer.attribute(data.tangents.iter().map(Vec4::to_array)));
        }
        if !data.uv0.is_empty() {
            put("TEXCOORD_0", buffer.attribute(data.uv0.iter().map(Vec2::to_array)));
        }
        if !data.uv1.is_empty() {
            put("TEXCOORD_1", buffer.attribute(data.uv1.iter().map(Vec2::to_array)));
        }
        if !data.colors.is_empty() {
            put("COLOR_0", buffer.attribute(data.colors.iter().map(Vec4::to_array)));
        }
        let mut indices_by_slot: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for (t, triangle) in (0u32..).zip(mesh.triangles()) {
            indices_by_slot.entry(mesh.slot(t)).or_default().extend(triangle);
        }
        let vertices = data.positions.len();
        let primitive = |(slot, indices): (u16, Vec<u32>)| (slot, buffer.indices(&indices, vertices));
        MeshAccessors {
            attributes,
            targets: Vec::new(),
            primitives: indices_by_slot.into_iter().map(primitive).collect(),
        }
    }
}
