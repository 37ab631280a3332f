//! Meshes: all primitives of a glTF mesh become one mesh with a material slot for each material.

use std::collections::BTreeMap;

use sunfleck_math::{Vec2, Vec4};
use sunfleck_scene::{Instance, Mesh, MeshData};

use crate::Place;
use crate::error::{At, Fault};
use crate::tangents::any_tangent;

use super::Importer;
use super::model;
use super::primitive::{Vertices, not_triangles, read_triangles, read_vertices};

/// The attributes that we read.
const ATTRIBUTES: [&str; 6] = ["POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0"];

impl Importer<'_> {
    /// What a node with that mesh shows; nothing if it has no triangles. `from`: JSON path of the reference.
    pub(super) fn instance(&mut self, index: usize, from: &str) -> Result<Option<Instance>, Fault> {
        if let Some(instance) = self.meshes.get(&index) {
            return Ok(instance.clone());
        }
        let root = self.root;
        let mesh = root.meshes.get(index).ok_or_else(|| {
            let message = format!("there is no mesh {index}; there are {}", root.meshes.len());
            Fault::malformed(Place::Json(from.to_string()), message)
        })?;
        let instance = self.read_mesh(index, mesh)?;
        self.meshes.insert(index, instance.clone());
        Ok(instance)
    }

    fn read_mesh(&mut self, index: usize, mesh: &model::Mesh) -> Result<Option<Instance>, Fault> {
        let path = format!("meshes[{index}]");
        let mut merged = Merged::new(mesh, |material| self.normal_map_uv(material));
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("{path}.primitives[{i}]");
            if let Some(kind) = not_triangles(primitive.mode) {
                self.report.warn(Place::Json(path), format!("{kind} cannot be shown"));
            } else if !primitive.attributes.contains_key("POSITION") {
                self.report.warn(Place::Json(path), "a primitive without POSITION cannot be shown");
            } else {
                self.morphed |= !primitive.targets.is_empty();
                merged.add(self, primitive, &path)?;
            }
        }
        self.degenerate += merged.degenerate;
        if merged.data.triangles.is_empty() {
            return Ok(None);
        }
        let name = if mesh.name.is_empty() { format!("mesh {index}") } else { mesh.name.clone() };
        let slots = merged.slots;
        let mesh = Mesh::new(MeshData { name, ..merged.data }).at(|| Place::Json(path.clone()))?;
        let mesh = self.scene.add_mesh(mesh).at(|| Place::Json(path))?;
        let materials =
            slots.into_iter().map(|material| self.material(material)).collect::<Result<_, _>>()?;
        Ok(Some(Instance { mesh, materials }))
    }

    /// Which texture coordinates the normal map of a material uses, if it has one.
    fn normal_map_uv(&self, material: Option<usize>) -> Option<usize> {
        let info = self.root.materials.get(material?)?.normal_texture.as_ref()?;
        let transform = info.extensions.transform.as_ref();
        Some(transform.and_then(|t| t.tex_coord).unwrap_or(info.tex_coord) as usize)
    }
}

/// A mesh growing by primitives.
struct Merged {
    data: MeshData,
    /// The glTF material of each slot.
    slots: Vec<Option<usize>>,
    /// Attributes that some primitive has; the others then need a filling, as a mesh has an attribute or not.
    has: Has,
    /// The first vertex of those attribute sets that later primitives may use too.
    first_vertex: BTreeMap<[Option<usize>; ATTRIBUTES.len()], u32>,
    /// Which texture coordinates the normal map of each primitive uses.
    normal_map_uvs: BTreeMap<Option<usize>, usize>,
    /// Triangles that name a vertex twice and were left out.
    degenerate: usize,
}

struct Has {
    normals: bool,
    tangents: bool,
    uvs: [bool; 2],
    colors: bool,
}

impl Merged {
    fn new(mesh: &model::Mesh, normal_map_uv: impl Fn(Option<usize>) -> Option<usize>) -> Self {
        let shown = || mesh.primitives.iter().filter(|p| not_triangles(p.mode).is_none());
        let any = |name: &str| shown().any(|p| p.attributes.contains_key(name));
        let normal_map_uvs: BTreeMap<_, _> =
            shown().filter_map(|p| Some((p.material, normal_map_uv(p.material)?))).collect();
        let has = Has {
            normals: any("NORMAL") || !normal_map_uvs.is_empty(),
            tangents: any("TANGENT") && any("NORMAL") || !normal_map_uvs.is_empty(),
            uvs: [any("TEXCOORD_0"), any("TEXCOORD_1")],
            colors: any("COLOR_0"),
        };
        let (data, slots, first_vertex) = (MeshData::default(), Vec::new(), BTreeMap::new());
        Self { data, slots, has, first_vertex, normal_map_uvs, degenerate: 0 }
    }

    fn add(
        &mut self,
        importer: &Importer<'_>,
        primitive: &model::Primitive,
        path: &str,
    ) -> Result<(), Fault> {
        let slot = self.slot(primitive.material, path)?;
        let attributes = ATTRIBUTES.map(|name| primitive.attributes.get(name).copied());
        let known = self.first_vertex.get(&attributes).copied();
        let (mut triangles, first) = match known {
            Some(first) => {
                let vertices =
                    primitive.attributes.get("POSITION").and_then(|&a| importer.root.accessors.get(a));
                let count = vertices.map_or(0, |accessor| accessor.count);
                (read_triangles(&importer.accessors, primitive, count, path)?, first)
            }
            None => self.add_vertices(importer, primitive, attributes, path)?,
        };
        // They show nothing, and strips are stitched together with them.
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

    /// Adds the vertices of a primitive; returns its triangles and the first of its vertices.
    fn add_vertices(
        &mut self,
        importer: &Importer<'_>,
        primitive: &model::Primitive,
        attributes: [Option<usize>; ATTRIBUTES.len()],
        path: &str,
    ) -> Result<(Vec<[u32; 3]>, u32), Fault> {
        let mut vertices =
            read_vertices(&importer.accessors, &primitive.attributes, &format!("{path}.attributes"))?;
        let mut triangles = read_triangles(&importer.accessors, primitive, vertices.positions.len(), path)?;

        // What the specification says about missing normals and tangents.
        let mut shareable = true;
        if self.has.normals && vertices.normals.is_empty() {
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

        // Some exporters keep the vertices of all meshes in one array.
        if triangles.len() * 3 < vertices.positions.len() / 2 {
            vertices = vertices.with_used_only(&mut triangles);
            shareable = false;
        }

        let first = u32::try_from(self.data.positions.len()).ok();
        let end = self.data.positions.len() + vertices.positions.len();
        let first = first.filter(|_| u32::try_from(end).is_ok()).ok_or_else(|| {
            Fault::unsupported(Place::Json(path.to_string()), "the mesh has more than 2^32 - 1 vertices")
        })?;
        self.append(vertices);
        if shareable {
            self.first_vertex.insert(attributes, first);
        }
        Ok((triangles, first))
    }

    fn append(&mut self, vertices: Vertices) {
        let data = &mut self.data;
        let count = vertices.positions.len();
        let [uv0, uv1] = vertices.uvs;
        if self.has.tangents {
            let missing = if vertices.tangents.is_empty() { &vertices.normals[..] } else { &[] };
            data.tangents.extend(vertices.tangents);
            data.tangents.extend(missing.iter().map(|&normal| any_tangent(normal)));
        }
        data.positions.extend(vertices.positions);
        data.normals.extend(vertices.normals);
        extend(&mut data.uv0, uv0, self.has.uvs[0], count, Vec2::ZERO);
        extend(&mut data.uv1, uv1, self.has.uvs[1], count, Vec2::ZERO);
        extend(&mut data.colors, vertices.colors, self.has.colors, count, Vec4::ONE);
    }

    fn slot(&mut self, material: Option<usize>, path: &str) -> Result<u16, Fault> {
        let known = self.slots.iter().position(|&m| m == material);
        let slot = known.unwrap_or_else(|| {
            self.slots.push(material);
            self.slots.len() - 1
        });
        u16::try_from(slot).ok().filter(|&slot| slot < u16::MAX).ok_or_else(|| {
            Fault::unsupported(Place::Json(path.to_string()), "the mesh has more than 65535 materials")
        })
    }
}

fn extend<T: Clone>(all: &mut Vec<T>, more: Vec<T>, has: bool, count: usize, filling: T) {
    if has && more.is_empty() {
        all.extend(std::iter::repeat_n(filling, count));
    } else {
        all.extend(more);
    }
}
