//! Meshes: the primitives of a glTF mesh are merged into one mesh with a slot for each material.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Influences, Instance, Mesh, MeshData, MorphTarget, SceneEdit};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::faults::Fault;
use crate::tangents::any_tangent;

use super::Importer;
use super::deformation::{DeformationData, name_targets};
use super::model;
use super::primitive::{Vertices, not_triangles, read_triangles, read_vertices, uv_name};
use super::repair::repair;
use super::uv_sets::uv_set;

/// Accessors of the vertices of a primitive: its attributes, and those of its morph targets.
type VertexAccessors = (BTreeMap<String, usize>, Vec<BTreeMap<String, usize>>);

impl Importer<'_> {
    /// Returns the instance of a mesh, which is imported at the first use; `None` if it has no triangles, or could not
    /// be imported before. `from` is the JSON path of the reference.
    pub(super) fn instance(&mut self, index: usize, from: &str) -> Result<Option<Instance>, ParseError> {
        if let Some(instance) = self.meshes.get(&index) {
            return Ok(instance.clone());
        }
        let root = self.root;
        let mesh = root.meshes.get(index).ok_or_else(|| {
            let message = format!("there is no mesh {index}; there are {}", root.meshes.len());
            ParseError::malformed(FileLocation::Json(from.to_string()), message)
        })?;
        let instance = self.read_mesh(index, mesh);
        // The error of a mesh is that of its first node only
        self.meshes.insert(index, instance.as_ref().map_or(None, Clone::clone));
        instance
    }

    fn read_mesh(&mut self, index: usize, mesh: &model::Mesh) -> Result<Option<Instance>, ParseError> {
        let path = format!("meshes[{index}]");
        let mut merged = MergedMesh::new(mesh, self.uv_sets, |material| self.normal_map_uv(material));
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("{path}.primitives[{i}]");
            if let Some(kind) = not_triangles(primitive.mode) {
                self.report.warn(
                    FileLocation::Json(path),
                    format!("{kind} are not supported: the primitive is ignored"),
                );
            } else if !primitive.attributes.contains_key("POSITION") {
                self.report
                    .warn(FileLocation::Json(path), "the primitive has no attribute POSITION and is ignored");
            } else if let Err(error) = merged.add(self, primitive, &path) {
                self.leave_out_triangles("the primitive is ignored", error);
            }
        }
        self.degenerate += merged.degenerate;
        if merged.data.triangles.is_empty() {
            return Ok(None);
        }
        let name = self.name(&mesh.name, "mesh", index);
        let MergedMesh { data, mut targets, influences, slots, .. } = merged;
        let base = Arc::new(Mesh::new(MeshData { name, ..data }).at(|| FileLocation::Json(path.clone()))?);
        let id = self.scene.next_mesh_id();
        self.scene.apply(SceneEdit::Mesh { id, mesh: Some(base.clone()) }).at(|| FileLocation::Json(path))?;
        if !targets.is_empty() || !influences.is_empty() {
            name_targets(&mut targets, &mesh.extras);
            let (targets, influences) = (Arc::new(targets), Arc::new(influences));
            self.deformations.insert(index, DeformationData { base, targets, influences });
        }
        let materials =
            slots.into_iter().map(|material| self.material(material)).collect::<Result<_, _>>()?;
        Ok(Some(Instance { mesh: id, materials }))
    }

    /// Returns which of the two sets of texture coordinates a material's normal map uses, if it has one.
    fn normal_map_uv(&self, material: Option<usize>) -> Option<usize> {
        let info = self.root.materials.get(material?)?.normal_texture.as_ref()?;
        self.uv_sets.iter().position(|&set| set == uv_set(info))
    }
}

/// Builder that merges the primitives of a mesh.
struct MergedMesh {
    data: MeshData,
    /// Morph targets; their number is the maximum over the primitives.
    targets: Vec<MorphTarget>,
    influences: Vec<Influences>,
    /// Index of the glTF material of each slot.
    slots: Vec<Option<usize>>,
    /// Attributes of the merged mesh: those that any primitive has. Primitives without them get default values.
    present: PresentAttributes,
    /// First vertex of each set of accessors whose vertices later primitives can share.
    first_vertex: BTreeMap<VertexAccessors, u32>,
    /// Set of texture coordinates of the normal map of each material.
    normal_map_uvs: BTreeMap<Option<usize>, usize>,
    /// Number of triangles that use a vertex twice and were removed.
    degenerate: usize,
}

/// Attributes that a merged mesh has.
struct PresentAttributes {
    normals: bool,
    tangents: bool,
    uvs: [bool; 2],
    colors: bool,
    target_normals: bool,
    target_tangents: bool,
}

impl MergedMesh {
    fn new(
        mesh: &model::Mesh,
        uv_sets: [u32; 2],
        normal_map_uv: impl Fn(Option<usize>) -> Option<usize>,
    ) -> Self {
        let triangle_primitives = || mesh.primitives.iter().filter(|p| not_triangles(p.mode).is_none());
        let any = |name: &str| triangle_primitives().any(|p| p.attributes.contains_key(name));
        let normal_map_uvs: BTreeMap<_, _> =
            triangle_primitives().filter_map(|p| Some((p.material, normal_map_uv(p.material)?))).collect();
        let any_target =
            |name: &str| triangle_primitives().flat_map(|p| &p.targets).any(|t| t.contains_key(name));
        let normals = any("NORMAL") || !normal_map_uvs.is_empty();
        let tangents = any("TANGENT") && any("NORMAL") || !normal_map_uvs.is_empty();
        let present = PresentAttributes {
            normals,
            tangents,
            uvs: uv_sets.map(|set| any(&uv_name(set))),
            colors: any("COLOR_0"),
            target_normals: normals && any_target("NORMAL"),
            target_tangents: tangents && any_target("TANGENT"),
        };
        let targets = triangle_primitives().map(|p| p.targets.len()).max().unwrap_or(0);
        let sets = triangle_primitives()
            .map(|p| (0..).take_while(|set| p.attributes.contains_key(&format!("JOINTS_{set}"))).count());
        Self {
            data: MeshData::default(),
            targets: vec![MorphTarget::default(); targets],
            influences: vec![Influences::default(); sets.max().unwrap_or(0)],
            slots: Vec::new(),
            present,
            first_vertex: BTreeMap::new(),
            normal_map_uvs,
            degenerate: 0,
        }
    }

    fn add(
        &mut self,
        importer: &mut Importer<'_>,
        primitive: &model::Primitive,
        path: &str,
    ) -> Result<(), ParseError> {
        let slot = self.slot(primitive.material, path)?;
        let vertex_accessors = (primitive.attributes.clone(), primitive.targets.clone());
        let known = self.first_vertex.get(&vertex_accessors).copied();
        let (mut triangles, first) = match known {
            Some(first) => {
                let vertices =
                    primitive.attributes.get("POSITION").and_then(|&a| importer.root.accessors.get(a));
                let count = vertices.map_or(0, |accessor| accessor.count);
                (read_valid_triangles(importer, primitive, count, path)?, first)
            }
            None => self.add_vertices(importer, primitive, vertex_accessors, path)?,
        };
        // Degenerate triangles are invisible; exporters use them to join triangle strips.
        let all = triangles.len();
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        self.degenerate += all - triangles.len();
        for v in triangles.as_flattened_mut() {
            *v += first;
        }
        self.data.slots.extend(std::iter::repeat_n(slot, triangles.len()));
        self.data.triangles.append(&mut triangles);
        Ok(())
    }

    /// Adds the vertices of a primitive. Returns its triangles and the index of its first vertex.
    fn add_vertices(
        &mut self,
        importer: &mut Importer<'_>,
        primitive: &model::Primitive,
        vertex_accessors: VertexAccessors,
        path: &str,
    ) -> Result<(Vec<[u32; 3]>, u32), ParseError> {
        let mut vertices = read_vertices(&importer.accessors, primitive, importer.uv_sets, path)?;
        let mut triangles = read_valid_triangles(importer, primitive, vertices.positions.len(), path)?;
        let attributes_path = format!("{path}.attributes");
        let is_repaired = repair(&mut vertices, &mut triangles, &mut importer.faults, &attributes_path);

        // Other primitives may use other vertices, in other triangles: what is repaired depends on these.
        let mut shareable = !is_repaired;
        // Missing normals are flat, missing tangents are those of MikkTSpace [glTF2, §3.7.2.1].
        if self.present.normals && vertices.normals.is_empty() {
            vertices = vertices.with_flat_normals(&mut triangles);
            shareable = false;
        }
        if let Some(&uv_set) = self.normal_map_uvs.get(&primitive.material)
            && vertices.tangents.is_empty()
            && vertices.uvs.get(uv_set).is_some_and(|uvs| !uvs.is_empty())
        {
            vertices = vertices.with_tangents(uv_set, &mut triangles);
            shareable = false;
        }

        // Some exporters store the vertices of all meshes in one array.
        if triangles.len() * 3 < vertices.positions.len() / 2 {
            vertices = vertices.with_used_only(&mut triangles);
            shareable = false;
        }

        let first = u32::try_from(self.data.positions.len()).ok();
        let end = self.data.positions.len() + vertices.positions.len();
        let first = first.filter(|_| u32::try_from(end).is_ok()).ok_or_else(|| {
            ParseError::unsupported(
                FileLocation::Json(path.to_string()),
                "the mesh has more than 2^32 - 1 vertices",
            )
        })?;
        self.append(vertices);
        if shareable {
            self.first_vertex.insert(vertex_accessors, first);
        }
        Ok((triangles, first))
    }

    fn append(&mut self, vertices: Vertices) {
        let data = &mut self.data;
        let count = vertices.positions.len();
        let [uv0, uv1] = vertices.uvs;
        if self.present.tangents {
            let missing = if vertices.tangents.is_empty() { &vertices.normals[..] } else { &[] };
            data.tangents.extend(vertices.tangents);
            data.tangents.extend(missing.iter().map(|&normal| any_tangent(normal)));
        }
        self.append_deformation(vertices.targets, vertices.influences, count);
        let data = &mut self.data;
        data.positions.extend(vertices.positions);
        data.normals.extend(vertices.normals);
        extend(&mut data.uv0, uv0, self.present.uvs[0], count, Vec2::ZERO);
        extend(&mut data.uv1, uv1, self.present.uvs[1], count, Vec2::ZERO);
        extend(&mut data.colors, vertices.colors, self.present.colors, count, Vec4::ONE);
    }

    /// Appends morph targets and influences. Those that the primitive lacks are filled with zeros, which have no
    /// effect.
    fn append_deformation(
        &mut self,
        mut targets: Vec<MorphTarget>,
        mut influences: Vec<Influences>,
        count: usize,
    ) {
        targets.resize_with(self.targets.len(), MorphTarget::default);
        for (all, more) in self.targets.iter_mut().zip(targets) {
            extend(&mut all.positions, more.positions, true, count, Vec3::ZERO);
            if self.present.target_normals {
                extend(&mut all.normals, more.normals, true, count, Vec3::ZERO);
            }
            if self.present.target_tangents {
                extend(&mut all.tangents, more.tangents, true, count, Vec3::ZERO);
            }
        }
        influences.resize_with(self.influences.len(), Influences::default);
        for (all, more) in self.influences.iter_mut().zip(influences) {
            extend(&mut all.joints, more.joints, true, count, [0; 4]);
            extend(&mut all.weights, more.weights, true, count, [0.0; 4]);
        }
    }

    fn slot(&mut self, material: Option<usize>, path: &str) -> Result<u16, ParseError> {
        let known = self.slots.iter().position(|&m| m == material);
        let slot = known.unwrap_or_else(|| {
            self.slots.push(material);
            self.slots.len() - 1
        });
        u16::try_from(slot).ok().filter(|&slot| slot < u16::MAX).ok_or_else(|| {
            ParseError::unsupported(
                FileLocation::Json(path.to_string()),
                "the mesh has more than 65535 materials",
            )
        })
    }
}

/// Reads the triangles of a primitive, and skips those with an index out of range.
fn read_valid_triangles(
    importer: &mut Importer<'_>,
    primitive: &model::Primitive,
    vertices: usize,
    path: &str,
) -> Result<Vec<[u32; 3]>, ParseError> {
    let mut triangles = read_triangles(&importer.accessors, primitive, vertices, path)?;
    let bad = |index: &u32| *index as usize >= vertices;
    let Some(&index) = triangles.as_flattened().iter().find(|index| bad(index)) else { return Ok(triangles) };
    let all = triangles.len();
    triangles.retain(|triangle| !triangle.iter().any(bad));
    let from = format!("{path}.indices");
    let message = format!("index {index} is out of range; there are {vertices} vertices");
    let error = || ParseError::malformed(FileLocation::Json(from), message);
    importer.faults.add(Fault::TriangleIndex, all - triangles.len(), error);
    Ok(triangles)
}

fn extend<T: Clone>(all: &mut Vec<T>, more: Vec<T>, present: bool, count: usize, filling: T) {
    if present && more.is_empty() {
        all.extend(std::iter::repeat_n(filling, count));
    } else {
        all.extend(more);
    }
}
