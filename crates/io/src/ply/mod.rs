//! PLY, the Stanford polygon file format [Turk94]: text, and binary in both byte orders. Unknown elements and
//! properties are skipped.

mod header;
#[cfg(test)]
mod tests;
mod values;

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::Scene;

use crate::error::ParseError;
use crate::mesh_file::RawMesh;
use crate::polygon::triangulate;
use crate::report::Reporter;

use header::{Element, Encoding, PropertyKind};
use values::{BinaryValues, TextValues, Values};

pub(crate) use header::is_ply;

/// Reads a PLY file. Colours are interpreted as sRGB, as scanners and most tools write them; the origin of texture
/// coordinates is the lower left corner.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let header = header::parse(bytes)?;
    let mut mesh = match header.encoding {
        Encoding::Ascii => read(&header, &mut TextValues::new(bytes, &header))?,
        Encoding::LittleEndian | Encoding::BigEndian => {
            read(&header, &mut BinaryValues::new(bytes, &header))?
        }
    };
    if let Some(vertex) = mesh.normals.iter().position(|normal| !normal.is_finite()) {
        report.warn(
            crate::FileLocation::File,
            format!("vertex {vertex} has a normal that is not finite: the normals of the file are ignored"),
        );
        mesh.normals.clear();
    }
    mesh.into_scene(name, report)
}

fn read(header: &header::Header, values: &mut impl Values) -> Result<RawMesh, ParseError> {
    let mut mesh = RawMesh::default();
    let mut polygons = Polygons::default();
    let vertices = header.elements.iter().find(|element| element.name == "vertex").map_or(0, |e| e.count);
    for element in &header.elements {
        let min_size = element.min_size(header.encoding);
        if element.count.checked_mul(min_size).is_none_or(|size| size > values.bytes_left() + 1) {
            let Element { count, name, .. } = element;
            let message = format!("{count} elements of {name} do not fit into the rest of the file");
            return Err(ParseError::malformed(element.location.clone(), message));
        }
        match element.name.as_str() {
            // Elements without properties have no data, and their number may be huge.
            name if element.properties.is_empty() && name != "vertex" => {}
            "vertex" => read_vertices(element, values, &mut mesh)?,
            "face" => read_lists(element, values, &["vertex_indices", "vertex_index"], |ring| {
                polygons.add(ring, vertices)
            })?,
            "tristrips" => read_lists(element, values, &["vertex_indices", "vertex_index"], |strip| {
                polygons.add_strip(strip, vertices)
            })?,
            _ => read_lists(element, values, &[], |_| Ok(()))?,
        }
    }
    mesh.triangles = polygons.triangles(&mesh.positions);
    Ok(mesh)
}

/// Names of vertex properties, with their indices into [`VertexValues`].
const VERTEX_PROPERTIES: [(&str, usize); 19] = [
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
    ("alpha", 11),
    ("a", 11),
];

/// Values of a vertex: position, normal, texture coordinates, colour.
type VertexValues = [f64; 12];

fn read_vertices(element: &Element, values: &mut impl Values, mesh: &mut RawMesh) -> Result<(), ParseError> {
    let index_of = |name: &str| VERTEX_PROPERTIES.iter().find(|(known, _)| *known == name).map(|&(_, i)| i);
    let indices: Vec<Option<usize>> = element.properties.iter().map(|p| index_of(&p.name)).collect();
    let has = |wanted: &[usize]| wanted.iter().all(|&index| indices.contains(&Some(index)));
    if !has(&[0, 1, 2]) {
        return Err(ParseError::malformed(
            element.location.clone(),
            "vertices need the properties x, y and z",
        ));
    }
    let [has_normals, has_uvs, has_colors] = [has(&[3, 4, 5]), has(&[6, 7]), has(&[8, 9, 10])];
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
        #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
        let [x, y, z, nx, ny, nz, u, v, r, g, b, a] = read.map(|value| value as f32);
        let position = Vec3::new(x, y, z);
        if !position.is_finite() {
            let message = format!("vertex {vertex} has a coordinate that is not a finite number");
            return Err(ParseError::malformed(begin, message));
        }
        mesh.positions.push(position);
        if has_normals {
            mesh.normals.push(Vec3::new(nx, ny, nz));
        }
        if has_uvs {
            let uv = Vec2::new(u, 1.0 - v);
            mesh.uvs.push(if uv.is_finite() { uv } else { Vec2::ZERO });
        }
        if has_colors {
            let linear = sunfleck_image::srgb::linear_from_srgb_rgb(Vec3::new(r, g, b)).extend(a);
            mesh.colors.push(if linear.is_finite() { linear } else { Vec4::ONE });
        }
    }
    Ok(())
}

/// Reads elements and passes their lists named in `wanted` to `add`; all other properties are skipped.
fn read_lists(
    element: &Element,
    values: &mut impl Values,
    wanted: &[&str],
    mut add: impl FnMut(&[i64]) -> Result<(), String>,
) -> Result<(), ParseError> {
    let mut list = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            match property.kind {
                PropertyKind::List { count, item } if wanted.contains(&property.name.as_str()) => {
                    let location = values.location();
                    list.clear();
                    for _ in 0..values.list_length(count, item)? {
                        let value = values.next(item)?;
                        #[allow(
                            clippy::cast_possible_truncation,
                            reason = "NaN becomes 0, the rest saturates"
                        )]
                        list.push(if value.fract() == 0.0 { value as i64 } else { i64::MAX });
                    }
                    add(&list).map_err(|message| ParseError::malformed(location, message))?;
                }
                kind => skip(kind, values)?,
            }
        }
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

/// Polygons of the file, triangulated when all positions are known.
#[derive(Debug, Default)]
struct Polygons {
    corners: Vec<u32>,
    /// End of each polygon in `corners`.
    ends: Vec<usize>,
}

impl Polygons {
    fn add(&mut self, ring: &[i64], vertices: usize) -> Result<(), String> {
        for &vertex in ring {
            self.corners.push(checked(vertex, vertices)?);
        }
        self.ends.push(self.corners.len());
        Ok(())
    }

    /// Adds triangle strips, which are separated by −1.
    fn add_strip(&mut self, strips: &[i64], vertices: usize) -> Result<(), String> {
        for strip in strips.split(|&vertex| vertex == -1) {
            for (i, t) in strip.windows(3).enumerate() {
                let (b, c) = if i % 2 == 0 { (t[1], t[2]) } else { (t[2], t[1]) };
                self.add(&[t[0], b, c], vertices)?;
            }
        }
        Ok(())
    }

    fn triangles(&self, positions: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(self.ends.len());
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        for (begin, &end) in begins.zip(&self.ends) {
            match self.corners[begin..end] {
                [a, b, c] => triangles.push([a, b, c]),
                ref ring => {
                    let corners: Vec<Vec3> = ring.iter().map(|&v| positions[v as usize]).collect();
                    triangles.extend(triangulate(&corners).into_iter().map(|t| t.map(|i| ring[i])));
                }
            }
        }
        triangles
    }
}

fn checked(vertex: i64, vertices: usize) -> Result<u32, String> {
    let known = u32::try_from(vertex).ok().filter(|&v| (v as usize) < vertices);
    known.ok_or_else(|| format!("a face uses vertex {vertex}, which does not exist; there are {vertices}"))
}
