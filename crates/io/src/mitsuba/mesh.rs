//! Meshes of files, and the cube, with the normals that Mitsuba computes. Shapes with the same file share a mesh.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::{Mesh, MeshData, MeshId};

use super::tree::Object;
use super::{Importer, serialized};
use crate::FileKind;
use crate::error::{ImportProblem, ParseError};
use crate::faults::Faults;
use crate::mesh_file::RawMesh;
use crate::normals::smooth_in_groups;
use crate::report::Reporter;
use crate::tangents::{YAxis, add_tangents};
use crate::{obj, ply};

/// Meshes of the scene, and the file that was read last: serialized files have many meshes.
#[derive(Debug, Default)]
pub(super) struct MeshCache {
    meshes: BTreeMap<MeshKey, MeshId>,
    last_file: Option<(String, Rc<Vec<u8>>)>,
}

/// What a mesh is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeshKey {
    source: Source,
    /// Flat shading.
    has_face_normals: bool,
    /// Whether the file says that front and back change places.
    is_flipped: bool,
    /// Whether the transform of the shape mirrors it. Normals that Mitsuba computes are those of the mirrored mesh,
    /// other than normals of the file, which keep their side.
    is_mirrored: bool,
    flips_v: bool,
    has_tangents: bool,
    has_colors: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Obj(String),
    Ply(String),
    Serialized(String, u64),
    Cube,
}

impl Importer<'_, '_> {
    /// Returns the mesh of a shape `obj`, `ply`, `serialized` or `cube`.
    ///
    /// * `has_tangents` — whether its material has a normal map; * `has_colors` — whether it shows vertex colours.
    ///
    /// Errors: the file cannot be read or is faulty.
    pub(super) fn mesh(
        &mut self,
        object: &Object,
        is_mirrored: bool,
        has_tangents: bool,
        has_colors: bool,
    ) -> Result<MeshId, ParseError> {
        let file_name = || -> Result<String, ParseError> {
            let missing = || object.place.error("the shape has no \"filename\"");
            Ok(object.text("filename")?.ok_or_else(missing)?.to_string())
        };
        let source = match object.plugin.as_str() {
            "obj" => Source::Obj(file_name()?),
            "ply" => Source::Ply(file_name()?),
            "serialized" => {
                let index = object.number("shape_index", 0.0)?;
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
                Source::Serialized(file_name()?, index as u64)
            }
            _ => Source::Cube,
        };
        // Texture coordinates of OBJ files begin at the lower left corner of the image, others at the upper left one
        let flips_v_by_default = matches!(source, Source::Obj(_));
        let key = MeshKey {
            has_face_normals: object.boolean("face_normals", false)?,
            is_flipped: object.boolean("flip_normals", false)?,
            is_mirrored,
            flips_v: object.boolean("flip_tex_coords", flips_v_by_default)?,
            has_tangents,
            has_colors,
            source,
        };
        if let Some(&mesh) = self.meshes.meshes.get(&key) {
            return Ok(mesh);
        }
        let data = MeshData { name: object.name().to_string(), ..self.mesh_data(object, &key)? };
        let mesh = Mesh::new(data).map_err(|error| object.place.problem(ImportProblem::Mesh(error)))?;
        let mesh = self.scene.add_mesh(mesh).map_err(|error| object.place.problem(error.into()))?;
        self.meshes.meshes.insert(key, mesh);
        Ok(mesh)
    }

    fn mesh_data(&mut self, object: &Object, key: &MeshKey) -> Result<MeshData, ParseError> {
        let mut is_flat = key.has_face_normals;
        let mut data = match &key.source {
            Source::Cube => cube(),
            Source::Obj(name) => {
                // The reader of OBJ turns v already
                let data = self.read_mesh(object, name, obj::mesh_data)?;
                if key.flips_v { data } else { with_v_flipped(data) }
            }
            Source::Ply(name) => {
                let data = self.read_mesh(object, name, ply::mesh_data)?;
                if key.flips_v { data } else { with_v_flipped(data) }
            }
            Source::Serialized(name, index) => {
                let (data, has_face_normals) = self.read_mesh(object, name, |bytes, report| {
                    let mut faults = Faults::default();
                    let (mesh, has_face_normals) = serialized::read(bytes, *index, &mut faults)?;
                    Ok((RawMesh::into_mesh_data(mesh, faults, report)?, has_face_normals))
                })?;
                is_flat |= has_face_normals;
                if key.flips_v { with_v_flipped(data) } else { data }
            }
        };
        let has_own_normals = !data.normals.is_empty() && !is_flat;
        if is_flat {
            data.normals.clear();
        } else if data.normals.is_empty() {
            add_smooth_normals(&mut data);
        }
        if key.is_flipped != (key.is_mirrored && !has_own_normals) {
            data.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
            data.normals.iter_mut().for_each(|normal| *normal = -*normal);
        }
        if !key.has_colors {
            data.colors.clear();
        }
        if key.has_tangents && !data.uv0.is_empty() && !data.normals.is_empty() {
            add_tangents(&mut data, YAxis::RightHanded);
        }
        Ok(data)
    }

    /// Reads a mesh from a file. Its notes and errors name the file.
    fn read_mesh<T>(
        &mut self,
        object: &Object,
        name: &str,
        read: impl FnOnce(&[u8], &mut Reporter) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        let bytes = match &self.meshes.last_file {
            Some((last, bytes)) if last == name => Rc::clone(bytes),
            _ => {
                let file = self.file.paths.read(name, FileKind::Mesh);
                Rc::new(file.map_err(|message| object.place.error(message))?.1)
            }
        };
        self.meshes.last_file = Some((name.to_string(), Rc::clone(&bytes)));
        let mut report = Reporter::new(Path::new(name));
        let result = read(&bytes, &mut report);
        self.report.append(report.finish());
        result.map_err(|error| object.place.error(format!("{name}{}: {}", error.location, error.problem)))
    }
}

fn with_v_flipped(mut data: MeshData) -> MeshData {
    data.uv0.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y);
    data
}

/// Computes normals as Mitsuba does: of each vertex, the mean over its faces, weighted by their angles [Max99]. Vertices
/// with different texture coordinates are different ones.
fn add_smooth_normals(data: &mut MeshData) {
    let groups = vec![1; data.triangles.len()];
    let smooth = smooth_in_groups(&data.positions, &data.triangles, &groups);
    data.normals = vec![Vec3::Y; data.positions.len()];
    for (&vertex, &normal) in data.triangles.as_flattened().iter().zip(smooth.corners.as_flattened()) {
        data.normals[vertex as usize] = smooth.normals[normal as usize];
    }
}

/// Returns Mitsuba's cube, −1 ≤ x, y, z ≤ 1: each side shows the whole image.
fn cube() -> MeshData {
    // The normal of each side, and its corner with the texture coordinates (0, 1); the others follow counter-clockwise
    const SIDES: [([f32; 3], [f32; 3]); 6] = [
        ([0., -1., 0.], [1., -1., -1.]),
        ([0., 1., 0.], [1., 1., -1.]),
        ([1., 0., 0.], [1., -1., -1.]),
        ([0., 0., 1.], [1., -1., 1.]),
        ([-1., 0., 0.], [-1., -1., 1.]),
        ([0., 0., -1.], [1., 1., -1.]),
    ];
    let mut data = MeshData::default();
    for ((normal, corner), first) in
        SIDES.map(|(n, c)| (Vec3::from(n), Vec3::from(c))).into_iter().zip((0u32..).step_by(4))
    {
        let middle = normal;
        let arm = corner - middle;
        let next = normal.cross(arm);
        data.positions.extend([arm, next, -arm, -next].map(|arm| middle + arm));
        data.normals.extend([normal; 4]);
        data.uv0.extend([Vec2::Y, Vec2::ONE, Vec2::X, Vec2::ZERO]);
        data.triangles.extend([[0, 1, 2], [3, 0, 2]].map(|corners| corners.map(|corner| first + corner)));
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices that `mitsuba` 3.9.1 lists for the shape `cube`.
    #[test]
    fn the_cube_has_the_vertices_of_mitsuba() {
        let expected: [[i8; 12]; 6] = [
            [1, -1, -1, 1, -1, 1, -1, -1, 1, -1, -1, -1],
            [1, 1, -1, -1, 1, -1, -1, 1, 1, 1, 1, 1],
            [1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1],
            [1, -1, 1, 1, 1, 1, -1, 1, 1, -1, -1, 1],
            [-1, -1, 1, -1, 1, 1, -1, 1, -1, -1, -1, -1],
            [1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1],
        ];
        let expected: Vec<Vec3> = expected
            .as_flattened()
            .chunks(3)
            .map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into()))
            .collect();
        let cube = cube();
        assert_eq!(cube.positions, expected);
        assert_eq!(cube.triangles[10..], [[20, 21, 22], [23, 20, 22]]);
        for triangle in &cube.triangles {
            let [a, b, c] = triangle.map(|v| cube.positions[v as usize]);
            assert!((b - a).cross(c - a).dot(cube.normals[triangle[0] as usize]) > 0.0);
        }
    }
}
