//! STL files, text and binary [STL].

use std::collections::BTreeMap;

use sunfleck_math::Vec3;
use sunfleck_scene::Scene;

use crate::FileLocation;
use crate::error::ParseError;
use crate::mesh_file::RawMesh;
use crate::report::Reporter;
use crate::text::Lines;

const HEADER: usize = 80;
const TRIANGLE: usize = 50;

/// Reads an STL file. Face normals are ignored, since they follow from the winding of the triangles; vertices at equal
/// positions are merged.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    // Binary files may begin with "solid", too; they are identified by their length.
    let count =
        bytes.get(HEADER..HEADER + 4).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b) as usize);
    let binary = count.is_some_and(|count| count.checked_mul(TRIANGLE) == Some(bytes.len() - HEADER - 4));
    let corners = match count {
        _ if bytes.trim_ascii_start().starts_with(b"solid") && !binary => read_text(bytes)?,
        Some(count) => read_binary(bytes, count)?,
        None => {
            return Err(ParseError::malformed(
                FileLocation::Byte(bytes.len() as u64),
                "the file ends within its header",
            ));
        }
    };
    merged(&corners).into_scene(name, report)
}

fn read_text(bytes: &[u8]) -> Result<Vec<Vec3>, ParseError> {
    let mut corners = Vec::new();
    for mut line in Lines::new(bytes) {
        if line.next().is_some_and(|word| word.text.eq_ignore_ascii_case(b"vertex")) {
            let mut coordinate = || line.expect("a coordinate of a vertex")?.number();
            corners.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        }
    }
    if corners.len() % 3 != 0 {
        return Err(ParseError::malformed(
            FileLocation::File,
            "the number of vertices is not a multiple of three",
        ));
    }
    Ok(corners)
}

fn read_binary(bytes: &[u8], count: usize) -> Result<Vec<Vec3>, ParseError> {
    let triangles = bytes.get(HEADER + 4..).unwrap_or(&[]).chunks_exact(TRIANGLE);
    if triangles.len() < count {
        let message =
            format!("there should be {count} triangles, but the file ends after {}", triangles.len());
        return Err(ParseError::malformed(FileLocation::Byte(HEADER as u64), message));
    }
    let mut corners = Vec::with_capacity(count * 3);
    for (i, triangle) in triangles.take(count).enumerate() {
        // The vertices follow the normal
        for corner in triangle[12..48].chunks_exact(12) {
            let number = |at: usize| corner[at..].first_chunk().map_or(0.0, |b| f32::from_le_bytes(*b));
            let corner = Vec3::new(number(0), number(4), number(8));
            if !corner.is_finite() {
                let location = FileLocation::Byte((HEADER + 4 + i * TRIANGLE) as u64);
                return Err(ParseError::malformed(
                    location,
                    format!("triangle {i} has a vertex that is not finite"),
                ));
            }
            corners.push(corner);
        }
    }
    Ok(corners)
}

/// Merges corners at equal positions into one vertex.
fn merged(corners: &[Vec3]) -> RawMesh {
    let mut mesh = RawMesh::default();
    let mut known = BTreeMap::new();
    let indices = corners.iter().map(|corner| {
        // −0 becomes 0
        let key = corner.to_array().map(|c| (c + 0.0).to_bits());
        *known.entry(key).or_insert_with(|| {
            mesh.positions.push(*corner);
            u32::try_from(mesh.positions.len() - 1).unwrap_or(u32::MAX)
        })
    });
    let indices: Vec<u32> = indices.collect();
    mesh.triangles = indices.as_chunks().0.to_vec();
    mesh
}

#[cfg(test)]
mod tests {
    use crate::{NoFiles, load_bytes};

    fn binary(header: &[u8], triangles: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(u32::try_from(triangles.len()).unwrap().to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flat_map(|v| v.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn text_and_binary_are_the_same() {
        let text =
            b"solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n VERTEX 0 1e0 0\n\
            endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 -0\nvertex 0 1 0\n\
            endloop\nendfacet\nendsolid two\n";
        let triangles = [[0., 0., 0., 1., 0., 0., 0., 1., 0.], [1., 0., 0., 1., 1., -0., 0., 1., 0.]];
        let text = load_bytes("a.stl".as_ref(), text, &NoFiles).unwrap().scene;
        let binary =
            load_bytes("a.stl".as_ref(), &binary(b"solid binary", &triangles), &NoFiles).unwrap().scene;
        let mesh = |scene: &sunfleck_scene::Scene| scene.meshes().next().unwrap().1.clone();
        assert_eq!(mesh(&text), mesh(&binary));
        assert_eq!(mesh(&text).positions().len(), 4, "the two triangles share an edge");
    }

    #[test]
    fn a_huge_count_is_refused() {
        let mut bytes = binary(b"", &[[0.; 9]]);
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = load_bytes("a.stl".as_ref(), &bytes, &NoFiles).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.stl at byte 80: there should be 4294967295 triangles, but the file ends after 1"
        );
    }
}
