//! PLY, the Stanford polygon file format [Turk94]: text, and binary in both byte orders, with textures as `VCGlib`
//! writes them. Other elements and properties are skipped and reported.

mod header;
mod polygons;
#[cfg(test)]
mod tests;
mod textures;
mod values;

use sunfleck_math::{DVec3, Vec2, Vec3, Vec4};
use sunfleck_scene::{MeshData, Scene};

use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::{RawMesh, linear_colors};
use crate::normals::is_direction;
use crate::report::Reporter;
use crate::text::decoded;
use crate::{FileLocation, Resolver};

use header::{Element, Encoding, Property, PropertyKind};
use polygons::{FaceAttributes, Polygons};
use values::{BinaryValues, TextValues, Values};

pub(crate) use header::is_ply;

/// Reads a PLY file and its textures. Colours are interpreted as sRGB, as scanners and most tools write them; the
/// origin of texture coordinates is the lower left corner.
pub(crate) fn load(
    bytes: &[u8],
    name: &str,
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<Scene, ParseError> {
    let Content { mut mesh, faults, textures } = read(bytes, report)?;
    linear_colors(&mut mesh.colors);
    linear_colors(&mut mesh.face_colors);
    let mut scene = Scene::default();
    textures::add(&textures, files, &mut mesh, &mut scene, report)?;
    mesh.add_to(scene, name, faults, report)
}

/// Reads the mesh of a PLY file in the coordinates of the file, without textures; colours are taken as linear. Normals
/// that the file lacks are left out; texture coordinates begin at the upper left corner of the image.
pub(crate) fn mesh_data(bytes: &[u8], report: &mut Reporter) -> Result<MeshData, ParseError> {
    let Content { mesh, faults, .. } = read(bytes, report)?;
    mesh.into_mesh_data(faults, report)
}

/// Content of a PLY file.
struct Content {
    mesh: RawMesh,
    faults: Faults,
    /// Names of the textures.
    textures: Vec<(String, FileLocation)>,
}

fn read(bytes: &[u8], report: &mut Reporter) -> Result<Content, ParseError> {
    let bytes = decoded(bytes);
    let mut faults = Faults::default();
    let header = header::parse(&bytes, &mut faults)?;
    let mut reader = Reader { faults, report, texture_count: header.textures.len() };
    let mesh = match header.encoding {
        Encoding::Ascii => reader.read(&header, &mut TextValues::new(&bytes, &header))?,
        Encoding::LittleEndian | Encoding::BigEndian => {
            reader.read(&header, &mut BinaryValues::new(&bytes, &header))?
        }
    };
    Ok(Content { mesh, faults: reader.faults, textures: header.textures })
}

/// Names of vertex properties, with their indices into [`VertexValues`].
const VERTEX_PROPERTIES: [(&str, usize); 26] = [
    ("x", 0),
    ("y", 1),
    ("z", 2),
    ("nx", 3),
    ("ny", 4),
    ("nz", 5),
    ("u", 6),
    ("s", 6),
    ("texture_u", 6),
    ("texture_s", 6),
    ("v", 7),
    ("t", 7),
    ("texture_v", 7),
    ("texture_t", 7),
    ("red", 8),
    ("green", 9),
    ("blue", 10),
    ("r", 8),
    ("g", 9),
    ("b", 10),
    ("diffuse_red", 8),
    ("diffuse_green", 9),
    ("diffuse_blue", 10),
    ("alpha", 11),
    ("a", 11),
    ("diffuse_alpha", 11),
];

/// Values of a vertex: position, normal, texture coordinates, colour.
type VertexValues = [f64; 12];

/// Names of the lists of vertices of faces, and of their texture coordinates.
const RINGS: [&str; 2] = ["vertex_indices", "vertex_index"];
const RING_UVS: [&str; 2] = ["texcoord", "texcoords"];

/// What a property of a face is used for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FaceRole {
    Unused,
    Ring,
    Uvs,
    /// Component of the colour.
    Color(usize),
    TextureIndex,
}

impl FaceRole {
    fn of(property: &Property) -> Self {
        let is_list = matches!(property.kind, PropertyKind::List { .. });
        match property.name.as_str() {
            name if is_list && RINGS.contains(&name) => Self::Ring,
            name if is_list && RING_UVS.contains(&name) => Self::Uvs,
            "texnumber" if !is_list => Self::TextureIndex,
            name if !is_list => match vertex_index(name) {
                Some(component @ 8..) => Self::Color(component - 8),
                _ => Self::Unused,
            },
            _ => Self::Unused,
        }
    }
}

/// Returns the index of a vertex property into [`VertexValues`].
fn vertex_index(name: &str) -> Option<usize> {
    VERTEX_PROPERTIES.iter().find(|(known, _)| *known == name).map(|&(_, i)| i)
}

/// Reader of the data of a file.
struct Reader<'a> {
    faults: Faults,
    report: &'a mut Reporter,
    texture_count: usize,
}

impl Reader<'_> {
    fn read(&mut self, header: &header::Header, values: &mut impl Values) -> Result<RawMesh, ParseError> {
        let mut mesh = RawMesh::default();
        let vertices = header.elements.iter().find(|element| element.name == "vertex");
        let mut polygons = Polygons::new(vertices.map_or(0, |element| element.count));
        for element in &header.elements {
            let min_size = element.min_size(header.encoding);
            if element.count.checked_mul(min_size).is_none_or(|size| size > values.bytes_left() + 1) {
                let Element { count, name, .. } = element;
                let message = format!("{count} elements of {name} do not fit into the rest of the file");
                return Err(ParseError::malformed(element.location.clone(), message));
            }
            let has_ring = element.properties.iter().any(|p| FaceRole::of(p) == FaceRole::Ring);
            match element.name.as_str() {
                // Elements without properties have no data, and their number may be huge.
                name if element.properties.is_empty() && name != "vertex" => {}
                "vertex" => self.read_vertices(element, values, &mut mesh)?,
                "face" if has_ring => self.read_faces(element, values, &mesh.positions, &mut polygons)?,
                "tristrips" if has_ring => {
                    self.read_strips(element, values, &mesh.positions, &mut polygons)?;
                }
                _ => self.skip_element(element, values)?,
            }
        }
        if mesh.positions.len() == vertices.map_or(0, |element| element.count) {
            polygons.triangulate(&mut mesh, &mut self.faults);
        }
        Ok(mesh)
    }

    fn read_vertices(
        &mut self,
        element: &Element,
        values: &mut impl Values,
        mesh: &mut RawMesh,
    ) -> Result<(), ParseError> {
        let is_scalar = |p: &Property| matches!(p.kind, PropertyKind::Scalar(_));
        let index_of = |p: &Property| vertex_index(&p.name).filter(|_| is_scalar(p));
        let mut indices: Vec<Option<usize>> = element.properties.iter().map(index_of).collect();
        let has = |wanted: &[usize]| wanted.iter().all(|&index| indices.contains(&Some(index)));
        if !has(&[0, 1, 2]) {
            return Err(ParseError::malformed(
                element.location.clone(),
                "vertices need the properties x, y and z",
            ));
        }
        let [has_normals, has_uvs, has_colors] = [has(&[3, 4, 5]), has(&[6, 7]), has(&[8, 9, 10])];
        let is_used = |&index: &usize| match index {
            0..3 => true,
            3..6 => has_normals,
            6..8 => has_uvs,
            _ => has_colors,
        };
        indices.iter_mut().for_each(|index| *index = index.filter(is_used));
        self.note_unused(element, |i| indices[i].is_some());
        for vertex in 0..element.count {
            let begin = values.location();
            let mut read: VertexValues = [0.0; 12];
            read[11] = 1.0;
            for (property, index) in element.properties.iter().zip(&indices) {
                match (property.kind, index) {
                    (PropertyKind::Scalar(scalar), Some(index)) => {
                        let one = if *index >= 8 { scalar.one() } else { 1.0 };
                        read[*index] = values.next(scalar)? / one;
                    }
                    (kind, _) => skip(kind, values)?,
                }
            }
            #[allow(clippy::cast_possible_truncation, reason = "attributes are in single precision")]
            let [.., nx, ny, nz, u, v, r, g, b, a] = read.map(|value| value as f32);
            let [x, y, z, ..] = read;
            let bad = |what: &str| {
                let message = format!("vertex {vertex} has a {what} that is not a finite number");
                ParseError::malformed(begin.clone(), message)
            };
            let position = DVec3::new(x, y, z);
            let is_valid = position.abs().max_element() <= f64::from(f32::MAX) && position.is_finite();
            if !is_valid {
                self.faults.add(Fault::Position, 1, || bad("coordinate"));
            }
            mesh.positions.push(if is_valid { position } else { DVec3::NAN });
            if has_normals {
                let normal = Vec3::new(nx, ny, nz);
                let is_valid = is_direction(normal);
                if !is_valid {
                    let message = format!("vertex {vertex} has a normal without a direction");
                    self.faults.add(Fault::Normal, 1, || ParseError::malformed(begin.clone(), message));
                }
                mesh.normals.push(if is_valid { normal } else { Vec3::NAN });
            }
            if has_uvs {
                let uv = Vec2::new(u, 1.0 - v);
                if !uv.is_finite() {
                    self.faults.add(Fault::TextureCoordinate, 1, || bad("texture coordinate"));
                }
                mesh.uvs.push(if uv.is_finite() { uv } else { Vec2::ZERO });
            }
            if has_colors {
                let color = Vec4::new(r, g, b, a);
                if !color.is_finite() {
                    self.faults.add(Fault::Color, 1, || bad("colour"));
                }
                mesh.colors.push(color);
            }
        }
        Ok(())
    }

    fn read_faces(
        &mut self,
        element: &Element,
        values: &mut impl Values,
        positions: &[DVec3],
        polygons: &mut Polygons,
    ) -> Result<(), ParseError> {
        let mut roles: Vec<FaceRole> = element.properties.iter().map(FaceRole::of).collect();
        let has_color = (0..3).all(|component| roles.contains(&FaceRole::Color(component)));
        let is_unused = |role: &FaceRole| match role {
            FaceRole::Color(_) => !has_color,
            FaceRole::TextureIndex => self.texture_count == 0,
            _ => false,
        };
        roles.iter_mut().filter(|role| is_unused(role)).for_each(|role| *role = FaceRole::Unused);
        self.note_unused(element, |i| roles[i] != FaceRole::Unused);
        let has_uvs = roles.contains(&FaceRole::Uvs);
        let (mut ring, mut uvs) = (Vec::new(), Vec::new());
        for _ in 0..element.count {
            let mut location = FileLocation::File;
            let mut color = [0.0, 0.0, 0.0, 1.0];
            let mut texture = 0.0;
            for (property, role) in element.properties.iter().zip(&roles) {
                match (property.kind, *role) {
                    (PropertyKind::List { count, item }, FaceRole::Ring) => {
                        location = values.location();
                        read_indices(count, item, values, &mut ring)?;
                    }
                    (PropertyKind::List { count, item }, FaceRole::Uvs) => {
                        uvs.clear();
                        for _ in 0..values.list_length(count, item)? {
                            #[allow(
                                clippy::cast_possible_truncation,
                                reason = "scenes are in single precision"
                            )]
                            uvs.push(values.next(item)? as f32);
                        }
                    }
                    (PropertyKind::Scalar(scalar), FaceRole::Color(component)) => {
                        #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
                        let value = (values.next(scalar)? / scalar.one()) as f32;
                        color[component] = value;
                    }
                    (PropertyKind::Scalar(scalar), FaceRole::TextureIndex) => {
                        texture = values.next(scalar)?;
                    }
                    (kind, _) => skip(kind, values)?,
                }
            }
            let is_textured = texture >= 0.0 && !(has_uvs && uvs.is_empty());
            let slot = if is_textured { texture } else { f64::INFINITY }.min(self.texture_count as f64);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "≥ 0; `as` saturates")]
            let attributes = FaceAttributes {
                uvs: has_uvs.then_some(uvs.as_slice()),
                color: has_color.then_some(Vec4::from(color)),
                slot: (self.texture_count > 0).then_some(slot as u16),
            };
            polygons.add(&ring, positions, &attributes, &location, &mut self.faults);
        }
        Ok(())
    }

    fn read_strips(
        &mut self,
        element: &Element,
        values: &mut impl Values,
        positions: &[DVec3],
        polygons: &mut Polygons,
    ) -> Result<(), ParseError> {
        let is_strip = |property: &Property| FaceRole::of(property) == FaceRole::Ring;
        self.note_unused(element, |i| is_strip(&element.properties[i]));
        let mut strip = Vec::new();
        for _ in 0..element.count {
            for property in &element.properties {
                match property.kind {
                    PropertyKind::List { count, item } if is_strip(property) => {
                        let location = values.location();
                        read_indices(count, item, values, &mut strip)?;
                        polygons.add_strips(&strip, positions, &location, &mut self.faults);
                    }
                    kind => skip(kind, values)?,
                }
            }
        }
        Ok(())
    }

    fn skip_element(&mut self, element: &Element, values: &mut impl Values) -> Result<(), ParseError> {
        let Element { name, count, location, .. } = element;
        if *count > 0 {
            self.report.note(location.clone(), format!("elements that are not used: {count} × {name:?}"));
        }
        for _ in 0..*count {
            element.properties.iter().try_for_each(|property| skip(property.kind, values))?;
        }
        Ok(())
    }

    /// Adds a note on the properties of an element that are not used.
    fn note_unused(&mut self, element: &Element, is_used: impl Fn(usize) -> bool) {
        let unused = element.properties.iter().enumerate().filter(|(i, _)| !is_used(*i));
        let names: Vec<String> = unused.map(|(_, p)| format!("{:?}", p.name)).take(20).collect();
        if !names.is_empty() && element.count > 0 {
            let message = format!("properties of {:?} that are not used: {}", element.name, names.join(", "));
            self.report.note(element.location.clone(), message);
        }
    }
}

/// Reads a list of vertex indices; a value that is not a whole number becomes one that no file has.
fn read_indices(
    count: header::Scalar,
    item: header::Scalar,
    values: &mut impl Values,
    list: &mut Vec<i64>,
) -> Result<(), ParseError> {
    list.clear();
    for _ in 0..values.list_length(count, item)? {
        let value = values.next(item)?;
        #[allow(clippy::cast_possible_truncation, reason = "whole numbers; `as` saturates")]
        list.push(if value.fract() == 0.0 { value as i64 } else { i64::MAX });
    }
    Ok(())
}

fn skip(kind: PropertyKind, values: &mut impl Values) -> Result<(), ParseError> {
    match kind {
        PropertyKind::Scalar(scalar) => values.next(scalar).map(drop),
        PropertyKind::List { count, item } => {
            let length = values.list_length(count, item)?;
            (0..length).try_for_each(|_| values.next(item).map(drop))
        }
    }
}
