//! Edits, undo and redo.

use serde_json::{Value, json};

use crate::common::{Client, keeping_viewer, viewer};

/// Picks the object left of the centre.
fn pick(client: &mut Client) -> Value {
    client.send(&json!({"type": "pick", "x": 0.35, "y": 0.6}));
    client.wait_for("picked")["picked"].clone()
}

fn revision(client: &mut Client) -> u64 {
    client.wait_for("scene")["revision"].as_u64().unwrap()
}

#[test]
fn an_edit_changes_the_image_and_undo_restores_it_bit_for_bit() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(3);
    let first = revision(&mut client);
    let before = client.finished(first, 3);
    let picked = pick(&mut client);
    assert!(picked["name"].as_str().is_some_and(|name| !name.is_empty()), "{picked}");

    client.send(&json!({"type": "edit", "edit": {"Visible": {"id": picked["node"], "visible": false}}}));
    let second = revision(&mut client);
    let after = client.finished(second, 3);
    assert_ne!(before, after, "hiding `{}` changes the image", picked["name"]);
    assert_ne!(pick(&mut client)["node"], picked["node"], "hidden objects are not picked");

    client.send(&json!({"type": "undo"}));
    let third = revision(&mut client);
    assert_eq!(before, client.finished(third, 3), "the same bits as before");
    client.send(&json!({"type": "redo"}));
    let fourth = revision(&mut client);
    assert_eq!(after, client.finished(fourth, 3), "redo restores the edit");
}

#[test]
fn answers_have_the_number_of_their_request() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let mut pick = |number: Option<u64>, x: f32| {
        client.send(&json!({"type": "pick", "x": x, "y": 0.6, "number": number}));
        client.wait_for("picked")
    };
    let picked = pick(Some(7), 0.35);
    assert!(picked["number"] == 7 && !picked["picked"].is_null(), "{picked}");
    assert_eq!(pick(None, 0.35)["number"], json!(null));
    client.send(&json!({"type": "save", "number": 8}));
    assert_eq!(client.wait_for("saved")["number"], 8);
    let mut watcher = Client::join(&viewer);
    watcher.send(&json!({"type": "save", "number": 9}));
    assert_eq!(watcher.wait_for("not-saved")["number"], 9);
}

#[test]
fn materials_lights_and_copies_are_edits() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let scene = client.wait_for("scene");
    let mut picture = client.finished(scene["revision"].as_u64().unwrap(), 2);
    let picked = pick(&mut client);
    let row = |rows: &Value, id: &Value| {
        rows.as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap().clone()
    };
    let node = row(&scene["nodes"], &picked["node"])["node"].clone();
    let mut material = row(&scene["materials"], &picked["material"])["material"].clone();
    material["emission"]["radiance"] = json!([3.0, 1.0, 0.2]);
    let mut copy = node;
    copy["parent_from_node"][10] = json!(copy["parent_from_node"][10].as_f64().unwrap() + 0.3);
    let light = json!({"name": "lamp", "emission": [2.0, 2.0, 2.0], "kind": "Point"});
    let lamp = json!({
        "name": "lamp", "parent": null, "visible": true, "instance": null, "camera": null, "light": scene["next"]["light"],
        "parent_from_node": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.5, 0.1],
    });
    let next = scene["next"]["node"].as_u64().unwrap();
    for edit in [
        json!({"Material": {"id": picked["material"], "material": material}}),
        json!({"Node": {"id": next, "node": copy}}),
        json!({"Batch": [
            {"Light": {"id": scene["next"]["light"], "light": light}},
            {"Node": {"id": next + 1, "node": lamp}},
        ]}),
    ] {
        client.send(&json!({"type": "edit", "edit": edit}));
        let revision = revision(&mut client);
        let now = client.finished(revision, 2);
        assert_ne!(now, picture, "{edit}");
        picture = now;
    }
}

#[test]
fn refused_edits_are_explained_and_change_nothing() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    for (edit, expected) in [
        (json!({"Visible": {"id": 4000, "visible": false}}), "there is no node 4000"),
        (json!({"Material": {"id": 0, "material": null}}), "still used by"),
        (json!({"Explode": {}}), "unknown variant `Explode`"),
    ] {
        client.send(&json!({"type": "edit", "edit": edit}));
        let error = client.wait_for("error");
        assert!(error["message"].as_str().unwrap().contains(expected), "{error}");
    }
    client.send(&json!({"type": "undo"}));
    assert_eq!(client.wait_for("error")["message"], "there is nothing to undo");
}

#[test]
fn one_edits_at_a_time() {
    let viewer = viewer("cornell", None);
    let mut first = Client::join(&viewer);
    let mut second = Client::join(&viewer);
    let undo = json!({"type": "undo"});
    second.send(&undo);
    assert!(second.wait_for("error")["message"].as_str().unwrap().contains("another browser is editing"));
    second.send(&json!({"type": "control", "take": true}));
    let id = second.id;
    second.wait_where("view", |view| view["editor"] == id);
    second.send(&undo);
    assert_eq!(second.wait_for("error")["message"], "there is nothing to undo");
    first.send(&undo);
    assert!(first.wait_for("error")["message"].as_str().unwrap().contains("another browser is editing"));
    drop(second);
    let id = first.id;
    first.wait_where("view", |view| view["editor"] == id);
}
