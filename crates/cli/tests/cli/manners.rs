//! What a new user meets: defaults for models without camera or light, file formats, and images with nothing in them.

use crate::run::{Folder, RunResult};

/// An L of two squares, 2 m high, without camera and light.
const CORNER: &str = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 0 2 2\nf 1 2 3 4\nf 1 4 6 5\n";
const SMALL: &str = "--width 48 --height 32 --spp 4 --quiet";

#[test]
fn models_without_light_get_a_stage_and_one_camera_everywhere() {
    let folder = Folder::new();
    folder.write("a.obj", CORNER);
    let report = folder.json("render a.obj --width 48 --height 32 --spp 16 -o a.png");
    assert_eq!(report["scene"]["stage"], "studio");
    assert_eq!(report["scene"]["triangles"], 4, "the ground of the stage does not count");
    assert_eq!(report["scene"]["instances"], 1);
    assert_eq!(report["picture"]["camera"], "framing");
    assert_ne!(report["picture"]["exposure_stops"], 0.0, "exposure is automatic");
    assert_eq!(folder.json("info a.obj")["cameras"][0]["name"], "framing");
    let dark = folder.json("render a.obj --width 48 --height 32 --spp 1 --stage none -o b.png");
    assert!(dark["notes"].to_string().contains("the image is black: the scene has no light"), "{dark}");
    let chosen = folder.json("render a.obj --width 48 --height 32 --spp 1 --stage clay -o b.png");
    assert_eq!(chosen["scene"]["stage"], "clay");
    folder
        .json("render a.obj --width 48 --height 32 --spp 1 --stage clay --environment-rotation 90 -o c.png");
    assert_ne!(folder.read("b.png"), folder.read("c.png"), "the light of a stage can be rotated");
    folder.sunfleck("render a.obj --stage disco").refused(&["studio", "sky", "clay", "none"]);
}

#[test]
fn exposure_is_automatic_with_an_environment() {
    let folder = Folder::new();
    folder.write("a.obj", CORNER);
    folder.sunfleck(&format!("render cornell {SMALL} -o sky.hdr")).done();
    let report = folder.json("render a.obj --width 48 --height 32 --spp 4 --environment sky.hdr -o a.png");
    assert_ne!(report["picture"]["exposure_stops"], 0.0);
    assert_eq!(report["scene"]["stage"], serde_json::Value::Null, "the environment is the light");
}

#[test]
fn the_exposure_of_a_scene_is_for_images_of_light() {
    let folder = Folder::new();
    folder.sunfleck("convert cornell a.gltf --quiet").done();
    let text = String::from_utf8(folder.read("a.gltf")).unwrap();
    assert!(text.contains("\"exposure\": 0.0"), "that of the built-in scene");
    let text = text.replace("\"exposure\": 0.0", "\"exposure\": -3.0");
    folder.write("a.gltf", text);
    let stops = |words: &str| {
        let report = folder.json(&format!("render a.gltf --width 8 --height 8 --spp 1 -o a.png {words}"));
        report["picture"]["exposure_stops"].as_f64()
    };
    assert_eq!(stops(""), Some(-3.0));
    assert_eq!(stops("--integrator ao"), Some(0.0), "an image of ambient occlusion shows no light");
    assert_eq!(stops("--integrator ao --exposure 1"), Some(1.0));
}

#[test]
fn emission_that_lights_nothing_else_is_no_light() {
    let folder = Folder::new();
    // A tiny emissive triangle far in front of the model, facing away from it
    folder.write("a.mtl", "newmtl grey\nKd 0.5 0.5 0.5\nnewmtl glow\nKd 0 0 0\nKe 1 1 1\n");
    let lamp = "v 1 1 3\nv 1.2 1 3\nv 1 1.2 3\nusemtl glow\nf 7 8 9\n";
    folder.write("a.obj", format!("mtllib a.mtl\nusemtl grey\n{CORNER}{lamp}"));
    let report = folder.json("render a.obj --width 48 --height 32 --spp 16 -o a.png");
    assert_eq!(report["scene"]["stage"], "studio", "{report}");
}

#[test]
fn an_image_of_nothing_is_refused() {
    let folder = Folder::new();
    folder.write("a.obj", CORNER);
    let away = format!("render a.obj {SMALL} --look-from 5,5,5 --look-at 9,9,9 -o a.png");
    folder.sunfleck(&away).refused(&["sees no surface", "--allow-empty"]);
    assert!(!folder.path("a.png").exists());
    folder.sunfleck(&format!("{away} --allow-empty")).done();
    // The environment is something to see, unless it is left out
    folder.sunfleck(&format!("{away} --environment white --exposure 0")).done();
    for left_out in ["--transparent", "--background white"] {
        let empty = format!("{away} --environment white {left_out}");
        folder.sunfleck(&empty).refused(&["sees no surface", "--allow-empty"]);
        folder.sunfleck(&format!("{empty} --allow-empty")).done();
    }
    folder.write("none.obj", "vn 0 0 1\n");
    folder.sunfleck(&format!("render none.obj {SMALL}")).refused(&["no surfaces", "no visible triangles"]);
    folder.write("ball.nff", "f 1 1 1 1 0 0 0 1\ns 0 0 0 1\n");
    let away = format!("render ball.nff {SMALL} --look-from 5,5,5 --look-at 9,9,9");
    folder.sunfleck(&away).refused(&["sees no surface"]);
    let header =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    folder.write("points.ply", format!("{header}end_header\n0 0 0\n"));
    folder.sunfleck(&format!("render points.ply {SMALL}")).done();
}

#[test]
fn display_formats_are_written() {
    let folder = Folder::new();
    folder
        .sunfleck(&format!("render cornell {SMALL} -o a.jpg -o a.webp -o a.tiff -o a.png --bits 16"))
        .done();
    assert_eq!(folder.read("a.jpg")[..3], [0xFF, 0xD8, 0xFF]);
    assert_eq!(folder.read("a.webp")[8..12], *b"WEBP");
    assert_eq!(folder.read("a.tiff")[..2], *b"II");
    assert_eq!(folder.read("a.png")[24], 16, "bits per channel in the header");
    folder.sunfleck("render cornell --bits 12").refused(&["8 or 16"]);
    folder.sunfleck("render cornell --bits 16 -o b.jpg").refused(&["only PNG and TIFF"]);
    folder.sunfleck("render cornell --width 20000 --height 8 -o b.webp").refused(&["16384 pixels"]);
}

#[test]
fn a_time_without_a_unit_is_in_seconds() {
    let folder = Folder::new();
    folder.sunfleck("render cornell --width 8 --height 8 --time 0.01 --quiet -o a.png").done();
}

#[test]
fn a_missing_buffer_is_explained() {
    let folder = Folder::new();
    let gltf = r#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "gone.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}], "scene": 0}"#;
    folder.write("a.gltf", gltf);
    let RunResult { stderr, .. } =
        folder.sunfleck("render a.gltf").refused(&["gone.bin", "file not found", "folder of the scene file"]);
    assert!(!stderr.contains("os error"), "{stderr}");
}
