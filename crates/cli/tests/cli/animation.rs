//! Rendering of animations.

use crate::run::{Folder, assert_picture};

/// Writes `a.gltf` with a triangle that moves 2 m to the right in one second, out of the image.
fn moving(folder: &Folder) {
    let floats = [
        // Positions, key times, translations
        -1.0f32, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0,
    ];
    let bytes: Vec<u8> = floats.iter().flat_map(|v| v.to_le_bytes()).collect();
    folder.write("a.bin", bytes);
    folder.write(
        "a.gltf",
        r#"{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "name": "triangle" }, { "camera": 0, "translation": [0, 0, 3] }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "animations": [{ "name": "away", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 1, "output": 2 }] }],
        "buffers": [{ "byteLength": 68, "uri": "a.bin" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 8 },
            { "buffer": 0, "byteOffset": 44, "byteLength": 24 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3" }] }"#,
    );
}

const SMALL: &str = "--width 24 --height 16 --spp 1";
/// Light and exposure, which the first frame of a sequence decides otherwise.
const FIXED: &str = "--environment white --exposure 0";

#[test]
fn animations_are_listed() {
    let folder = Folder::new();
    moving(&folder);
    let info = folder.json("info a.gltf");
    assert_eq!(info["animations"][0]["name"], "away");
    assert_eq!(
        (&info["animations"][0]["duration_secs"], &info["animations"][0]["nodes"]),
        (&1.0.into(), &1.into())
    );
    let text = folder.sunfleck("info a.gltf").done().stdout;
    assert!(text.contains("away") && text.contains("1 s") && text.contains("animates 1 node"), "{text}");
}

#[test]
fn times_and_sequences_are_rendered() {
    let folder = Folder::new();
    moving(&folder);
    let render = |words: &str| folder.sunfleck(&format!("render a.gltf {SMALL} {words} --quiet")).done();
    render("-o rest.png");
    render("-o start.png --at 0 --animation 0");
    render("-o half.png --at 0.5 --animation away");
    assert_eq!(folder.read("rest.png"), folder.read("start.png"), "time 0 is the rest pose");
    assert!(folder.read("half.png") != folder.read("start.png"), "the triangle moves");
    render("-o f.png --frames 0..2 --fps 4");
    assert_picture(&folder.path("f-0001.png"), 24, 16);
    assert_eq!(
        folder.files(),
        ["a.bin", "a.gltf", "f-0000.png", "f-0001.png", "f-0002.png", "half.png", "rest.png", "start.png"]
    );
    render(&format!("{FIXED} -o at.exr --at 0.25"));
    render(&format!("{FIXED} -o f.exr --frames 0..1 --fps 4"));
    assert_eq!(folder.read("at.exr"), folder.read("f-0001.exr"), "the same bits in a sequence");
}

#[test]
fn denoised_sequences_reuse_earlier_frames_unless_told_otherwise() {
    let folder = Folder::new();
    moving(&folder);
    let render =
        |words: &str| folder.sunfleck(&format!("render a.gltf {SMALL} {FIXED} {words} --quiet")).done();
    render("-o at.png --denoise auto --at 0.25");
    render("-o reuse.png --denoise auto --frames 0..1 --fps 4");
    render("-o alone.png --denoise auto --no-reuse --frames 0..1 --fps 4");
    assert_eq!(folder.read("at.png"), folder.read("alone-0001.png"), "a function of its time");
    assert!(folder.read("at.png") != folder.read("reuse-0001.png"), "the second frame reuses the first");
    render("-o one.png --denoise auto --frames 1..1 --fps 4");
    assert_eq!(folder.read("at.png"), folder.read("one-0001.png"), "there is nothing to reuse");
    for (words, expected) in [
        ("-o a.png --denoise auto", "of the frames before"),
        ("-o a.png --denoise auto --no-reuse", "off: --no-reuse is given"),
        ("-o a.png --denoise auto --noise 0.5", "off: --noise is given"),
        ("-o a.exr", "off: not all files are denoised"),
    ] {
        let run = folder.sunfleck(&format!("render a.gltf {SMALL} --frames 0..1 --json {words}")).done();
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["render"]["reuse"], expected, "{words}");
    }
}

#[test]
fn unknown_animations_and_bad_times_are_refused() {
    let folder = Folder::new();
    moving(&folder);
    let refuse = |words: &str, expected: &[&str]| {
        folder.sunfleck(&format!("render {words} {SMALL}")).refused(expected);
    };
    refuse("a.gltf --animation towards", &["`towards`", "0 `away`"]);
    refuse("a.gltf --animation 1", &["`1`"]);
    refuse("cornell --at 1", &["no animation"]);
    for bad in [
        "--at soon",
        "--frames 3",
        "--frames 3..1",
        "--frames 1..2 --at 3",
        "--fps 24",
        "--frames 1..2 --fps 0",
    ] {
        refuse(&format!("a.gltf {bad}"), &[]);
    }
    assert_eq!(folder.files(), ["a.bin", "a.gltf"]);
}
