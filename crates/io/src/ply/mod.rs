//! PLY, the Stanford polygon file format [Turk94]: text and binary in both byte orders, any properties in any order.

mod header;
#[cfg(test)]
mod tests;
mod values;

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::Scene;

use crate::error::Fault;
use crate::mesh_file::RawMesh;
use crate::polygon::triangulate;
use crate::report::Reporter;

use header::{Element, Encoding, Kind};
use values::{Binary, Text, Values};

pub(crate) use header::is_ply;

/// Reads a PLY file. Colours are taken for sRGB, as scanners and most tools write them; texture coordinates have their
/// origin in the lower left corner.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, Fault> {
    let header = header::parse(bytes)?;
    let mut mesh = match header.encoding {
        Encoding::Ascii => read(&header, &mut Text::new(bytes, &header))?,
        Encoding::LittleEndian | Encoding::BigEndian => read(&header, &mut Binary::new(bytes, &header))?,
    };
    if let Some(vertex) = mesh.normals.iter().position(|normal| !normal.is_finite()) {
        report.warn(
            crate::FileLocation::File,
            format!("vertex {vertex} has no finite normal: all normals are ignored"),
        );
        mesh.normals.clear();
    }
    mesh.into_scene(name, report)
}

fn read(header: &header::Header, values: &mut impl Values) -> Result<RawMesh, Fault> {
    let mut mesh = RawMesh::default();
    let mut polygons = Polygons::default();
    let vertices = header.elements.iter().find(|element| element.name == "vertex").map_or(0, |e| e.count);
    for element in &header.elements {
        let least = element.least_size(header.encoding);
        if element.count.checked_mul(least).is_none_or(|least| least > values.bytes_left() + 1) {
            let Element { count, name, .. } = element;
            let message = format!("{count} elements of {name} do not fit into the rest of the file");
            return Err(Fault::malformed(element.place.clone(), message));
        }
        match element.name.as_str() {
            // However many of nothing: they would take long to skip one by one.
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

/// What a property of a vertex says; the number is its place in [`VertexValues`].
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

/// Position, normal, texture coordinates, colour.
type VertexValues = [f64; 12];

fn read_vertices(element: &Element, values: &mut impl Values, mesh: &mut RawMesh) -> Result<(), Fault> {
    let place_of = |name: &str| VERTEX_PROPERTIES.iter().find(|(known, _)| *known == name).map(|&(_, i)| i);
    let places: Vec<Option<usize>> = element.properties.iter().map(|p| place_of(&p.name)).collect();
    let has = |wanted: &[usize]| wanted.iter().all(|&place| places.contains(&Some(place)));
    if !has(&[0, 1, 2]) {
        return Err(Fault::malformed(element.place.clone(), "vertices need the properties x, y and z"));
    }
    let [has_normals, has_uvs, has_colors] = [has(&[3, 4, 5]), has(&[6, 7]), has(&[8, 9, 10])];
    for vertex in 0..element.count {
        let begin = values.place();
        let mut read: VertexValues = [0.0; 12];
        read[11] = 1.0;
        for (property, place) in element.properties.iter().zip(&places) {
            match (property.kind, place) {
                (Kind::Scalar(scalar), Some(place)) => {
                    let one = if *place >= 8 { scalar.one() } else { 1.0 };
                    read[*place] = values.next(scalar)? / one;
                }
                (kind, _) => skip(kind, values)?,
            }
        }
        #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
        let [x, y, z, nx, ny, nz, u, v, r, g, b, a] = read.map(|value| value as f32);
        let position = Vec3::new(x, y, z);
        if !position.is_finite() {
            let message = format!("vertex {vertex} has a coordinate that is not a finite number");
            return Err(Fault::malformed(begin, message));
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

/// Reads elements of which only one list of indices matters, if any.
fn read_lists(
    element: &Element,
    values: &mut impl Values,
    wanted: &[&str],
    mut add: impl FnMut(&[i64]) -> Result<(), String>,
) -> Result<(), Fault> {
    let mut list = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            match property.kind {
                Kind::List { count, item } if wanted.contains(&property.name.as_str()) => {
                    let place = values.place();
                    list.clear();
                    for _ in 0..values.list_length(count, item)? {
                        let value = values.next(item)?;
                        #[allow(
                            clippy::cast_possible_truncation,
                            reason = "NaN becomes 0, the rest saturates"
                        )]
                        list.push(if value.fract() == 0.0 { value as i64 } else { i64::MAX });
                    }
                    add(&list).map_err(|message| Fault::malformed(place, message))?;
                }
                kind => skip(kind, values)?,
            }
        }
    }
    Ok(())
}

fn skip(kind: Kind, values: &mut impl Values) -> Result<(), Fault> {
    match kind {
        Kind::Scalar(scalar) => values.next(scalar).map(drop),
        Kind::List { count, item } => {
            let length = values.list_length(count, item)?;
            (0..length).try_for_each(|_| values.next(item).map(drop))
        }
    }
}

/// Faces, kept until all positions are known.
#[derive(Debug, Default)]
struct Polygons {
    corners: Vec<u32>,
    /// Where in `corners` each ends.
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

    /// Triangle strips one after the other, separated by −1.
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
