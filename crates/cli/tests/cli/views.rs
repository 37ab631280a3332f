//! Several views of a scene in one run, and depth of field.

use sunfleck_image::metrics::rmse;
use sunfleck_image::read_picture;

use crate::run::{Folder, assert_picture};

/// A tetrahedron without camera and light.
const SOLID: &str = "v 0 0 0\nv 2 0 0\nv 0 0 1\nv 0 3 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const SMALL: &str =
    "--width 24 --height 16 --spp 4 --environment white --background black --exposure 0 --quiet";

#[test]
fn a_turntable_orbits_the_scene() {
    let folder = Folder::new();
    folder.write("a.obj", SOLID);
    folder.sunfleck(&format!("render a.obj {SMALL} -o still.png")).done();
    folder.sunfleck(&format!("render a.obj {SMALL} --turntable 4 -o turn.png")).done();
    let turns = ["turn-0000.png", "turn-0001.png", "turn-0002.png", "turn-0003.png"];
    assert_eq!(folder.files()[2..], turns);
    assert!(folder.read("turn-0000.png") == folder.read("still.png"), "the first frame is the view itself");
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        assert!(folder.read(turns[a]) != folder.read(turns[b]), "frames {a} and {b}");
        assert_picture(&folder.path(turns[a]), 24, 16);
    }
    folder.sunfleck(&format!("render a.obj {SMALL} --turntable 4 --frames 0..3")).refused(&[]);
    folder.sunfleck(&format!("render a.obj {SMALL} --turntable 0")).refused(&[]);
}

/// Writes `a.gltf`: a triangle and three cameras, two of one name.
fn three_cameras(folder: &Folder) {
    let floats = [-1.0f32, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0];
    folder.write("a.bin", floats.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
    folder.write(
        "a.gltf",
        r#"{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0, 1, 2, 3] }],
        "nodes": [{ "mesh": 0 }, { "camera": 0, "translation": [0, 0, 3] },
            { "camera": 0, "translation": [0.5, 0, 4] },
            { "camera": 1, "translation": [0, 0, 5] }],
        "cameras": [{ "name": "front", "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } },
            { "name": "plan/a", "type": "orthographic", "orthographic": { "xmag": 2, "ymag": 2, "znear": 0.1, "zfar": 9 } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "buffers": [{ "byteLength": 36, "uri": "a.bin" }], "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }] }"#,
    );
}

#[test]
fn all_cameras_are_rendered_in_one_run() {
    let folder = Folder::new();
    three_cameras(&folder);
    folder.sunfleck(&format!("render a.gltf {SMALL} --all-cameras -o v.png")).done();
    let files = folder.files();
    assert_eq!(files.len(), 5, "{files:?}");
    let named = |name: &str| files.iter().find(|file| file.contains(name)).unwrap().clone();
    for (index, name) in [(0, "v-front.png"), (1, "v-front-1.png"), (2, "v-plan_a.png")] {
        folder.sunfleck(&format!("render a.gltf {SMALL} --camera {index} -o one.png")).done();
        assert!(folder.read("one.png") == folder.read(&named(name)), "camera {index}");
    }
    folder.sunfleck(&format!("render a.gltf {SMALL} --all-cameras --camera 0")).refused(&[]);
}

#[test]
fn an_aperture_blurs_what_is_not_in_focus() {
    let folder = Folder::new();
    three_cameras(&folder);
    let fine = SMALL.replace("--spp 4", "--spp 64");
    let image = |name: &str, words: &str| {
        folder.sunfleck(&format!("render a.gltf {fine} --denoise off {words} -o {name}.exr")).done();
        read_picture(&folder.path(&format!("{name}.exr"))).unwrap()
    };
    let sharp = image("sharp", "");
    let error = |words: &str| rmse(&image("a", words), &sharp).unwrap();
    let in_focus = error("--aperture 0.05 --focus auto");
    assert_eq!(error("--aperture 0.05"), in_focus, "the default");
    assert!((error("--aperture 0.05 --focus 3") - in_focus).abs() < 1e-3, "the triangle is 3 m away");
    let near = error("--aperture 0.05 --focus 0.5");
    assert!(near > 3.0 * in_focus && near > 0.05, "{near} before the triangle, {in_focus} on it");
    assert!(error("--aperture 1e6 --focus 0.5") < 0.02 * near, "a tiny aperture is a pinhole");
}

#[test]
fn lenses_that_cannot_be_are_refused() {
    let folder = Folder::new();
    three_cameras(&folder);
    let refuse = |words: &str, expected: &[&str]| {
        folder.sunfleck(&format!("render a.gltf {SMALL} {words}")).refused(expected);
    };
    refuse("--camera 2 --aperture 2", &["orthographic"]);
    refuse("--focus 2", &["--aperture"]);
    refuse("--aperture 2 --look-at 9,9,-9 --allow-empty", &["centre", "--focus"]);
    refuse("--aperture 0", &["greater than 0"]);
    refuse("--aperture 2 --focus far", &["auto"]);
}

#[test]
fn one_side_of_the_image_gives_the_other() {
    let folder = Folder::new();
    for (words, size) in [("--width 32", [32, 18]), ("--height 36", [64, 36]), ("--width 1", [1, 1])] {
        let report = folder.json(&format!("render cornell {words} --spp 1 --denoise off -o a.png"));
        let found = ["width", "height"].map(|name| report["picture"][name].as_u64().unwrap());
        assert_eq!(found, size, "{words}");
    }
}
