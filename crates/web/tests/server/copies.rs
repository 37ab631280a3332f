//! Files of command lines, built-in scenes, and the stage.

use serde_json::{Value, json};
use sunfleck_math::Vec3;
use sunfleck_scene::{Light, LightKind, Node};
use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};

use crate::common::{Client, keeping, keeping_viewer, viewer_of};

/// Hides the node at a position among those with a mesh.
fn hide(client: &mut Client, scene: &Value, index: usize) {
    let nodes = scene["nodes"].as_array().unwrap();
    let id = nodes.iter().filter(|row| !row["node"]["instance"].is_null()).nth(index).unwrap()["id"].clone();
    client.send(&json!({"type": "edit", "edit": {"Visible": {"id": id, "visible": false}}}));
    client.wait_where("scene", |scene| scene["unsaved"] == true);
}

/// Asks for the command line and returns the file that was written for it.
fn copy(client: &mut Client) -> String {
    client.send(&json!({"type": "command-line"}));
    client.wait_for("command-line")["file"].as_str().unwrap().to_string()
}

fn hidden(path: &str) -> usize {
    let scene = sunfleck_io::load(std::path::Path::new(path)).unwrap().scene;
    scene.nodes().filter(|(_, node)| !node.visible).count()
}

#[test]
fn the_file_of_a_command_line_stays() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene, 0);
    let first = copy(&mut client);
    assert_eq!(first, folder.path().join("cornell-command.glb").to_string_lossy());
    assert_eq!(copy(&mut client), first, "the scene is the same");
    assert_eq!(Client::join(&viewer).wait_for("scene")["unsaved"], true, "it is not the file of the scene");

    hide(&mut client, &scene, 1);
    client.send(&json!({"type": "save"}));
    let saved = client.wait_for("saved")["path"].as_str().unwrap().to_string();
    assert_eq!(saved, folder.path().join("cornell-edited.glb").to_string_lossy());
    let second = copy(&mut client);
    assert_ne!(second, first, "the scene is another one");
    assert_eq!([&first, &second, &saved].map(|path| hidden(path)), [1, 2, 2]);
}

#[test]
fn the_file_of_a_command_line_is_known_after_another_scene_was_open() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene, 0);
    client.send(&json!({"type": "built-in", "name": "erw6"}));
    client.wait_where("scene", |scene| scene["name"] == "erw6");
    client.send(&json!({"type": "undo"}));
    // All are handled before the file is written
    client.send(&json!({"type": "command-line"}));
    client.send(&json!({"type": "redo"}));
    let first = client.wait_for("command-line")["file"].clone();
    assert_eq!(first, json!(folder.path().join("cornell-command.glb")));
    client.send(&json!({"type": "undo"}));
    assert_eq!(json!(copy(&mut client)), first, "the scene is the same");
}

#[test]
fn recovered_scenes_have_no_cameras_of_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene, 0);
    let mut pose = Client::join(&viewer).wait_for("view")["pose"].clone();
    pose["world_from_view"][9] = json!(0.25);
    client.send(&json!({"type": "camera", "pose": pose}));
    copy(&mut client);
    drop((client, viewer));

    let viewer = keeping_viewer("erw6", folder.path());
    let mut client = Client::join(&viewer);
    let files = client.wait_where("files", |files| files["unsaved"] != json!([]));
    client.send(&json!({"type": "recover", "number": files["unsaved"][0]["number"], "discard": false}));
    let recovered = client.wait_where("scene", |scene| scene["name"] == "cornell");
    for list in ["nodes", "cameras"] {
        assert_eq!(
            recovered[list].as_array().unwrap().len(),
            scene[list].as_array().unwrap().len(),
            "{list}"
        );
    }
}

#[test]
fn built_in_scenes_are_opened_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let files = client.wait_for("files");
    let listed = files["built_in"].as_array().unwrap();
    assert!(listed.iter().any(|row| row["name"] == "erw6" && row["summary"].is_string()), "{files}");
    client.send(&json!({"type": "built-in", "name": "erw6"}));
    client.wait_where("scene", |scene| scene["name"] == "erw6");
    // Parameters are not in the list
    client.send(&json!({"type": "built-in", "name": "cornell:seed=2"}));
    let message = client.wait_for("error")["message"].as_str().unwrap().to_string();
    assert_eq!(message, "there is no built-in scene `cornell:seed=2`");

    let options = ViewerOptions { bind: std::net::Ipv4Addr::UNSPECIFIED.into(), ..keeping(folder.path()) };
    let scene = sunfleck_models::build("cornell").unwrap();
    let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
    let viewer = Viewer::start(scene, &options).unwrap();
    assert_eq!(Client::join(&viewer).wait_for("files")["built_in"], json!([]), "not to other machines");
}

#[test]
fn the_sun_of_the_sky_has_an_elevation() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    assert_eq!(client.wait_for("scene")["sky_sun"], json!(null));
    client.send(&json!({"type": "sun", "elevation": 5, "drag": null, "input": null}));
    let message = client.wait_for("error")["message"].as_str().unwrap().to_string();
    assert_eq!(message, "only the sun of the stage sky has an elevation that can be set");
    client.send(&json!({"type": "stage", "name": "sky"}));
    client.wait_where("scene", |scene| scene["sky_sun"]["elevation"] == 55.0);
    for elevation in [30.0, 10.0, 2.5] {
        client.send(&json!({"type": "sun", "elevation": elevation, "drag": 1, "input": null}));
    }
    let sunset = client.wait_where("scene", |scene| scene["sky_sun"]["elevation"] == 2.5);
    assert_eq!(sunset["steps"], json!([2, 0]), "a drag is one step");
    client.send(&json!({"type": "save"}));
    let path = client.wait_for("saved")["path"].as_str().unwrap().to_string();
    client.send(&json!({"type": "undo"}));
    client.wait_where("scene", |scene| scene["sky_sun"]["elevation"] == 55.0);
    drop((client, viewer));

    let loaded = sunfleck_io::load(std::path::Path::new(&path)).unwrap();
    let scene = ViewerScene::new("saved", loaded.scene, Default::default(), Vec::new()).unwrap();
    let viewer = Viewer::start(scene, &keeping(folder.path())).unwrap();
    assert_eq!(Client::join(&viewer).wait_for("scene")["sky_sun"]["elevation"], 2.5);
}

#[test]
fn the_stage_replaces_lights_in_the_same_step() {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let kind = LightKind::Directional;
    let sun = scene.add_light(Light { name: "sun".into(), emission: Vec3::ONE, kind }).unwrap();
    scene.add_node(Node::new("sun").with_light(sun)).unwrap();
    let lights = scene.lights().len();
    let viewer = viewer_of("cornell", scene, None);
    let mut client = Client::join(&viewer);
    let before = client.wait_for("scene");
    let node = before["nodes"].as_array().unwrap().iter().find(|row| row["node"]["name"] == "sun").unwrap();
    let removal = json!([
        {"Node": {"id": node["id"], "node": null}},
        {"Light": {"id": node["node"]["light"], "light": null}},
    ]);
    client.send(&json!({"type": "stage", "name": "sky", "before": removal}));
    let outdoors = client.wait_where("scene", |scene| !scene["sky_sun"].is_null());
    assert_eq!(outdoors["steps"], json!([1, 0]));
    assert_eq!(outdoors["lights"].as_array().unwrap().len(), lights - 1);
    client.send(&json!({"type": "undo"}));
    let after = client.wait_where("scene", |scene| scene["sky_sun"].is_null());
    for part in ["lights", "nodes", "environment"] {
        assert_eq!(after[part], before[part], "{part}");
    }
}
