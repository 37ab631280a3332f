//! Meshes: one primitive for each material slot, all with the same vertices.
//!
//! In glTF materials belong to meshes, here to instances. So the meshes of the scene come first, each with the
//! materials of its first instance; behind them, for other programs, copies with other materials that share the
//! vertices.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Deformer, Influences, Instance, MaterialId, Mesh, MeshId, MorphTarget};

use crate::FileLocation;

use super::{Exporter, extension, named};

/// The meshes of the file.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) json: Vec<Value>,
    parts: BTreeMap<MeshId, Parts>,
    /// What shows which mesh with which materials.
    with: BTreeMap<(MeshId, Vec<MaterialId>), usize>,
}

/// What copies of a mesh share.
#[derive(Clone)]
struct Parts {
    attributes: Map<String, Value>,
    /// Differences of morph targets.
    targets: Vec<Value>,
    /// The slots in use, each with the accessor of its triangles.
    primitives: Vec<(u16, usize)>,
}

/// Where shared arrays have been written: by their addresses.
#[derive(Default)]
struct Movables {
    targets: BTreeMap<*const Vec<MorphTarget>, Vec<Value>>,
    influences: BTreeMap<*const Vec<Influences>, Map<String, Value>>,
}

impl Exporter<'_> {
    /// The meshes of the scene, each with the materials of its first instance.
    pub(super) fn meshes(&mut self) -> Meshes {
        let mut meshes = Meshes::default();
        let mut materials: BTreeMap<MeshId, &[MaterialId]> = BTreeMap::new();
        for instance in self.scene.nodes().filter_map(|(_, node)| node.instance.as_ref()) {
            materials.entry(instance.mesh).or_insert(&instance.materials);
        }
        let (mut bases, mut movables) = (BTreeMap::new(), Movables::default());
        for (id, mesh) in self.scene.meshes() {
            if !self.indices.meshes.contains_key(&id) {
                let message = format!("the mesh `{}` has no triangles and is left out", mesh.name());
                self.report.warn(FileLocation::Json("meshes".into()), message);
                continue;
            }
            // Figures of one kind share their vertices; what is shown of them follows from these
            let deformer = self.scene.deformer(id);
            let mesh = deformer.map_or(mesh, |deformer| &deformer.base);
            let mut parts = match bases.get(&Arc::as_ptr(mesh)) {
                Some(parts) => Parts::clone(parts),
                None => self.parts(mesh),
            };
            bases.entry(Arc::as_ptr(mesh)).or_insert_with(|| parts.clone());
            if let Some(deformer) = deformer {
                self.movable(deformer, &mut movables, &mut parts);
            }
            let materials = materials.get(&id).copied().unwrap_or_default();
            let mut json = self.mesh(mesh.name(), &parts, materials);
            if let Some(deformer) = deformer {
                self.deformer(id, deformer, &mut json);
            }
            if !mesh.data().slots.is_empty() {
                extension(&mut json)["slots"] = self.buffer.smalls(&mesh.data().slots).into();
            }
            meshes.with.insert((id, materials.to_vec()), meshes.json.len());
            meshes.json.push(json);
            meshes.parts.insert(id, parts);
        }
        meshes
    }

    /// What a node that shows an instance says.
    pub(super) fn instance(&mut self, instance: &Instance, meshes: &mut Meshes, node: &mut Value) {
        let Instance { mesh: id, materials } = instance;
        let Some(parts) = meshes.parts.get(id) else { return };
        let original = self.indices.meshes[id];
        let shown = *meshes.with.entry((*id, materials.clone())).or_insert_with(|| {
            let name = self.scene.mesh(*id).map_or("", |mesh| mesh.name());
            let mut copy = self.mesh(name, parts, materials);
            if let Some(weights) = meshes.json[original].get("weights") {
                copy["weights"] = weights.clone();
            }
            extension(&mut copy)["copyOf"] = original.into();
            meshes.json.push(copy);
            meshes.json.len() - 1
        });
        node["mesh"] = shown.into();
        // Slots without triangles, and materials beyond the slots, are in no primitive
        let simple = materials.len() == 1 && parts.primitives.len() == 1 && parts.primitives[0].0 == 0;
        if shown != original || !simple {
            let materials: Vec<usize> = materials.iter().map(|id| self.indices.materials[id]).collect();
            extension(node)["materials"] = json!(materials);
        }
    }

    fn mesh(&self, name: &str, parts: &Parts, materials: &[MaterialId]) -> Value {
        let primitive = |&(slot, indices): &(u16, usize)| {
            let mut primitive = json!({ "attributes": parts.attributes, "indices": indices });
            if !parts.targets.is_empty() {
                primitive["targets"] = json!(parts.targets);
            }
            if let Some(material) = materials.get(usize::from(slot)) {
                primitive["material"] = self.indices.materials[material].into();
            }
            primitive
        };
        let mut json = named(name);
        json["primitives"] = parts.primitives.iter().map(primitive).collect();
        json
    }

    /// Adds joints and morph targets to the parts of a base; each array is written once.
    fn movable(&mut self, deformer: &Deformer, known: &mut Movables, parts: &mut Parts) {
        let targets = known.targets.entry(Arc::as_ptr(&deformer.targets));
        parts.targets = targets.or_insert_with(|| self.targets(&deformer.targets)).clone();
        if let Some(skin) = &deformer.skin {
            let attributes = known.influences.entry(Arc::as_ptr(&skin.influences)).or_insert_with(|| {
                let mut attributes = Map::new();
                self.influences(&skin.influences, &mut attributes);
                attributes
            });
            parts.attributes.extend(attributes.clone());
        }
    }

    fn parts(&mut self, mesh: &Mesh) -> Parts {
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
        let mut of_slot: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for (t, triangle) in (0u32..).zip(mesh.triangles()) {
            of_slot.entry(mesh.slot(t)).or_default().extend(triangle);
        }
        let vertices = data.positions.len();
        let primitive = |(slot, indices): (u16, Vec<u32>)| (slot, buffer.indices(&indices, vertices));
        Parts { attributes, targets: Vec::new(), primitives: of_slot.into_iter().map(primitive).collect() }
    }
}
