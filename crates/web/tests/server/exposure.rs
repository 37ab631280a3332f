//! The exposure is a part of the scene: edits, undo, saving and command lines.

use serde_json::{Value, json};
use sunfleck_web::Viewer;

use crate::common::{Client, keeping_viewer};

/// Sets the exposure as a part of a drag.
fn drag(client: &mut Client, stops: f64, drag: u64) {
    client.send(&json!({"type": "set", "settings": {"exposure": stops}, "drag": drag}));
}

/// Waits for the numbers of steps to undo and redo, and returns whether there are unsaved edits. Another client waits, so
/// that no image is missed.
fn unsaved_at(viewer: &Viewer, steps: [usize; 2]) -> bool {
    Client::join(viewer).wait_where("scene", |scene| scene["steps"] == json!(steps))["unsaved"] == true
}

/// Waits for the finished image with an exposure, and returns its JPEG.
fn exposed(client: &mut Client, stops: f64) -> Vec<u8> {
    let is_done = |header: &Value| header["mode"] == "rest" && header["samples"] == 2;
    client.wait_for_frame(|header| is_done(header) && header["exposure"] == stops).1
}

/// Returns whether the exposure is automatic, what it is else, and the number of changes of the image.
fn displayed(viewer: &Viewer) -> (bool, f64, Value) {
    let view = Client::join(viewer).wait_for("view");
    (view["auto_exposure"] == true, view["exposure"].as_f64().unwrap(), view["change"].clone())
}

#[test]
fn the_exposure_is_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    client.set(json!({"size": [64, 48], "samples": 2, "denoise": "off"}));
    let scene = client.wait_for("scene");
    assert_eq!((&scene["unsaved"], &scene["steps"]), (&json!(false), &json!([0, 0])));
    let dark = exposed(&mut client, 0.0);
    let (_, _, change) = displayed(&viewer);

    (1..=3).for_each(|stops| drag(&mut client, f64::from(stops), 7));
    assert!(unsaved_at(&viewer, [1, 0]), "a drag is one step");
    assert_eq!(displayed(&viewer), (false, 3.0, change.clone()), "nothing is rendered again");
    assert_ne!(exposed(&mut client, 3.0), dark);
    client.set(json!({"auto_exposure": true}));
    assert!(unsaved_at(&viewer, [2, 0]));
    assert!(displayed(&viewer).0);

    client.send(&json!({"type": "undo"}));
    assert!(unsaved_at(&viewer, [1, 1]));
    assert_eq!(displayed(&viewer), (false, 3.0, change.clone()));
    client.send(&json!({"type": "undo"}));
    assert!(!unsaved_at(&viewer, [0, 2]), "as it was opened");
    assert_eq!(displayed(&viewer), (false, 0.0, change.clone()));
    assert_eq!(exposed(&mut client, 0.0), dark, "the image is displayed as before");
    client.send(&json!({"type": "redo"}));
    assert!(unsaved_at(&viewer, [1, 1]));
    client.send(&json!({"type": "save"}));
    client.wait_for("saved");
    assert!(!unsaved_at(&viewer, [1, 1]));
    // Settings without an exposure are no edits, nor is one that is already set
    client.set(json!({"exposure": 3.0, "samples": 3}));
    client.set(json!({"tone_curve": "aces"}));
    client.wait_where("view", |view| view["tone_curve"] == "aces");
    let scene = Client::join(&viewer).wait_for("scene");
    assert_eq!((&scene["unsaved"], &scene["steps"]), (&json!(false), &json!([1, 1])));
}

#[test]
fn a_drag_of_the_exposure_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    drag(&mut client, 1.0, 7);
    drag(&mut client, 2.0, 7);
    assert!(unsaved_at(&viewer, [1, 0]));
    client.send(&json!({"type": "cancel-drag", "drag": 7, "input": null}));
    assert!(!unsaved_at(&viewer, [0, 0]), "it can neither be undone nor redone");
    assert_eq!(displayed(&viewer).1, 0.0);
}

#[test]
fn a_changed_exposure_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    client.set(json!({"exposure": -2.5}));
    assert!(unsaved_at(&viewer, [1, 0]));
    drop((client, viewer));

    let viewer = keeping_viewer("erw6", folder.path());
    let mut client = Client::join(&viewer);
    let files = client.wait_where("files", |files| files["unsaved"] != json!([]));
    client.send(&json!({"type": "recover", "number": files["unsaved"][0]["number"], "discard": false}));
    let recovered = client.wait_where("scene", |scene| scene["name"] == "cornell");
    assert_eq!((&recovered["unsaved"], &recovered["steps"]), (&json!(true), &json!([1, 0])));
    assert_eq!(displayed(&viewer).1, -2.5);
}

#[test]
fn command_lines_name_another_exposure() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let copied = |client: &mut Client| {
        client.send(&json!({"type": "command-line"}));
        let answer = client.wait_for("command-line");
        (answer["line"].as_str().unwrap().to_string(), answer["file"].clone())
    };
    client.set(json!({"exposure": 2.0}));
    let (line, file) = copied(&mut client);
    assert!(line.starts_with("sunfleck render cornell ") && line.contains(" --exposure 2 "), "{line}");
    assert!(file.is_null(), "a scene with another exposure needs no file");
    // With another edit, the file has the exposure of the opened scene, so that all command lines can name theirs
    let scene = Client::join(&viewer).wait_for("scene");
    let id = scene["nodes"][0]["id"].clone();
    client.send(&json!({"type": "edit", "edit": {"Visible": {"id": id, "visible": false}}}));
    let (line, file) = copied(&mut client);
    assert!(line.contains(" --exposure 2 "), "{line}");
    client.set(json!({"exposure": 0.0}));
    let (line, again) = copied(&mut client);
    assert_eq!(again, file, "images of the same scene");
    assert!(!line.contains("--exposure"), "{line}");
    let copy = sunfleck_io::load(std::path::Path::new(file.as_str().unwrap())).unwrap().scene;
    assert_eq!(copy.exposure_stops(), Some(0.0));
}

#[test]
fn the_exposure_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    for exposure in [Some(-1.25), None] {
        client.set(match exposure {
            Some(stops) => json!({"exposure": stops}),
            None => json!({"auto_exposure": true}),
        });
        client.send(&json!({"type": "save"}));
        let path = client.wait_for("saved")["path"].as_str().unwrap().to_string();
        let loaded = sunfleck_io::load(std::path::Path::new(&path)).unwrap();
        assert_eq!(loaded.scene.exposure_stops(), exposure);
    }
}
