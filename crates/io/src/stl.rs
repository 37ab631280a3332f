//! STL files, text and binary [STL], with the colours of Magics and `VisCAM`.

use std::collections::BTreeMap;

use sunfleck_math::{DVec3, Vec4, vec4};
use sunfleck_scene::Scene;

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::{DEFAULT_ALBEDO, RawMesh};
use crate::report::Reporter;
use crate::text::{Lines, decoded};

const HEADER: usize = 80;
const TRIANGLE: usize = 50;

/// Reads an STL file. Face normals are ignored, since they follow from the winding of the triangles; vertices at equal
/// positions are merged.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let mut facets = Facets::default();
    let text = decoded(bytes);
    if is_text(&text) {
        read_text(&text, &mut facets, report);
    } else {
        read_binary(bytes, &mut facets, report)?;
    }
    facets.mesh.add_to(Scene::default(), name, facets.faults, report)
}

/// Number of triangles that the header of a binary file states.
fn stated_count(bytes: &[u8]) -> Option<usize> {
    bytes.get(HEADER..HEADER + 4).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b) as usize)
}

/// Returns whether a file is text. Binary files may begin with "solid", too; these are identified by their length, or
/// by zeros, which the numbers of binary files contain.
fn is_text(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 1024;
    let text = crate::text::without_mark(bytes).trim_ascii_start();
    let begins_solid = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let length = stated_count(bytes).and_then(|count| count.checked_mul(TRIANGLE)?.checked_add(HEADER + 4));
    begins_solid && length != Some(bytes.len()) && !text.iter().take(SAMPLE).any(|&b| b == 0)
}

/// Triangles of the file, with vertices at equal positions merged.
#[derive(Debug, Default)]
struct Facets {
    mesh: RawMesh,
    vertices: BTreeMap<[u64; 3], u32>,
    faults: Faults,
}

impl Facets {
    fn add(&mut self, corners: [DVec3; 3]) {
        let triangle = corners.map(|corner| {
            // −0 becomes 0
            let key = corner.to_array().map(|c| (c + 0.0).to_bits());
            *self.vertices.entry(key).or_insert_with(|| {
                self.mesh.positions.push(corner);
                u32::try_from(self.mesh.positions.len() - 1).unwrap_or(u32::MAX)
            })
        });
        self.mesh.triangles.push(triangle);
    }

    /// Sets the colour of the last triangle.
    fn color(&mut self, color: Vec4) {
        let count = self.mesh.triangles.len();
        self.mesh.face_colors.resize(count - 1, DEFAULT_ALBEDO.extend(1.0));
        self.mesh.face_colors.push(color);
    }
}

fn read_text(bytes: &[u8], facets: &mut Facets, report: &mut Reporter) {
    let mut solids = 0;
    // Corners of a facet up to its end, and whether all of them are valid
    let (mut corners, mut is_valid) = (Vec::new(), true);
    let mut end_of_loop = FileLocation::File;
    for mut line in Lines::new(bytes) {
        let Some(keyword) = line.next() else { continue };
        match keyword.text.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                let mut coordinate = || line.expect("a coordinate of a vertex")?.coordinate();
                let mut read = || Ok(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
                match read() {
                    Ok(corner) => corners.push(corner),
                    Err(error) => {
                        if std::mem::take(&mut is_valid) {
                            facets.faults.add(Fault::Face, 1, || error);
                        }
                    }
                }
            }
            b"facet" | b"outer" | b"endloop" | b"endfacet" | b"endsolid" => {
                let count = corners.len();
                match corners[..] {
                    [a, b, c] if is_valid => facets.add([a, b, c]),
                    [_, ..] if is_valid => {
                        let message = format!("a facet has {count} vertices instead of three");
                        let error = || ParseError::malformed(keyword.location(), message);
                        facets.faults.add(Fault::Face, 1, error);
                    }
                    _ => {}
                }
                corners.clear();
                is_valid = true;
            }
            b"solid" => solids += 1,
            _ => facets.faults.add(Fault::Statement, 1, || keyword.bad("a keyword of STL")),
        }
        end_of_loop = line.location();
    }
    match corners[..] {
        [a, b, c] if is_valid => facets.add([a, b, c]),
        [_, ..] if is_valid => {
            let message = "the file ends within a facet";
            facets.faults.add(Fault::Face, 1, || ParseError::malformed(end_of_loop, message));
        }
        _ => {}
    }
    if solids > 1 {
        report.note(FileLocation::File, format!("the {solids} solids of the file are one mesh"));
    }
}

fn read_binary(bytes: &[u8], facets: &mut Facets, report: &mut Reporter) -> Result<(), ParseError> {
    let Some(stated) = stated_count(bytes) else {
        let location = FileLocation::Byte(bytes.len() as u64);
        return Err(ParseError::malformed(location, "the file ends within its header"));
    };
    let (header, data) = (&bytes[..HEADER], &bytes[HEADER + 4..]);
    let available = data.len() / TRIANGLE;
    let count_location = || FileLocation::Byte(HEADER as u64);
    if available < stated {
        let message = format!("there should be {stated} triangles, but the file ends after {available}");
        return Err(ParseError::malformed(count_location(), message));
    }
    // Programs that write the triangles as they compute them leave the number 0.
    let count = if stated == 0 { available } else { stated };
    if stated != count {
        report.warn(
            count_location(),
            format!("the number of triangles is 0: all {count} in the file are read"),
        );
    }
    let rest = data.len() - count * TRIANGLE;
    if rest > 0 {
        let location = FileLocation::Byte((bytes.len() - rest) as u64);
        report.note(location, format!("bytes after the last triangle that are not used: {rest}"));
    }
    let mut colors = Colors::of(header, report);
    let attribute = |triangle: &[u8]| u16::from_le_bytes([triangle[48], triangle[49]]);
    colors.has_attributes = data.chunks_exact(TRIANGLE).take(count).any(|triangle| attribute(triangle) != 0);
    let mut unused = 0;
    for (i, triangle) in data.chunks_exact(TRIANGLE).take(count).enumerate() {
        // The vertices follow the normal
        let number = |at: usize| triangle[at..].first_chunk().map_or(0.0, |b| f32::from_le_bytes(*b));
        let corner = |at: usize| DVec3::new(number(at).into(), number(at + 4).into(), number(at + 8).into());
        let corners = [12, 24, 36].map(corner);
        if !corners.iter().all(|corner| corner.is_finite()) {
            let location = FileLocation::Byte((HEADER + 4 + i * TRIANGLE) as u64);
            let message = format!("triangle {i} has a vertex that is not finite");
            facets.faults.add(Fault::Face, 1, || ParseError::malformed(location, message));
            continue;
        }
        facets.add(corners);
        let attribute = attribute(triangle);
        match colors.of_attribute(attribute) {
            Some(color) => facets.color(color),
            None => unused += usize::from(attribute != 0),
        }
    }
    if !facets.mesh.face_colors.is_empty() {
        facets.mesh.face_colors.resize(facets.mesh.triangles.len(), DEFAULT_ALBEDO.extend(1.0));
    }
    if unused > 0 {
        report.note(FileLocation::File, format!("attributes of triangles that are not used: {unused}"));
    }
    Ok(())
}

/// Interpretation of the attributes of triangles as colours of 15 bits. There are two dialects: Magics states a colour
/// of the whole file in the header, and bit 15 selects it; in `VisCAM`, bit 15 says that there is a colour.
#[derive(Clone, Copy, Debug)]
struct Colors {
    /// Linear colour of the file, in the dialect of Magics.
    of_file: Option<Vec4>,
    /// Whether any attribute is not 0; otherwise all triangles have the colour of the file.
    has_attributes: bool,
}

impl Colors {
    fn of(header: &[u8], report: &mut Reporter) -> Self {
        let value = |key: &[u8]| {
            let at = header.windows(key.len()).position(|bytes| bytes == key)?;
            header.get(at + key.len()..)?.first_chunk::<4>()
        };
        if value(b"MATERIAL=").is_some_and(|diffuse| *diffuse != [0; 4]) {
            let message = "the material of the header is not used, only its colours";
            report.note(FileLocation::File, message);
        }
        let color = |&[r, g, b, a]: &[u8; 4]| linear(vec4(r.into(), g.into(), b.into(), a.into()) / 255.0);
        Self { of_file: value(b"COLOR=").map(color), has_attributes: false }
    }

    fn of_attribute(self, attribute: u16) -> Option<Vec4> {
        let component = |shift: u32| f32::from(attribute >> shift & 31) / 31.0;
        let [low, middle, high] = [0, 5, 10].map(component);
        match (self.of_file, attribute & 0x8000 != 0 || !self.has_attributes) {
            (Some(color), true) => Some(color),
            (Some(color), false) => Some(linear(vec4(low, middle, high, color.w))),
            (None, true) if attribute != 0 => Some(linear(vec4(high, middle, low, 1.0))),
            (None, _) => None,
        }
    }
}

fn linear(srgb: Vec4) -> Vec4 {
    sunfleck_image::srgb::linear_from_srgb_rgb(srgb.truncate()).extend(srgb.w)
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

    fn load(bytes: &[u8]) -> (sunfleck_scene::Mesh, Vec<String>) {
        let loaded = load_bytes("a.stl".as_ref(), bytes, &NoFiles).unwrap();
        let entries = loaded.report.entries.iter().map(|entry| entry.message.clone()).collect();
        (sunfleck_scene::Mesh::clone(loaded.scene.meshes().next().unwrap().1), entries)
    }

    const TRIANGLES: [[f32; 9]; 2] =
        [[0., 0., 0., 1., 0., 0., 0., 1., 0.], [0., 0., 0., 0., 1., 0., 0., 0., 1.]];

    #[test]
    fn binary_files_that_begin_with_solid_or_have_no_count() {
        let mut trailing = binary(b"solid x", &TRIANGLES);
        trailing.extend([1, 2, 3]);
        let (mesh, entries) = load(&trailing);
        assert_eq!(mesh.triangles().len(), 2);
        assert_eq!(entries[0], "bytes after the last triangle that are not used: 3");
        let mut streamed = binary(b"SOLID x", &TRIANGLES);
        streamed[80..84].fill(0);
        let (mesh, entries) = load(&streamed);
        assert_eq!(mesh.triangles().len(), 2);
        assert_eq!(entries[0], "the number of triangles is 0: all 2 in the file are read");
    }

    #[test]
    fn invalid_facets_are_skipped() {
        let good =
            "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
        let nan = good.replace("1 0 0", "nan inf 0");
        let short = good.replace("vertex 1 0 0\n", "");
        let long = good.replace("vertex 1 0 0\n", "vertex 1 0 0\ncolour 7\n");
        let four = good.replace("endloop", "vertex 1 1 0\nendloop");
        let text =
            format!("Solid one\r{nan}{short}{good}{four}{long}endsolid\rSolid two\r").replace('\n', "\r");
        let (mesh, entries) = load(text.as_bytes());
        assert_eq!(mesh.triangles(), [[0, 1, 2]; 2]);
        let expected = [
            "the 2 solids of the file are one mesh",
            "faces skipped: 3; the first: \"nan\" is not a finite number",
            "statements ignored: 1; the first: \"colour\" is not a keyword of STL",
        ];
        assert_eq!(entries[..3], expected);
        let (_, entries) = load(format!("solid\n{good}{four}").as_bytes());
        assert_eq!(entries[0], "faces skipped: 1; the first: a facet has 4 vertices instead of three");

        let mut triangles = TRIANGLES.to_vec();
        triangles.push([f32::NAN; 9]);
        let (mesh, entries) = load(&binary(b"", &triangles));
        assert_eq!(mesh.triangles().len(), 2);
        assert_eq!(entries[0], "faces skipped: 1; the first: triangle 2 has a vertex that is not finite");
    }

    #[test]
    fn colours_of_both_dialects() {
        let colored = |header: &[u8], attributes: [u16; 2]| {
            let mut bytes = binary(header, &TRIANGLES);
            for (i, attribute) in attributes.iter().enumerate() {
                bytes[84 + i * 50 + 48..][..2].copy_from_slice(&attribute.to_le_bytes());
            }
            let (mesh, _) = load(&bytes);
            let color =
                |t: usize| mesh.data().colors.get(mesh.triangles()[t][0] as usize).map(|c| c.to_array());
            [color(0), color(1)]
        };
        let (red, blue, grey) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.6, 0.6, 0.6, 1.0]);
        let magics = b"COLOR=\x00\x00\xff\xff";
        assert_eq!(colored(b"VisCAM", [0xFC00, 0]), [Some(red), Some(grey)]);
        assert_eq!(colored(magics, [31, 0x8000]), [Some(red), Some(blue)]);
        assert_eq!(colored(magics, [0, 0]), [Some(blue); 2], "without attributes, the colour of the file");
        assert_eq!(colored(b"", [7, 0]), [None; 2], "another attribute");
    }
}
