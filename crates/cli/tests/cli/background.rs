//! `--transparent`, `--background` and `--environment-strength`.

use sunfleck_image::{Decoded, decode};

use crate::run::Folder;

/// A camera at z = 3 that sees a square from -1 to 1, of which the left half is there, with a given material.
fn half(folder: &Folder, material: &str) {
    let floats = [-1.0f32, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    let mut bytes: Vec<u8> = floats.iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|v| v.to_le_bytes()));
    folder.write("a.bin", bytes);
    let gltf = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "scenes": [{{ "nodes": [0, 1] }}],
        "nodes": [{{ "mesh": 0 }}, {{ "camera": 0, "translation": [0, 0, 3] }}],
        "cameras": [{{ "type": "orthographic", "orthographic": {{ "xmag": 1, "ymag": 1, "znear": 0.1, "zfar": 9 }} }}],
        "materials": [{material}],
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }}, "indices": 1, "material": 0 }}] }}],
        "buffers": [{{ "byteLength": 60, "uri": "a.bin" }}],
        "bufferViews": [{{ "buffer": 0, "byteLength": 48 }}, {{ "buffer": 0, "byteOffset": 48, "byteLength": 12 }}],
        "accessors": [{{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" }},
            {{ "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }}] }}"#
    );
    folder.write("a.gltf", gltf);
}

const WHITE: &str = r#"{ "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 1 } }"#;
const MIRROR: &str = r#"{ "pbrMetallicRoughness": { "metallicFactor": 1, "roughnessFactor": 0 } }"#;
const CUT_OUT: &str =
    r#"{ "alphaMode": "MASK", "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 0.1] } }"#;
const SMALL: &str = "render a.gltf --width 16 --height 16 --spp 16 --environment white --exposure 0 --denoise off \
                     --filter box --quiet";

/// Returns a pixel of a PNG file.
fn png(folder: &Folder, name: &str, x: usize, y: usize) -> [u8; 4] {
    match decode(&folder.read(name), "png").unwrap() {
        Decoded::Rgba8 { texels, width, .. } => texels[y * width as usize + x],
        other => panic!("{name} is not of 8 bits: {:?}", other.size()),
    }
}

/// Returns a pixel of an EXR file.
fn exr(folder: &Folder, name: &str, x: usize, y: usize) -> [f32; 4] {
    match decode(&folder.read(name), "exr").unwrap() {
        Decoded::Rgba32F { texels, width, .. } => texels[y * width as usize + x],
        other => panic!("{name} is not of floats: {:?}", other.size()),
    }
}

#[test]
fn the_background_is_transparent_and_the_environment_lights() {
    for integrator in ["path", "whitted", "ao"] {
        let folder = Folder::new();
        half(&folder, WHITE);
        folder.sunfleck(&format!("{SMALL} --integrator {integrator} --transparent -o a.png -o a.exr")).done();
        assert_eq!(png(&folder, "a.png", 12, 8)[3], 0, "{integrator}: nothing is there");
        assert_eq!(exr(&folder, "a.exr", 12, 8), [0.0; 4], "{integrator}");
        let [r, .., a] = exr(&folder, "a.exr", 3, 8);
        assert!(a == 1.0 && r > 0.5, "{integrator}: the surface is opaque and lit: {r} {a}");
        assert_eq!(png(&folder, "a.png", 3, 8)[3], 255, "{integrator}");
    }
}

#[test]
fn edges_have_premultiplied_colours_in_exr_and_straight_ones_in_png() {
    let folder = Folder::new();
    half(&folder, WHITE);
    // 15 columns: the edge of the square is in the middle of a column
    let odd = SMALL.replace("--width 16", "--width 15").replace("--spp 16", "--spp 64");
    folder.sunfleck(&format!("{odd} --transparent -o a.png -o a.exr")).done();
    let ([edge, .., alpha], [inside, ..]) = (exr(&folder, "a.exr", 7, 8), exr(&folder, "a.exr", 3, 8));
    assert!((alpha - 0.5).abs() < 0.05, "half of the pixel is covered: {alpha}");
    assert!((edge / alpha - inside).abs() < 0.1, "{edge} of {alpha} is the colour {inside}");
    let (edge, inside) = (png(&folder, "a.png", 7, 8), png(&folder, "a.png", 3, 8));
    assert!(edge[0].abs_diff(inside[0]) < 12 && edge[3].abs_diff(128) < 12, "{edge:?}, {inside:?}");
}

#[test]
fn mirrors_show_the_environment_and_cut_outs_are_transparent() {
    let folder = Folder::new();
    half(&folder, MIRROR);
    folder.sunfleck(&format!("{SMALL} --transparent -o a.exr")).done();
    let [r, g, b, a] = exr(&folder, "a.exr", 3, 8);
    assert!(a == 1.0 && [r, g, b].iter().all(|c| (c - 1.0).abs() < 0.02), "{:?}", [r, g, b, a]);
    half(&folder, CUT_OUT);
    folder.sunfleck(&format!("{SMALL} --transparent --allow-empty -o a.exr")).done();
    assert_eq!(exr(&folder, "a.exr", 3, 8), [0.0; 4], "cut out");
}

#[test]
fn the_ground_of_a_stage_is_left_out() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder
        .sunfleck("render a.obj --stage studio --width 24 --height 24 --spp 4 --transparent -o a.png -q")
        .done();
    let Decoded::Rgba8 { texels, .. } = decode(&folder.read("a.png"), "png").unwrap() else {
        panic!("8 bits")
    };
    let clear = texels.iter().filter(|texel| texel[3] == 0).count();
    assert!((texels.len() / 4..texels.len()).contains(&clear), "{clear} of {}", texels.len());
}

#[test]
fn a_background_is_shown_as_it_is() {
    let folder = Folder::new();
    half(&folder, WHITE);
    let dark = SMALL.replace("--exposure 0", "--exposure -3");
    folder.sunfleck(&format!("{dark} --background #4080ff -o a.png -o a.exr -o a.jpg")).done();
    assert_eq!(png(&folder, "a.png", 12, 8), [0x40, 0x80, 0xff, 255], "without exposure and tone curve");
    let linear = |byte: f32| sunfleck_image::srgb::linear_from_srgb(byte / 255.0);
    let [r, g, b, a] = exr(&folder, "a.exr", 12, 8);
    assert!((r - linear(64.0)).abs() < 1e-3 && (g - linear(128.0)).abs() < 1e-3 && (b - 1.0).abs() < 1e-3);
    assert_eq!(a, 1.0, "the file is opaque");
    let before = exr(&folder, "a.exr", 3, 8);
    folder.sunfleck(&format!("{dark} -o b.exr")).done();
    assert_eq!(before, exr(&folder, "b.exr", 3, 8), "the background lights nothing");
    // The image itself as a background, on a part of the image
    folder.sunfleck(&format!("{dark} --background a.png --crop 8,8,8,8 -o c.png")).done();
    assert_eq!(png(&folder, "c.png", 4, 0), [0x40, 0x80, 0xff, 255]);
}

#[test]
fn the_strength_multiplies_the_environment() {
    let folder = Folder::new();
    half(&folder, WHITE);
    folder.sunfleck(&format!("{SMALL} -o a.exr")).done();
    folder.sunfleck(&format!("{SMALL} --environment-strength 2.5 -o b.exr")).done();
    for x in [3, 12] {
        let ([a, ..], [b, ..]) = (exr(&folder, "a.exr", x, 8), exr(&folder, "b.exr", x, 8));
        assert!((b - 2.5 * a).abs() < 1e-4 * b && a > 0.5, "{b} is 2.5 times {a}");
    }
}

#[test]
fn a_strength_needs_an_environment() {
    let folder = Folder::new();
    let small = "render cornell --width 8 --height 8 --spp 1 --quiet";
    let words = ["--environment-strength", "no environment", "--exposure"];
    folder.sunfleck(&format!("{small} --environment-strength 2")).refused(&words);
    folder.sunfleck(&format!("{small} --environment black --environment-strength 2")).refused(&words);
    assert!(folder.files().is_empty(), "nothing is written");
    folder.sunfleck(&format!("{small} --environment white --environment-strength 0")).done();
    // That of a stage
    folder.write("a.obj", "v -1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.sunfleck(&format!("{} --environment-strength 2", small.replace("cornell", "a.obj"))).done();
}

#[test]
fn what_cannot_be_transparent_is_refused() {
    let folder = Folder::new();
    let small = "render cornell --width 8 --height 8 --spp 1";
    folder.sunfleck(&format!("{small} --transparent -o a.jpg")).refused(&["a.jpg", "alpha", ".png"]);
    folder.sunfleck(&format!("{small} --transparent -o a.hdr")).refused(&["a.hdr", "alpha"]);
    folder.sunfleck(&format!("{small} --transparent --integrator igi")).refused(&["`igi`", "path"]);
    folder.sunfleck(&format!("{small} --transparent --background white")).refused(&[]);
    folder.sunfleck(&format!("{small} --background gone.png")).refused(&["gone.png"]);
    let malformed =
        folder.sunfleck(&format!("{small} --background #12345")).refused(&["#12345", "hexadecimal"]);
    assert!(!malformed.stderr.contains("not found"), "{malformed:?}");
    folder.sunfleck(&format!("{small} --environment-strength -1")).refused(&["0 or more"]);
    assert!(folder.files().is_empty(), "nothing is written");
}
