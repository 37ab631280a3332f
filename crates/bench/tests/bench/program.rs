//! Tests of the program: printed tables, written files, and exit codes.

use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs `sunfleck-bench` in `folder` with arguments that are separated by spaces.
fn run(folder: &TempDir, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sunfleck-bench"));
    command.args(words.split_whitespace()).current_dir(folder.path()).output().unwrap()
}

/// Runs `sunfleck-bench`, which must succeed; returns its standard output.
fn table(folder: &TempDir, words: &str) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(0), "{words}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Reads a JSON file of the folder.
fn json(folder: &TempDir, name: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.path().join(name)).unwrap()).unwrap()
}

#[test]
fn rays_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let size = "--resolution 16 --rounds 1 --kinds primary --export rays";
    let text = table(&folder, &format!("kernel teapot:2 cornell {size} --json kernel.json"));
    assert!(text.contains("teapot:2") && text.contains("cornell"), "{text}");
    let scenes = json(&folder, "kernel.json")["scenes"].as_array().unwrap().len();
    assert_eq!(scenes, 2);
    // Exported rays can be traced again
    let again =
        "kernel --scene rays/cornell.tri --rays rays/cornell.primary.rays --hits again.hits --rounds 1";
    table(&folder, again);
    let hits = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(hits("again.hits"), hits("rays/cornell.primary.hits"));
}

#[test]
fn frames_are_measured_with_a_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let size = "--width 16 --height 12 --threads 2 --set vpls=4";
    let text = table(&folder, &format!("igi cornell --rounds 1 {size} --checks --json igi.json"));
    assert!(text.contains("16 × 12, 2 threads") && text.contains("anti-aliasing"), "{text}");
    let json = json(&folder, "igi.json");
    assert_eq!(json["rows"][0]["vpls_per_pixel"], 4);
    assert!(json["rows"][0]["checks"]["filtered"]["flip"].as_f64().is_some(), "{json}");

    let text = table(&folder, &format!("flicker cornell --frames 2 {size}"));
    assert!(text.contains("2 frames at 16 × 12"), "{text}");
}

#[test]
fn the_viewer_is_measured_as_a_client() {
    let folder = tempfile::tempdir().unwrap();
    let size = "--width 48 --height 32 --inputs 3 --seconds 0.4 --watchers 2";
    let text = table(&folder, &format!("view cornell {size} --json view.json"));
    assert!(text.contains("a page of 48 × 32") && text.contains("the camera moves"), "{text}");
    let json = json(&folder, "view.json");
    assert!(json["latencies"][0]["median_ms"].as_f64().is_some_and(|millis| millis > 0.0), "{json}");
    assert_eq!(json["watchers"]["together"], 2);
}

#[test]
fn pictures_are_measured_with_and_without_denoising() {
    let folder = tempfile::tempdir().unwrap();
    let size = "--size 24x16 --spp 1,2 --reference-spp 32 --denoise off,features";
    let text = table(&folder, &format!("picture cornell {size} --save images --json picture.json"));
    assert!(text.contains("24 × 16 pixels on the CPU") && text.contains("path 2"), "{text}");
    let json = json(&folder, "picture.json");
    let rows = json["scenes"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "four of presets of igi, two of path tracing");
    let more = rows[5]["rays_per_pixel"].as_f64().unwrap() / rows[4]["rays_per_pixel"].as_f64().unwrap();
    assert!((1.7..2.3).contains(&more), "twice as many rays for twice as many samples: {more}");
    // Each row with two images, and the reference
    assert_eq!(std::fs::read_dir(folder.path().join("images")).unwrap().count(), 13);
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (words, expected) in [
        ("kernel no-such.glb", "no-such.glb"),
        ("kernel cornell --peer optix=x", "optix"),
        ("igi cornell --set nothing=3", "nothing"),
        ("view cornell --device cuda", "auto, cpu, gpu"),
        ("picture cornell --size 8x8", "640x360"),
        ("picture cornell --peer mitsuba=x", "mitsuba"),
        ("picture cornell --peer oidn=no-such.so", "no-such.so"),
        ("cornell", "cornell"),
    ] {
        let output = run(&folder, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(said.starts_with("error: ") && said.contains(expected), "{words}: {said}");
    }
}

#[test]
fn radiosity_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        table(&folder, "radiosity cornell --patches 64,100 --rays 16 --rounds 1 --json radiosity.json");
    assert!(text.contains("29.7 iterations/s") && text.contains("conjugate gradients"), "{text}");
    assert_eq!(json(&folder, "radiosity.json")["sizes"].as_array().unwrap().len(), 2);
}
