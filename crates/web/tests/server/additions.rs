//! Adding files to the scene, and dropping objects on surfaces.

use serde_json::{Value, json};
use sunfleck_io::save_bytes;

use crate::common::{Client, authority, http, post, viewer, viewer_of};

const OBJ: &[u8] = b"v 0 1 0\nv 0.1 1 0\nv 0 1.1 0\nf 1 2 3\n";

/// Waits for a scene with a number of steps to undo.
fn scene_after(client: &mut Client, steps: u64) -> Value {
    client.wait_where("scene", |scene| scene["steps"][0] == steps)
}

fn node<'a>(scene: &'a Value, id: &Value) -> &'a Value {
    &scene["nodes"].as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap()["node"]
}

fn count(scene: &Value, kind: &str) -> usize {
    scene[kind].as_array().unwrap().len()
}

/// Returns the body of a response as JSON.
fn answer(response: &str) -> Value {
    assert!(response.contains("200 OK"), "{response}");
    serde_json::from_str(response.rsplit("\r\n\r\n").next().unwrap()).unwrap()
}

#[test]
fn an_added_file_stands_on_the_floor_and_is_one_step() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let before = client.wait_for("scene");
    // The camera looks down at the middle of the floor
    let [low, high] = [&before["bounds"][0], &before["bounds"][1]];
    let at = |bounds: &Value, axis: usize| bounds[axis].as_f64().unwrap();
    let middle = |axis| 0.5 * (at(low, axis) + at(high, axis));
    let eye = [middle(0), 0.5 * middle(1) + 0.5 * at(low, 1), at(high, 2) - 0.02];
    let pose = json!({
        "world_from_view": [1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8, eye[0], eye[1], eye[2]],
        "projection": {"Perspective": {"fov_y_radians": 0.7}},
    });
    client.send(&json!({"type": "camera", "pose": pose, "input": null}));
    client.wait_where("view", |view| view["pose"]["world_from_view"][4] == json!(0.8));

    let added = answer(&post(&authority(&viewer), "/add", client.id, &[("folder/small.obj", OBJ)]));
    let scene = scene_after(&mut client, 1);
    let root = node(&scene, &added["node"]);
    assert_eq!((&root["name"], &root["parent"]), (&json!("small"), &json!(null)));
    let y = root["parent_from_node"][10].as_f64().unwrap();
    assert!(
        (y + 1.0 - at(low, 1)).abs() < 0.25 * (at(high, 1) - at(low, 1)),
        "on the floor or on a box: {y}"
    );
    assert_eq!(count(&scene, "meshes"), count(&before, "meshes") + 1);
    assert_eq!(scene["name"], "cornell", "it is still the same scene");

    client.send(&json!({"type": "undo"}));
    let undone = client.wait_where("scene", |scene| scene["steps"] == json!([0, 1]));
    assert_eq!(count(&undone, "nodes"), count(&before, "nodes"));
    client.send(&json!({"type": "redo"}));
    scene_after(&mut client, 1);
}

#[test]
fn textures_animations_and_lights_come_along_and_cameras_do_not() {
    let file = save_bytes(&sunfleck_models::build("erw6").unwrap(), "erw6.glb".as_ref()).unwrap().bytes;
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let before = client.wait_for("scene");
    let added = answer(&post(&authority(&viewer), "/add", client.id, &[("erw6.glb", &file)]));
    let scene = scene_after(&mut client, 1);
    let alone = viewer_of("erw6", sunfleck_models::build("erw6").unwrap(), None);
    let alone = Client::join(&alone).wait_for("scene");
    let both = |kind| count(&before, kind) + count(&alone, kind);
    assert_eq!(count(&scene, "lights"), both("lights"));
    assert_eq!(count(&scene, "animations"), both("animations"));
    assert_eq!(scene["cameras"], before["cameras"]);
    assert_eq!(scene["environment"], before["environment"]);
    assert!(
        scene["notes"].to_string().contains("erw6.glb was added without its cameras"),
        "{}",
        scene["notes"]
    );
    let children = scene["nodes"].as_array().unwrap().iter();
    assert!(children.filter(|row| row["node"]["parent"] == added["node"]).count() > 0);

    // Notes are those of the steps in effect
    client.send(&json!({"type": "undo"}));
    assert_eq!(scene_after(&mut client, 0)["notes"], before["notes"]);
    client.send(&json!({"type": "redo"}));
    assert_eq!(scene_after(&mut client, 1)["notes"], scene["notes"]);
}

#[test]
fn broken_files_and_watchers_add_nothing() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let revision = client.wait_for("scene")["revision"].clone();
    for (files, expected) in [
        (vec![("bad.obj", &b"v 0 0 zero\n"[..])], "bad.obj:1:7: \"zero\" is not a number"),
        (vec![("bad.glb", b"glTF\x02\0\0\0")], "bad.glb"),
        (vec![("letter.txt", b"Dear")], "none of these files is a scene"),
        (vec![], "none of these files is a scene"),
    ] {
        let answer = post(&authority(&viewer), "/add", client.id, &files);
        assert!(answer.contains("400 Bad Request") && answer.contains(expected), "{answer}");
    }
    let watcher = Client::join(&viewer);
    let refused = post(&authority(&viewer), "/add", watcher.id, &[("small.obj", OBJ)]);
    assert!(refused.contains("409 Conflict") && refused.contains("take over"), "{refused}");
    assert_eq!(Client::join(&viewer).wait_for("scene")["revision"], revision);
}

#[test]
fn several_nodes_are_dropped_or_removed_in_one_step() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let mut scene = client.wait_for("scene");
    let mut added = Vec::new();
    for steps in 1..=2 {
        added.push(
            answer(&post(&authority(&viewer), "/add", client.id, &[("small.obj", OBJ)]))["node"].clone(),
        );
        scene = scene_after(&mut client, steps);
    }
    let resting: Vec<_> = added.iter().map(|id| node(&scene, id)["parent_from_node"].clone()).collect();
    let lifted: Vec<_> = resting
        .iter()
        .zip(&added)
        .map(|(transform, id)| {
            let mut transform = transform.clone();
            transform[10] = json!(transform[10].as_f64().unwrap() + 0.05);
            json!({"Transform": {"id": id, "parent_from_node": transform}})
        })
        .collect();
    client.send(&json!({"type": "edit", "edit": {"Batch": lifted}, "drag": 1}));
    scene_after(&mut client, 3);
    client.send(&json!({"type": "drop", "nodes": added, "input": null}));
    let scene = scene_after(&mut client, 4);
    for (id, resting) in added.iter().zip(resting) {
        let y = |transform: &Value| transform[10].as_f64().unwrap();
        let difference = y(&node(&scene, id)["parent_from_node"]) - y(&resting);
        assert!(difference.abs() < 1e-3, "back where it was: {difference}");
    }
    client.send(&json!({"type": "drop", "nodes": [9999], "input": null}));
    assert_eq!(client.wait_for("error")["message"], "there is no node 9999");
    let nodes = count(&scene, "nodes");
    client.send(&json!({"type": "remove", "nodes": added, "input": null}));
    let scene = scene_after(&mut client, 5);
    assert_eq!(count(&scene, "nodes"), nodes - 4, "two groups with a mesh each");
}

#[test]
fn malformed_forms_are_refused() {
    let viewer = viewer("cornell", None);
    let client = Client::join(&viewer);
    let authority = authority(&viewer);
    let multipart = "multipart/form-data; boundary=sep";
    let head = "--sep\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.obj\"\r\n\r\nv 0";
    for path in ["/add", "/texture?material=0&slot=normal_map"] {
        for (kind, body) in [
            ("text/plain", "v 0 0 0"),
            ("multipart/form-data", "--sep--"),
            (multipart, ""),
            (multipart, "--sep"),
            (multipart, head),
            (multipart, "\0\x01\x02"),
        ] {
            let separator = if path.contains('?') { '&' } else { '?' };
            let request = format!(
                "POST {path}{separator}client={} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\
                 Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
                client.id,
                body.len()
            );
            let answer = http(&authority, request.as_bytes());
            assert!(answer.contains(" 400 Bad Request"), "{path} {kind} {body:?}: {answer}");
        }
        let nameless = post(&authority, "/add?client=x&", client.id, &[("small.obj", OBJ)]);
        assert!(nameless.contains("400 Bad Request"), "{nameless}");
    }
}
