//! Kinds of bad input, each within bounds of time and memory: files that are no files, files outside of the folder,
//! harmless and doubtful values, long lines, and huge numbers in short files.

use std::path::{Path, PathBuf};

use super::bounds::load_within_bounds;

/// Files in a temporary folder, which is deleted when this is dropped.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file, and the folders that it is in.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// Writes and loads a file. Asserts that its error, or its notes and warnings, contain `expected`.
fn load(name: &str, content: impl AsRef<[u8]>, expected: &str) {
    let folder = Folder::new();
    let text = load_within_bounds(&folder.write(name, content));
    let is_expected = if expected.is_empty() { !text.starts_with("error") } else { text.contains(expected) };
    assert!(is_expected, "{name}: {text}, and not {expected:?}");
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[cfg(unix)]
#[test]
fn devices_pipes_and_links_to_them() {
    let folder = Folder::new();
    let path = |name: &str| folder.0.path().join(name);
    assert!(std::process::Command::new("mkfifo").arg(path("pipe.obj")).status().unwrap().success());
    for (link, target) in [("zero.obj", "/dev/zero"), ("zero.glb", "/dev/zero"), ("link.obj", "pipe.obj")] {
        std::os::unix::fs::symlink(target, path(link)).unwrap();
    }
    for file in [path("pipe.obj"), path("zero.obj"), path("zero.glb"), path("link.obj"), "/dev/zero".into()] {
        let text = load_within_bounds(&file);
        assert!(text.contains("not a regular file"), "{file:?}: {text}");
    }
    // The same as files that a scene refers to
    std::os::unix::fs::symlink("pipe.obj", path("pipe.mtl")).unwrap();
    std::os::unix::fs::symlink("pipe.obj", path("pipe.png")).unwrap();
    folder.write("a.mtl", "newmtl a\nmap_Kd pipe.png\n");
    let obj = folder.write("a.obj", format!("mtllib pipe.mtl\nmtllib a.mtl\n{TRIANGLE}usemtl a\nf 1 2 3\n"));
    let text = load_within_bounds(&obj);
    assert_eq!(text.matches("not a regular file").count(), 2, "{text}");
}

#[test]
fn files_that_are_included_again_and_again() {
    let folder = Folder::new();
    for i in 0..30 {
        let next = format!("i 0 {}.aff\n", i + 1);
        folder.write(&format!("{i}.aff"), format!("p 3 0 0 0 1 0 0 0 1 0\n{next}{next}"));
    }
    let text = load_within_bounds(&folder.0.path().join("0.aff"));
    assert!(text.contains("the files that it includes have more than"), "{text}");
    let text = load_within_bounds(&folder.write("self.aff", "i 0 self.aff\n"));
    assert!(text.contains("includes itself"), "{text}");
    folder.write("loop.aff", "i 0 loop2.aff\n");
    let text = load_within_bounds(&folder.write("loop2.aff", "i 0 ./loop.aff\n"));
    assert!(text.starts_with("error"), "{text}");
}

#[cfg(unix)]
#[test]
fn files_outside_of_the_folder_of_the_scene() {
    let folder = Folder::new();
    let secret = folder.write("secret.txt", [0; 12]);
    folder.write("far.bin", [0; 12]);
    folder.write("a/b/c/d/near.bin", [0; 12]);
    let scene = folder.0.path().join("a/b/c/d/e");
    std::fs::create_dir(&scene).unwrap();
    std::os::unix::fs::symlink("../near.bin", scene.join("link.bin")).unwrap();
    let absolute = secret.to_str().unwrap();
    let outside = "outside files are not allowed";
    for (uri, expected) in [
        ("../near.bin", ""),
        ("../../../../../secret.txt", outside),
        ("../../../../../far.bin", outside),
        ("../../../../../../../../../../../../etc/passwd", outside),
        (absolute, outside),
        ("/dev/zero", outside),
        ("%2e%2e/near.bin", outside),
        ("%2E%2E%2Fnear.bin", outside),
        ("link.bin", outside),
    ] {
        let gltf = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"{uri}","byteLength":12}}],"scenes":[{{}}]}}"#
        );
        let text = load_within_bounds(&folder.write("a/b/c/d/e/a.gltf", gltf));
        assert_eq!(text.contains(outside), !expected.is_empty(), "{uri}: {text}");
    }
    for name in [absolute, "../../../../../../../../../../../../etc/passwd", "/dev/zero"] {
        let obj = folder
            .write("a/b/c/d/e/a.obj", format!("mtllib {name}\nmtllib a.mtl\n{TRIANGLE}usemtl a\nf 1 2 3\n"));
        folder.write("a/b/c/d/e/a.mtl", format!("newmtl a\nmap_Kd {name}\n"));
        let text = load_within_bounds(&obj);
        assert!(text.contains(outside) && !text.starts_with("error"), "{name}: {text}");
    }
}

/// Returns a glTF file of one triangle, with further members.
fn gltf(members: &str) -> String {
    let zeros = "AAAA".repeat(12);
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "material": 0}}]}}],
        "accessors": [{{"componentType": 5126, "count": 3, "type": "VEC3", "bufferView": 0}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
        "buffers": [{{"byteLength": 36, "uri": "data:;base64,{zeros}"}}], {members}}}"#
    )
}

#[test]
fn harmless_deviations_are_read() {
    let nodes = r#""nodes": [{"mesh": 0}]"#;
    load("a.gltf", gltf(r#""nodes": [{"mesh": 0.0}], "scene": 0.0, "scenes": [{"nodes": [0.0]}]"#), "");
    load("a.gltf", gltf(nodes).replace("data:;base64,", "data:,").replace("AAAA", "%00%00%00"), "");
    load(
        "a.gltf",
        gltf(&format!(r#"{nodes}, "extensionsUsed": ["EXT_new"], "extensions": {{"EXT_new": [7]}}"#)),
        "",
    );
    let of_material =
        |extensions: &str| gltf(&format!(r#"{nodes}, "materials": [{{"extensions": {extensions}}}]"#));
    load("a.gltf", of_material(r#"{"KHR_materials_ior": {}, "KHR_materials_volume": {"new": null}}"#), "");
    let light = r#""extensions": {"KHR_lights_punctual": {"lights": [{"type": "moon"}]}},
        "nodes": [{"mesh": 0}, {"extensions": {"KHR_lights_punctual": {"light": 0}}}]"#;
    load("a.gltf", gltf(light), "the type of the light is not supported");
    let mut glb = super::glb();
    glb.extend([7; 1000]);
    load("a.glb", glb, "");
}

#[test]
fn doubtful_values_are_reported() {
    let of_material =
        |members: &str| gltf(&format!(r#""nodes": [{{"mesh": 0}}], "materials": [{{{members}}}]"#));
    let emission = r#""emissiveFactor": [1, 1, 1], "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": -2}}"#;
    load("a.gltf", of_material(emission), "the emissive strength -2 is negative");
    for (ior, used) in [("0.5", "1 is used"), ("-1", "1 is used"), ("1e30", "10 is used")] {
        let members = format!(r#""extensions": {{"KHR_materials_ior": {{"ior": {ior}}}}}"#);
        load("a.gltf", of_material(&members), used);
    }
    load("a.gltf", of_material(r#""pbrMetallicRoughness": {"metallicFactor": 7}"#), "is clamped");
}

#[test]
fn long_lines() {
    const COUNT: usize = 500_000;
    let corners = "1 2 3 ".repeat(COUNT);
    let vertices = "0 0 0\n1 0 0\n0 1 0\n";
    let ply = |lines: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uint int vertex_indices\nend_header\n{lines}"
        )
    };
    load("face.obj", format!("{TRIANGLE}f 1 2 3\nf {corners}\n"), "faces skipped: 1");
    load("vertex.obj", format!("{TRIANGLE}v {corners}\nf 1 2 3\n"), "");
    load("name.obj", format!("{TRIANGLE}o {corners}\nusemtl {corners}\nf 1 2 3\n"), "");
    load("line.obj", format!("{TRIANGLE}f 1 2 3\nl {corners}\n"), "not supported");
    load(
        "continued.obj",
        format!("{TRIANGLE}f 1 2 3\nf {}\n", "1 2 3 \\\n".repeat(COUNT)),
        "faces skipped: 1",
    );
    load("library.obj", format!("mtllib {}\n{TRIANGLE}f 1 2 3\n", "a.mtl ".repeat(20_000)), "cannot read");
    load("face.ply", ply(&format!("{vertices}{} {corners}\n", 3 * COUNT)), "a face has");
    load("count.ply", ply(&format!("{vertices}4000000000 0 1 2\n")), "error");
    load("brackets.aff", "xs 1 1 1 0 1 0 0 0 0 0 {".repeat(COUNT / 20), "more than 256 transforms");
    load("fills.aff", format!("p 3 {vertices}{}", "f 1 1 1 1 0 0 0 1\n".repeat(COUNT / 10)), "");
    load("points.obj", "v 0 0 0\n".repeat(COUNT), "");
    load("face.off", format!("OFF\n3 1 0\n{vertices}{} {corners}\n", 3 * COUNT), "a face has");
    load("all.off", format!("OFF 3 {COUNT} 0 0 0 0 1 0 0 0 1 0 {}", "3 0 1 2\n".repeat(COUNT)), "");
    load("facet.stl", format!("solid\n{}", "vertex 0 0 0\n".repeat(COUNT)), "error");
    load("words.stl", format!("solid {corners}\n{corners}"), "error");
}

#[test]
fn nested_and_long_json() {
    load("deep.gltf", "[".repeat(1_000_000), "error");
    load(
        "deep.gltf",
        gltf(&format!(r#""extras": {}{}"#, "[".repeat(100_000), "]".repeat(100_000))),
        "extras are not imported",
    );
    load("name.gltf", gltf(&format!(r#""nodes": [{{"mesh": 0, "name": "{}"}}]"#, "a".repeat(5_000_000))), "");
    let chain: Vec<String> = (1..6000).map(|child| format!(r#"{{"children": [{child}]}}"#)).collect();
    let nodes = format!(r#""scenes": [{{"nodes": [0]}}], "nodes": [{}, {{"mesh": 0}}]"#, chain.join(","));
    load("chain.gltf", gltf(&nodes), "more than 4096 ancestors");
    let shared = format!(r#""nodes": [{}]"#, r#"{"mesh": 0},"#.repeat(50_000).trim_end_matches(','));
    load("instances.gltf", gltf(&shared), "");
    // Joints of a scene that is far from zero are looked up for each node
    let joints: Vec<String> = (0..20_000).map(|joint| joint.to_string()).collect();
    let far = r#"{"mesh": 0, "translation": [1e7, 0, 0]},"#.repeat(20_000);
    let members = format!(
        r#""nodes": [{}], "skins": [{{"joints": [{}]}}]"#,
        far.trim_end_matches(','),
        joints.join(",")
    );
    load("joints.gltf", gltf(&members), "");
}

#[test]
fn nested_and_long_xml() {
    let scene = |inner: &str| format!("<scene version=\"3.0.0\">{inner}</scene>");
    let nested = |tag: &str, end: &str| scene(&format!("{}{}", tag.repeat(100_000), end.repeat(100_000)));
    load("shapes.xml", nested("<shape type='merge'>", "</shape>"), "objects are within each other");
    load("unknown.xml", nested("<x>", "</x>"), "<x> in <scene> is not known");
    load("long.xml", scene(&"<x/>".repeat(500_000)), "500000 × <x> in <scene> is not known");
    load("cut.xml", &nested("<shape>", "")[..700_000], "is not valid XML");
    // A group of 2000 shapes with 200 instances
    let group = format!("<shape type='shapegroup' id='g'>{}</shape>", "<shape type='disk'/>".repeat(2000));
    let instances = "<shape type='instance'><ref id='g'/></shape>".repeat(200);
    load("instances.xml", scene(&(group + &instances)), "shapes and instances");
}

#[test]
fn nested_and_long_pbrt() {
    load("deep.pbrt", "AttributeBegin\n".repeat(200_000), "attributes are within each other");
    load("brackets.pbrt", format!("Scale {}", "[".repeat(1_000_000)), "numbers are expected here");
    load("comments.pbrt", "#\n".repeat(1_000_000), "no visible surfaces");
    load("cut.pbrt", format!("Shape \"sphere\" \"float radius\" [{}", "1 ".repeat(500_000)), "does not end");
    load("unknown.pbrt", "Shape \"x\"\n".repeat(20_000), "20000 × the shape \"x\" is not supported");
    let object = format!("ObjectBegin \"o\" {} ObjectEnd\n", "Shape \"disk\" ".repeat(2000));
    load("instances.pbrt", object + &"ObjectInstance \"o\"\n".repeat(2000), "shapes and instances");
    let levels = "Shape \"loopsubdiv\" \"integer levels\" 2000000000 \"point3 P\" [0 0 0 1 0 0 0 1 0]";
    load("levels.pbrt", levels, "is subdivided only 8 times");
    // Files that include the same one again
    let folder = Folder::new();
    folder.write("a.pbrt", "Include \"b.pbrt\"\n".repeat(100));
    folder.write("b.pbrt", "Include \"c.pbrt\"\n".repeat(100));
    folder.write("c.pbrt", "Identity");
    let text = load_within_bounds(&folder.0.path().join("a.pbrt"));
    assert!(text.contains("includes more than 4096 files"), "{text}");
}

#[test]
fn huge_numbers_in_short_files() {
    let ply = |format: &str, elements: &str| format!("ply\nformat {format} 1.0\n{elements}end_header\n");
    let xyz = "property float x\nproperty float y\nproperty float z\n";
    for format in ["ascii", "binary_little_endian"] {
        load("a.ply", ply(format, &format!("element vertex 4000000000\n{xyz}")), "do not fit");
        load("a.ply", ply(format, "element vertex 18446744073709551615\nproperty uchar x\n"), "error");
    }
    load("mesh.aff", "m\nvertices 4000000000\n0 0 0\n", "error");
    load("polygon.aff", "p 4000000000\n0 0 0\n", "error");
    load("keys.aff", "k a { transl 4000000000\n0 0 0 }\n", "error");
    load("a.off", "OFF\n4000000000 4000000000 0\n0 0 0\n", "error");
    let mut stl = vec![0; 84];
    stl[80..].fill(0xff);
    load("a.stl", stl, "4294967295 triangles");
    let huge = gltf(r#""nodes": [{"mesh": 0}]"#).replace(r#""count": 3"#, r#""count": 4000000000"#);
    load("a.gltf", &huge, "error");
    // Without a buffer view, the values are zeros
    load("zeros.gltf", huge.replace(r#", "bufferView": 0"#, ""), "error");
    let mut glb = b"glTF\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xffJSON".to_vec();
    glb.extend(gltf("").as_bytes());
    load("a.glb", glb, "the file ends after");
}

#[test]
fn images_that_state_more_pixels_than_they_have() {
    for (name, image) in [
        ("a.ppm", &b"P6 60000 60000 255\n\0\0\0"[..]),
        ("a.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 60000 +X 60000\n\x02\x02"),
        ("a.bmp", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x60\xea\0\0\x60\xea\0\0\x01\0\x18\0\0\0\0\0"),
    ] {
        let folder = Folder::new();
        folder.write(name, image);
        folder.write("a.mtl", format!("newmtl a\nmap_Kd {name}\n"));
        let obj = folder.write("a.obj", format!("mtllib a.mtl\n{TRIANGLE}usemtl a\nf 1 2 3\n"));
        let text = load_within_bounds(&obj);
        assert!(text.contains("the texture is ignored"), "{name}: {text}");
    }
}

#[test]
fn files_that_do_not_exist() {
    for name in ["no/such.obj", "no.glb", ""] {
        assert!(load_within_bounds(Path::new(name)).starts_with("error"), "{name}");
    }
}
