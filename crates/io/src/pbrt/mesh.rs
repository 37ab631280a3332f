//! Meshes: lists of triangles, PLY files, subdivision surfaces, bilinear patches.

use std::path::Path;
use std::rc::Rc;

use sunfleck_math::{Affine3, Vec2, Vec3};
use sunfleck_scene::{MaterialId, MeshData, MeshId};

use super::Importer;
use super::description::ShapeEntry;
use super::parameter::Directive;
use super::texture::UvSpace;
use super::{patches, subdivision};
use crate::FileKind;
use crate::error::ParseError;
use crate::faults::Fault;
use crate::normals::{area_normal, is_direction};
use crate::ply;
use crate::report::Reporter;
use crate::tangents::{YAxis, add_tangents};

/// Mesh, and the materials that it has at the same place, that on top first.
pub(super) type MeshWithMaterials = (MeshId, Rc<[MaterialId]>);

/// What a mesh of a file is made of: shapes for which it is equal share one.
pub(super) type PlyKey = (String, Variant);

/// How a shape uses its mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    is_reversed: bool,
    /// Whether its material has textures.
    is_textured: bool,
    has_normal_map: bool,
}

impl Importer<'_, '_> {
    /// Converts a mesh whose vertices are in the scene file; `None` if it has no valid triangles.
    pub(super) fn triangles(
        &mut self,
        entry: &ShapeEntry,
        to_world: &Affine3,
    ) -> Result<Option<MeshWithMaterials>, ParseError> {
        let directive = &entry.directive;
        let mut data = match directive.kind.as_str() {
            "loopsubdiv" => self.subdivided(directive),
            "bilinearmesh" => self.patches(directive),
            _ => self.listed(directive),
        };
        if data.triangles.is_empty() {
            self.omissions
                .warn(&directive.place, format!("{} without triangles is left out", directive.title()));
            return Ok(None);
        }
        let corners =
            |triangle: &[u32; 3]| triangle.map(|v| to_world.transform_point3(data.positions[v as usize]));
        let area = data.triangles.iter().map(|triangle| 0.5 * area_normal(corners(triangle)).length()).sum();
        let materials = self.materials(entry, UvSpace::Flipped, Some(area))?;
        let variant = self.variant(entry, &materials);
        finish(&mut data, variant);
        Ok(Some((self.add_mesh(directive, data)?, materials)))
    }

    /// Converts a mesh of a file. Its notes and errors name the file.
    pub(super) fn ply_mesh(&mut self, entry: &ShapeEntry) -> Result<Option<MeshWithMaterials>, ParseError> {
        let directive = &entry.directive;
        directive.ignore(&["edgelength"]);
        let missing = || directive.place.error("the mesh has no \"filename\"");
        let name = directive.text("filename").ok_or_else(missing)?.to_string();
        let materials = self.materials(entry, UvSpace::Flipped, None)?;
        let key = (name, self.variant(entry, &materials));
        if let Some(&mesh) = self.ply_meshes.get(&key) {
            return Ok(Some((mesh, materials)));
        }
        let name = &key.0;
        let bytes =
            self.files.read(name, FileKind::Mesh).map_err(|message| directive.place.error(message))?;
        let mut report = Reporter::new(Path::new(name));
        let data = ply::mesh_data(&bytes, &mut report);
        self.report.append(report.finish());
        let mut data = data
            .map_err(|error| directive.place.error(format!("{name}{}: {}", error.location, error.problem)))?;
        data.colors.clear();
        data.slots.clear();
        if !data.normals.is_empty() {
            turn_to_normals(&mut data);
        }
        finish(&mut data, key.1);
        let mesh = self.add_mesh(directive, data)?;
        self.ply_meshes.insert(key, mesh);
        Ok(Some((mesh, materials)))
    }

    fn variant(&self, entry: &ShapeEntry, materials: &[MaterialId]) -> Variant {
        let layers: Vec<_> = materials.iter().filter_map(|&id| self.scene.material(id)).collect();
        Variant {
            is_reversed: entry.is_reversed,
            is_textured: layers.iter().any(|material| material.textures().next().is_some()),
            has_normal_map: layers.iter().any(|material| material.normal_map.is_some()),
        }
    }

    /// Returns the vertices and triangles that a directive lists. Elements that are not valid are faults.
    fn listed(&mut self, directive: &Directive) -> MeshData {
        let mut positions = directive.points("P");
        let (mut normals, mut uv0) = (directive.points("N"), directive.points2("uv"));
        if uv0.is_empty() {
            uv0 = directive.points2("st");
        }
        directive.ignore(&["S", "discarddegenerateUVs", "faceIndices"]);
        let place = &directive.place;
        let vertices = positions.len();
        for (name, found) in [("N", normals.len()), ("uv", uv0.len())] {
            if found != 0 && found != vertices {
                self.omissions.warn(place, format!("{name:?} has another length than \"P\" and is left out"));
            }
        }
        normals.truncate(if normals.len() == vertices { vertices } else { 0 });
        uv0.truncate(if uv0.len() == vertices { vertices } else { 0 });
        let invalid = uv0.iter_mut().filter(|uv| !uv.is_finite()).map(|uv| *uv = Vec2::ZERO).count();
        self.faults
            .add(Fault::TextureCoordinate, invalid, || place.error("a texture coordinate is not finite"));
        uv0.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y);
        let indices = self.indices(directive, vertices);
        let is_finite = |triangle: &[u32; 3]| triangle.iter().all(|&v| positions[v as usize].is_finite());
        let all = indices.len();
        let triangles: Vec<[u32; 3]> = indices.into_iter().filter(is_finite).collect();
        self.faults
            .add(Fault::TriangleVertex, all - triangles.len(), || place.error("a vertex is not finite"));
        positions.iter_mut().filter(|p| !p.is_finite()).for_each(|p| *p = Vec3::ZERO);
        let mut data = MeshData { positions, normals, uv0, triangles, ..MeshData::default() };
        if !data.normals.is_empty() {
            let invalid = replace_invalid_normals(&mut data);
            self.faults.add(Fault::Normal, invalid, || place.error("a normal has no direction"));
            turn_to_normals(&mut data);
        }
        data
    }

    /// Returns the triangles of `indices`, by default one, without those of vertices that do not exist.
    fn indices(&mut self, directive: &Directive, vertices: usize) -> Vec<[u32; 3]> {
        let listed = directive.integers("indices");
        let default = [0, 1, 2];
        let listed = if listed.is_empty() && vertices == 3 { &default } else { listed };
        let place = &directive.place;
        let (triangles, rest) = listed.as_chunks::<3>();
        if !rest.is_empty() {
            self.omissions
                .warn(place, "the number of indices is not a multiple of 3: the last ones are left out");
        }
        let valid = |triangle: &[i32; 3]| {
            let corner = |index: i32| u32::try_from(index).ok().filter(|&index| (index as usize) < vertices);
            let [a, b, c] = *triangle;
            Some([corner(a)?, corner(b)?, corner(c)?])
        };
        let found: Vec<[u32; 3]> = triangles.iter().filter_map(valid).collect();
        let lost = triangles.len() - found.len();
        self.faults
            .add(Fault::TriangleIndex, lost, || place.error(format!("an index is not below {vertices}")));
        found
    }

    fn subdivided(&mut self, directive: &Directive) -> MeshData {
        let levels = directive
            .get("levels")
            .map_or_else(|| directive.integer("nlevels", 3), |_| directive.integer("levels", 3));
        directive.ignore(&["scheme"]);
        let cage = self.listed(directive);
        let (mesh, subdivided) =
            subdivision::subdivide(cage.positions, cage.triangles, levels.max(0).unsigned_abs());
        if subdivided < levels.max(0).unsigned_abs() {
            let message = format!(
                "a surface is subdivided only {subdivided} times, so that it has not too many triangles"
            );
            self.omissions.warn(&directive.place, message);
        }
        mesh
    }

    fn patches(&mut self, directive: &Directive) -> MeshData {
        let positions = directive.points("P");
        let (normals, uvs) = (directive.points("N"), directive.points2("uv"));
        directive.ignore(&["faceIndices"]);
        let place = &directive.place;
        let listed = directive.integers("indices");
        let default = [0, 1, 2, 3];
        let listed = if listed.is_empty() && positions.len() == 4 { &default } else { listed };
        let valid = |patch: &[i32; 4]| {
            let corner = |index: i32| {
                usize::try_from(index)
                    .ok()
                    .filter(|&index| positions.get(index).is_some_and(|p| p.is_finite()))
            };
            let [a, b, c, d] = *patch;
            Some([corner(a)?, corner(b)?, corner(c)?, corner(d)?])
        };
        let all = listed.as_chunks::<4>().0;
        let found: Vec<[usize; 4]> = all.iter().filter_map(valid).collect();
        self.faults
            .add(Fault::Face, all.len() - found.len(), || place.error("a corner of a patch is not valid"));
        let mut data = MeshData::default();
        for patch in found {
            let corners = patch.map(|corner| positions[corner]);
            let of_patch = |array: &[Vec3]| -> Option<[Vec3; 4]> {
                let found = patch.map(|corner| array.get(corner).copied().filter(|v| is_direction(*v)));
                Some([found[0]?, found[1]?, found[2]?, found[3]?])
            };
            let uv = patch.map(|corner| uvs.get(corner).copied().filter(|uv| uv.is_finite()));
            let uv = match uv {
                [Some(a), Some(b), Some(c), Some(d)] => [a, b, c, d],
                _ => [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE],
            };
            patches::add(&mut data, corners, of_patch(&normals), uv);
        }
        data.uv0.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y);
        turn_to_normals(&mut data);
        data
    }
}

/// Replaces normals without a direction by those of the faces of their vertices. Returns their number.
fn replace_invalid_normals(data: &mut MeshData) -> usize {
    let is_invalid: Vec<bool> = data.normals.iter().map(|&normal| !is_direction(normal)).collect();
    let count = is_invalid.iter().filter(|&&invalid| invalid).count();
    if count == 0 {
        return 0;
    }
    let MeshData { normals, positions, triangles, .. } = data;
    normals
        .iter_mut()
        .zip(&is_invalid)
        .filter(|(_, invalid)| **invalid)
        .for_each(|(normal, _)| *normal = Vec3::ZERO);
    for triangle in &*triangles {
        let of_face = area_normal(triangle.map(|v| positions[v as usize]));
        for &vertex in triangle.iter().filter(|&&vertex| is_invalid[vertex as usize]) {
            normals[vertex as usize] += of_face;
        }
    }
    normals.iter_mut().filter(|normal| !is_direction(**normal)).for_each(|normal| *normal = Vec3::Z);
    count
}

/// Turns the triangles whose normals point to their back: in pbrt the normals of the vertices decide which side is the
/// front [PBRT4, §6.5.3].
fn turn_to_normals(data: &mut MeshData) {
    let MeshData { normals, positions, triangles, .. } = data;
    for triangle in triangles {
        let of_face = area_normal(triangle.map(|v| positions[v as usize]));
        let of_vertices: Vec3 = triangle.map(|v| normals[v as usize].normalize_or_zero()).into_iter().sum();
        if of_face.dot(of_vertices) < 0.0 {
            triangle.swap(1, 2);
        }
    }
}

/// Exchanges front and back of a mesh that is reversed, and adds what its material needs.
fn finish(data: &mut MeshData, variant: Variant) {
    if variant.is_textured && data.uv0.is_empty() {
        add_default_uvs(data);
    }
    if variant.is_reversed {
        data.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        data.normals.iter_mut().for_each(|normal| *normal = -*normal);
    }
    if variant.has_normal_map && !data.normals.is_empty() {
        add_tangents(data, YAxis::RightHanded);
    }
}

/// Gives each triangle the texture coordinates (0, 0), (1, 0) and (1, 1) [PBRT4, §6.5.2].
fn add_default_uvs(data: &mut MeshData) {
    let of_corners = |array: &[Vec3]| -> Vec<Vec3> {
        let corners = data.triangles.as_flattened().iter();
        if array.is_empty() { Vec::new() } else { corners.map(|&v| array[v as usize]).collect() }
    };
    let (positions, normals) = (of_corners(&data.positions), of_corners(&data.normals));
    let count = u32::try_from(data.triangles.len()).unwrap_or(u32::MAX / 3);
    data.uv0 = [Vec2::Y, Vec2::ONE, Vec2::X].repeat(data.triangles.len());
    data.triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    (data.positions, data.normals) = (positions, normals);
}
