//! Primitives of AFF files: those of NFF, triangles with textures, moving triangles and meshes.

use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::MeshData;

use crate::corners::{AttributeArrays, Corner, NO_INDEX, VertexWelder};
use crate::error::ParseError;
use crate::faults::Fault;
use crate::nff::{Tokens, cone, sphere};
use crate::normals::{area_normal, is_direction};
use crate::polygon::triangulate;
use crate::text::Word;

use super::parse::Parser;

impl Parser<'_> {
    /// Reads a sphere, cone or cylinder. Shapes that are seen from inside have negative radii.
    pub(super) fn shape(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        let (point, radius) = (tokens.vec3()?.as_vec3(), tokens.short()?);
        let shape = if word.text == b"s" {
            sphere(point, radius)
        } else {
            let (apex, top) = (tokens.vec3()?.as_vec3(), tokens.short()?);
            cone(point, apex, [radius, top])
        };
        if shape.is_valid() {
            let slot = self.slot(None);
            self.group.shapes.shapes.push(shape);
            self.group.shapes.slots.push(slot);
        } else {
            let error = || ParseError::malformed(word.location(), "the shape has no area");
            self.file.faults.add(Fault::Face, 1, error);
        }
        Ok(())
    }

    pub(super) fn polygon(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let (corners, mut normals) = self.tokens.polygon(word)?;
        let triangles = triangulate(&corners).into_iter().map(|t| t.map(narrow)).collect();
        let positions: Vec<Vec3> = corners.iter().map(|corner| corner.as_vec3()).collect();
        self.replace_normals(&positions, &mut normals, word);
        self.add(&MeshData { positions, normals, triangles, ..MeshData::default() }, None);
        Ok(())
    }

    pub(super) fn textured_triangle(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let texture = self.name("the name of a texture")?;
        let tokens = &mut self.tokens;
        let mut data = MeshData { triangles: vec![[0, 1, 2]], ..MeshData::default() };
        for _ in 0..3 {
            data.positions.push(tokens.vec3()?.as_vec3());
            if word.text == b"ttp" {
                data.normals.push(tokens.vec3()?.as_vec3());
            }
            data.uv0.push(uv(tokens)?);
        }
        self.replace_normals(&data.positions, &mut data.normals, word);
        self.add(&data, Some(texture));
        Ok(())
    }

    /// Reads a triangle whose corners move on straight lines between given times.
    pub(super) fn moving_triangle(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        let count = tokens.argument()?.parse::<u32>("a number of times")?;
        let (mut times, mut corners) = (Vec::new(), Vec::new());
        for _ in 0..count {
            times.push(tokens.number()?);
            let mut corner =
                || -> Result<_, ParseError> { Ok((tokens.vec3()?.as_vec3(), tokens.vec3()?.as_vec3())) };
            corners.push([corner()?, corner()?, corner()?]);
        }
        if count == 0 || !times.is_sorted_by(|a, b| a < b) {
            return Err(ParseError::malformed(word.location(), "a moving triangle needs ascending times"));
        }
        for triangle in &mut corners {
            let positions = triangle.map(|(position, _)| position);
            let mut normals = triangle.map(|(_, normal)| normal);
            self.replace_normals(&positions, &mut normals, word);
            // Displacements are those of unit normals, since files have normals of the length of their triangle
            *triangle = [0, 1, 2].map(|i| (positions[i], normals[i].normalize_or(Vec3::Y)));
        }
        let slot = self.slot(None);
        self.group.add_moving(&times, &corners, slot);
        Ok(())
    }

    /// Reads a mesh: `vertices`, `normals` and `texturecoords`, of which the last two may be missing, and `triangles`.
    pub(super) fn mesh(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let (mut positions, mut normals, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
        let mut texture = None;
        loop {
            let missing = || ParseError::malformed(word.location(), "the triangles of the mesh are missing");
            let part = self.tokens.word().ok_or_else(missing)?;
            let tokens = &mut self.tokens;
            match part.text {
                b"vertices" => positions = list(tokens, vec3)?,
                b"normals" => normals = list(tokens, vec3)?,
                b"texturecoords" => {
                    let count = tokens.argument()?.parse("a number of texture coordinates")?;
                    texture = Some(self.name("the name of a texture")?);
                    uvs = some(count, &mut self.tokens, uv)?;
                }
                b"triangles" => break,
                _ => {
                    let error = part.bad("a part of a mesh");
                    self.tokens.put_back(part);
                    return Err(error);
                }
            }
        }
        let count = self.tokens.argument()?.parse::<u32>("a number of triangles")?;
        let arrays = AttributeArrays {
            positions: &positions,
            normals: &normals,
            uvs: &uvs,
            ..AttributeArrays::default()
        };
        let mut triangles = Vec::new();
        for _ in 0..count {
            let triangle = self.corners(&arrays, word)?;
            triangles.extend(triangle);
        }
        let data = VertexWelder::new(arrays).mesh(&triangles);
        self.add(&data, texture);
        Ok(())
    }

    /// Reads the corners of a triangle: the indices of its vertices, of its normals and of its texture coordinates, if
    /// there are any. Returns `None` for one that has no vertices, or the same twice.
    fn corners(
        &mut self,
        arrays: &AttributeArrays<'_>,
        word: &Word<'_>,
    ) -> Result<Option<[Corner; 3]>, ParseError> {
        let tokens = &mut self.tokens;
        let mut indices = |exist: bool| -> Result<[u32; 3], ParseError> {
            let mut index = || if exist { tokens.argument()?.parse("an index") } else { Ok(NO_INDEX) };
            Ok([index()?, index()?, index()?])
        };
        let vertices = indices(true)?;
        let mut normals = indices(!arrays.normals.is_empty())?;
        let mut uvs = indices(!arrays.uvs.is_empty())?;
        let fault = |message: &'static str| move || ParseError::malformed(word.location(), message);
        if vertices.iter().any(|&v| v as usize >= arrays.positions.len()) {
            self.file.faults.add(
                Fault::Face,
                1,
                fault("a triangle of the mesh has a vertex that does not exist"),
            );
            return Ok(None);
        }
        let [a, b, c] = vertices;
        if a == b || b == c || c == a {
            self.file.degenerate += 1;
            return Ok(None);
        }
        let mut check = |indices: &mut [u32; 3], length: usize| {
            for index in indices.iter_mut().filter(|i| **i != NO_INDEX && **i as usize >= length) {
                *index = NO_INDEX;
                self.file.faults.add(
                    Fault::Corner,
                    1,
                    fault("a corner of the mesh lacks a normal or texture"),
                );
            }
        };
        check(&mut normals, arrays.normals.len());
        check(&mut uvs, arrays.uvs.len());
        for index in &mut normals {
            if arrays.normals.get(*index as usize).is_some_and(|&normal| !is_direction(normal)) {
                *index = NO_INDEX;
                self.file.faults.add(Fault::Normal, 1, fault("a normal of the mesh has no direction"));
            }
        }
        let corner = |i: usize| Corner { position: vertices[i], normal: normals[i], uv: uvs[i] };
        Ok(Some([corner(0), corner(1), corner(2)]))
    }

    /// Replaces normals that have no direction by that of the plane.
    fn replace_normals(&mut self, positions: &[Vec3], normals: &mut [Vec3], word: &Word<'_>) {
        let [a, b, c] = [0, 1, 2].map(|i| positions.get(i).copied().unwrap_or_default());
        for normal in normals.iter_mut().filter(|normal| !is_direction(**normal)) {
            *normal = area_normal([a, b, c]).normalize_or(Vec3::Y);
            let error = || ParseError::malformed(word.location(), "a normal has no direction");
            self.file.faults.add(Fault::Normal, 1, error);
        }
    }

    fn add(&mut self, data: &MeshData, texture: Option<String>) {
        if !data.triangles.is_empty() {
            let slot = self.slot(texture);
            self.group.add_triangles(data, slot);
        }
    }
}

fn vec3(tokens: &mut Tokens<'_>) -> Result<Vec3, ParseError> {
    Ok(tokens.vec3()?.as_vec3())
}

/// Reads texture coordinates; v points up in the file, down in the scene.
fn uv(tokens: &mut Tokens<'_>) -> Result<Vec2, ParseError> {
    Ok(Vec2::new(tokens.short()?, 1.0 - tokens.short()?))
}

/// Reads a number and as many values.
fn list<'a, T>(
    tokens: &mut Tokens<'a>,
    value: impl Fn(&mut Tokens<'a>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let count = tokens.argument()?.parse("a number of values")?;
    some(count, tokens, value)
}

/// Reads a number of values. Memory is allocated for those that are there.
fn some<'a, T>(
    count: u32,
    tokens: &mut Tokens<'a>,
    value: impl Fn(&mut Tokens<'a>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(value(tokens)?);
    }
    Ok(values)
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NO_INDEX)
}
