//! Real scenes load, fit into memory and get a sensible camera and exposure.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

fn scenes() -> PathBuf {
    PathBuf::from(std::env::var_os("SUNFLECK_SCENES").expect("the variable SUNFLECK_SCENES"))
}

/// Renders a scene with 16 samples per pixel and returns the JSON report.
fn render(scene: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sunfleck"))
        .args(["render", "--json", "--width", "96", "--height", "54", "--spp", "16"])
        .arg(scenes().join(scene))
        .arg("-o")
        .arg(folder.path().join("picture.png"))
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{scene}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn notes(report: &Value) -> String {
    report["notes"].to_string()
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn sponza_is_viewed_from_inside_and_needs_less_than_a_gigabyte() {
    let report = render("sponza-dabrovic/sponza.obj", &[]);
    assert_eq!(report["scene"]["triangles"], 66_450);
    assert!(report["peak_memory_bytes"].as_u64().unwrap() < 1_000_000_000, "{report}");
    assert!(notes(&report).contains("from inside"), "{report}");
    assert!(
        report["picture"]["exposure_stops"].as_f64().unwrap() > 0.0,
        "a courtyard is darker than the sky"
    );
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_helmet_is_lit_by_an_environment() {
    let sky = scenes().join("envmaps/spiaggia_di_mondello_1k.hdr");
    let report = render("gltf/DamagedHelmet/DamagedHelmet.gltf", &["--environment", &sky.to_string_lossy()]);
    assert_eq!(report["scene"]["triangles"], 15_452);
    assert!(
        report["picture"]["exposure_stops"].as_f64().unwrap().abs() > 0.1,
        "exposure is automatic: {report}"
    );
    assert_eq!(report["scene"]["stage"], Value::Null, "{report}");
    assert!(!notes(&report).contains("from inside"), "{report}");
}

/// Emissive lines of a model light nothing but themselves.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn models_with_emissive_textures_are_lit() {
    for model in ["DamagedHelmet", "ClearCoatTest"] {
        let report = render(&format!("gltf/{model}/{model}.gltf"), &[]);
        assert_eq!(report["scene"]["stage"], "studio", "{model}: {report}");
        assert_eq!(report["picture"]["camera"], "framing", "{model}: {report}");
        assert!(!notes(&report).contains("is black"), "{model}: {report}");
    }
}

/// The Cornell box is open at one side, and has a lamp.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_cornell_box_is_seen_through_its_open_side() {
    let report = render("cornell-box/CornellBox.glb", &[]);
    assert_eq!(report["scene"]["stage"], Value::Null, "the lamp lights it: {report}");
    assert_eq!(report["picture"]["camera"], "open side");
    assert!(!notes(&report).contains("is black"), "{report}");
    let info = Command::new(env!("CARGO_BIN_EXE_sunfleck"))
        .args(["info", "--json"])
        .arg(scenes().join("cornell-box/CornellBox.glb"))
        .output()
        .unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(info["cameras"][0]["name"], "open side", "the camera that `render` uses");
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn objects_are_viewed_from_outside() {
    for object in
        ["meshes/stanford-bunny.obj", "meshes/cranium.ply", "meshes/legocar.obj", "gltf/Buggy/Buggy.glb"]
    {
        assert!(!notes(&render(object, &[])).contains("from inside"), "{object}");
    }
}
