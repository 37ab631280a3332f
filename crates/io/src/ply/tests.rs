use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec2, vec3, vec4};
use sunfleck_scene::{Alpha, Mesh, Surface, Texels};

use crate::{MemoryFiles, NoFiles, load_bytes};

fn load(bytes: &[u8]) -> Mesh {
    let loaded = load_bytes("t.ply".as_ref(), bytes, &NoFiles).unwrap();
    Mesh::clone(loaded.scene.meshes().next().unwrap().1)
}

fn error(bytes: &[u8]) -> String {
    load_bytes("t.ply".as_ref(), bytes, &NoFiles).unwrap_err().to_string()
}

/// Returns a file of a square with many elements and properties that a reader must skip.
#[allow(clippy::cast_possible_truncation, reason = "the values are chosen to fit")]
fn square(encoding: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {encoding} 1.0\ncomment x y z\nelement junk 2\nproperty list uchar short s\nproperty double d\n\
         element vertex 4\nproperty double x\nproperty uchar quality\nproperty float y\nproperty short z\n\
         property list uint uchar tags\nproperty float nx\nproperty float ny\nproperty float nz\n\
         property float s\nproperty float t\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face 2\nproperty float area\nproperty list uchar uint vertex_indices\nproperty list uchar float texcoord\n\
         element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    )
    .into_bytes();
    let mut put = |kind: char, value: f64| match (encoding, kind) {
        ("ascii", _) => bytes.extend(format!("{value} ").bytes()),
        ("binary_little_endian", 'b') => bytes.push(value as u8),
        ("binary_little_endian", 's') => bytes.extend((value as i16).to_le_bytes()),
        ("binary_little_endian", 'i') => bytes.extend((value as i32).to_le_bytes()),
        ("binary_little_endian", 'f') => bytes.extend((value as f32).to_le_bytes()),
        ("binary_little_endian", _) => bytes.extend(value.to_le_bytes()),
        (_, 'b') => bytes.push(value as u8),
        (_, 's') => bytes.extend((value as i16).to_be_bytes()),
        (_, 'i') => bytes.extend((value as i32).to_be_bytes()),
        (_, 'f') => bytes.extend((value as f32).to_be_bytes()),
        _ => bytes.extend(value.to_be_bytes()),
    };
    let mut all =
        |kinds: &str, values: &[f64]| kinds.chars().zip(values).for_each(|(kind, &value)| put(kind, value));
    all("bssdbd", &[2., 7., -7., 1.5, 0., 2.5]);
    for [x, y] in [[0., 0.], [1., 0.], [1., 1.], [0., 1.]] {
        all("dbfsibb", &[x, 9., y, -3., 2., 5., 6.]);
        all("fffffbbb", &[0., 0., 1., x, y, 255., 0., 128.]);
    }
    all("fbiiib", &[0.5, 3., 0., 1., 2., 0.]);
    all("fbiiibff", &[0.5, 3., 0., 2., 3., 2., 0.1, 0.2]);
    all("iiiiiiiii", &[8., 0., 1., 3., 2., -1., 0., 1., 2.]);
    bytes
}

#[test]
fn every_encoding_and_property() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let mesh = load(&square(encoding));
        let corners: Vec<_> = (0..5).map(|t| mesh.corners(t)).collect();
        let [a, b, c, d] = [vec3(0., 0., -3.), vec3(1., 0., -3.), vec3(1., 1., -3.), vec3(0., 1., -3.)];
        assert_eq!(corners, [[a, b, c], [a, c, d], [a, b, d], [b, c, d], [a, b, c]], "{encoding}");
        assert_eq!(mesh.data().normals, [Vec3::Z; 4]);
        assert_eq!(mesh.data().uv0[1..3], [vec2(1., 1.), vec2(1., 0.)], "v is flipped");
        let color = mesh.data().colors[0];
        assert!((color.truncate() - vec3(1.0, 0.0, 0.215_861)).length() < 1e-5 && color.w == 1.0);
    }
}

#[test]
fn carriage_returns_do_not_shift_the_data() {
    let mut bytes = b"ply\r\nformat binary_little_endian 1.0\r\nelement vertex 1\r\nproperty float x\r\n\
        property float y\r\nproperty float z\r\nend_header\r\n"
        .to_vec();
    bytes.extend([1.0f32, 2.0, 3.0].iter().flat_map(|v| v.to_le_bytes()));
    let loaded = load_bytes("t.ply".as_ref(), &bytes, &NoFiles).unwrap();
    assert_eq!(loaded.scene.instanced_triangle_count(), 0);
}

#[test]
fn missing_normals_are_computed_with_creases() {
    let header = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
        element face 6\nproperty list uchar int vertex_index\nend_header\n";
    let vertices: String = (0..8).map(|i| format!("{} {} {}\n", i & 1, i >> 1 & 1, i >> 2 & 1)).collect();
    let faces = "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";
    let mesh = load(format!("{header}{vertices}{faces}").as_bytes());
    assert_eq!((mesh.positions().len(), mesh.triangles().len()), (24, 12));
    for t in 0..12 {
        let [a, b, c] = mesh.corners(t);
        let flat = (b - a).cross(c - a);
        assert!(mesh.triangles()[t as usize].iter().all(|&v| mesh.data().normals[v as usize] == flat));
        assert!(flat.dot((a + b + c) / 3.0 - Vec3::splat(0.5)) > 0.0, "outwards");
    }
}

#[test]
fn errors_have_locations() {
    let head =
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
    let faces = "element face 1\nproperty list uchar int vertex_indices\n";
    assert_eq!(
        error(format!("{head}{faces}end_header\n0 0 0\n0 nan 0\n3 0 1 0\n").as_bytes()),
        "t.ply:11:1: vertex 1 has a coordinate that is not a finite number"
    );
    assert_eq!(
        error(format!("{head}{faces}end_header\n0 0 0\n1 1 1\n3 0 1 2\n").as_bytes()),
        "t.ply:12:1: a face uses vertex 2, which does not exist; there are 2"
    );
    assert_eq!(
        error(format!("{head}{faces}end_header\n0 0 0\n1 1 1\n900 0 1 2\n").as_bytes()),
        "t.ply:12:1: a list of 900 items does not fit into the rest of the file"
    );
    assert_eq!(
        error(format!("{head}end_header\n0 0 0\n1 1 \n").as_bytes()),
        "t.ply:9:5: the file ends before its last element"
    );
    assert_eq!(
        error(b"ply\nformat binary_big_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n0000"),
        "t.ply:3:1: 4000000000 elements of vertex do not fit into the rest of the file"
    );
    assert_eq!(
        error(b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"),
        "t.ply:3:1: vertices need the properties x, y and z"
    );
    assert_eq!(
        error(b"ply\nformat ascii 1.0\nproperty float x\n"),
        "t.ply:3:1: a property must follow an element"
    );
    assert_eq!(error(b"ply\nformat ascii 1.0\n"), "t.ply at byte 21: the file ends within its header");
}

/// Returns the messages of the report.
fn entries(bytes: &[u8]) -> Vec<String> {
    let loaded = load_bytes("t.ply".as_ref(), bytes, &NoFiles).unwrap();
    loaded.report.entries.iter().map(|entry| entry.message.clone()).collect()
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACES: &str = "property list uchar int vertex_indices\n";

#[test]
fn unused_elements_and_properties_are_noted_once() {
    let found = entries(&square("ascii"));
    assert_eq!(found[0], "elements that are not used: 2 × \"junk\"");
    assert_eq!(found[1], "properties of \"vertex\" that are not used: \"quality\", \"tags\"");
    assert_eq!(found[2], "properties of \"face\" that are not used: \"area\"");
    let edges = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{XYZ}property float confidence\nelement face 1\n{FACES}\
         element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n\
         0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n0 1\n"
    );
    let found = entries(edges.as_bytes());
    assert_eq!(found[0], "properties of \"vertex\" that are not used: \"confidence\"");
    assert_eq!(found[1], "elements that are not used: 1 × \"edge\"");
}

#[test]
fn faults_are_counted_and_the_rest_is_read() {
    let ply = format!(
        "ply\nformat ascii 1.0\nmade by hand\nelement vertex 5\n{XYZ}property float nx\nproperty float ny\n\
         property float nz\nelement face 6\n{FACES}end_header\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 nan 0 1\n\
         0 1 0 0 0 0\n? 0 0 0 0 1\n3 0 1 2\n3 0 2 3\n2 0 1\n3 0 1 -7\n3 0 1 4\n3 0 1 0.5\n"
    );
    let mesh = load(ply.as_bytes());
    assert_eq!(mesh.triangles().len(), 2);
    assert!(mesh.data().normals.iter().all(|n| *n == Vec3::Z), "invalid normals are computed");
    let expected = [
        "vertices without valid coordinates, whose faces are skipped: 1; the first: vertex 4 has a coordinate that \
         is not a finite number",
        "invalid normals, which are computed instead: 2; the first: vertex 2 has a normal without a direction",
        "faces skipped: 4; the first: a face needs at least three corners",
        "statements ignored: 1; the first: \"made\" is not a keyword of a PLY header",
    ];
    assert_eq!(entries(ply.as_bytes()), expected);
}

#[test]
fn the_first_faulty_face_is_located() {
    let vertices = "0 0 0\n1 0 0\n0 1 0\nnan 0 0\n";
    let header = format!("ply\nformat ascii 1.0\nelement vertex 4\n{XYZ}element face 3\n{FACES}end_header\n");
    let ply = format!("{header}{vertices}3 0 1 2\n3 0 1 3\n3 3 1 2\n");
    let loaded = load_bytes("t.ply".as_ref(), ply.as_bytes(), &NoFiles).unwrap();
    let entry =
        loaded.report.entries.iter().find(|entry| entry.message.starts_with("faces skipped")).unwrap();
    let line = header.lines().count() + 4 + 2;
    let expected = format!(
        "warning: t.ply:{line}:1: faces skipped: 2; the first: a face uses a vertex without valid coordinates"
    );
    assert_eq!(entry.to_string(), expected);
}

#[test]
fn normals_that_cannot_be_normalised_are_computed() {
    let normals = ["1e-30 0 0", "0 1e30 0", "0 0 0"].map(|normal| format!(" {normal}\n"));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{XYZ}property float nx\nproperty float ny\nproperty float nz\n\
         element face 1\n{FACES}end_header\n0 0 0{}1 0 0{}0 1 0{}3 0 1 2\n",
        normals[0], normals[1], normals[2]
    );
    let off = format!("NOFF\n3 1 0\n0 0 0{}1 0 0{}0 1 0{}3 0 1 2\n", normals[0], normals[1], normals[2]);
    let obj = format!(
        "vn{}vn{}vn{}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//2 3//3\n",
        normals[0], normals[1], normals[2]
    );
    for (name, file) in [("t.ply", ply), ("t.off", off), ("t.obj", obj)] {
        let loaded = load_bytes(name.as_ref(), file.as_bytes(), &NoFiles).unwrap();
        let (_, mesh) = loaded.scene.meshes().next().unwrap();
        assert_eq!(mesh.data().normals, [Vec3::Z; 3], "{name}");
        let warnings: Vec<_> = loaded.report.warnings().map(|warning| &*warning.message).collect();
        assert!(warnings[0].starts_with("invalid normals, which are computed instead: 3"), "{warnings:?}");
    }
}

#[test]
fn transparent_colours_blend_and_faces_have_colours() {
    let ply = |properties: &str, vertex: &str, face: &str| {
        let header =
            format!("ply\nformat ascii 1.0\nelement vertex 3\n{XYZ}{properties}element face 1\n{FACES}");
        format!("{header}{face}end_header\n0 0 0 {vertex}\n1 0 0 {vertex}\n0 1 0 {vertex}\n3 0 1 2")
    };
    let colors = ["red", "green", "blue", "alpha"].map(|name| format!("property uchar {name}\n")).concat();
    let of_vertices = ply(&colors, "255 0 0 51", "");
    let of_faces = format!("{} 255 0 0 51\n", ply("", "", &colors));
    let floats = ply(&colors.replace("uchar", "float"), "255.0 0.0 0.0 51.0", "");
    for text in [of_vertices, of_faces, floats] {
        let loaded = load_bytes("t.ply".as_ref(), text.as_bytes(), &NoFiles).unwrap();
        let (_, mesh) = loaded.scene.meshes().next().unwrap();
        assert!(mesh.data().colors.iter().all(|c| c.distance(vec4(1.0, 0.0, 0.0, 0.2)) < 1e-6), "{text}");
        let (_, material) = loaded.scene.materials().next().unwrap();
        assert_eq!(material.alpha, Alpha::Blend);
    }
}

#[test]
fn several_textures_and_faces_without_one() {
    let ply = format!(
        "ply\nformat ascii 1.0\ncomment TextureFile C:\\art\\one.ppm\ncomment TextureFile two.ppm\n\
         element vertex 4\n{XYZ}element face 3\n{FACES}property list uchar float texcoord\n\
         property int texnumber\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n\
         4 0 1 2 3 8 0 0 1 0 1 1 0 1 1\n3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 0 -1\n"
    );
    let image = |red: u8| [b"P6 1 1 255\n".as_slice(), &[red, 0, 0]].concat();
    let files = BTreeMap::from([("one.ppm".to_string(), image(1)), ("two.ppm".to_string(), image(2))]);
    let loaded = load_bytes("t.ply".as_ref(), ply.as_bytes(), &MemoryFiles(files)).unwrap();
    assert_eq!(loaded.report.warnings().count(), 0, "{:?}", loaded.report);
    let (_, mesh) = loaded.scene.meshes().next().unwrap();
    let reds: Vec<Option<u8>> = (0..4)
        .map(|t| {
            let node = loaded.scene.nodes().next().unwrap().1.instance.as_ref().unwrap();
            let material = loaded.scene.material(node.materials[usize::from(mesh.slot(t))]).unwrap();
            let Surface::Lambert { albedo } = &material.surface else { panic!() };
            let texture = albedo.texture.map(|texture| loaded.scene.texture(texture.texture).unwrap());
            texture.map(|texture| match texture.texels() {
                Texels::Srgb8(texels) => texels[0][0],
                other => panic!("{other:?}"),
            })
        })
        .collect();
    assert_eq!(reds, [Some(2), Some(2), Some(1), None]);
    let uvs = mesh.triangles()[0].map(|v| mesh.data().uv0[v as usize]);
    assert_eq!(uvs, [vec2(0., 1.), vec2(1., 1.), vec2(1., 0.)], "v points up in the file");

    let missing = load_bytes("t.ply".as_ref(), ply.as_bytes(), &NoFiles).unwrap();
    assert_eq!(missing.report.warnings().count(), 2, "both images are missing");
}

#[test]
fn any_line_end_and_map_coordinates() {
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{}element face 1\n{FACES}end_header\n\
         691607.25 120.5 5335942.125\n691608.25 120.5 5335942.125\n691607.25 121.5 5335942.125\n3 0 1 2\n",
        XYZ.replace("float", "double")
    );
    for text in [ply.replace('\n', "\r"), ply.replace('\n', "\r\n"), format!("\u{FEFF}{ply}"), ply] {
        let mesh = load(text.as_bytes());
        assert_eq!(mesh.corners(0).map(|p| p - mesh.corners(0)[0]), [Vec3::ZERO, Vec3::X, Vec3::Y]);
        assert_eq!(mesh.corners(0)[0], vec3(0.25, -0.5, 0.125), "relative to whole units");
    }
}
