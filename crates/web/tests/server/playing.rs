//! Animations, and saving and opening of scenes.

use serde_json::{Value, json};
use sunfleck_math::Affine3;
use sunfleck_scene::{
    Animation, AnimationId, Curve, Interpolation, NodeId, NodeMotion, NodeTransform, Scene, SceneEdit,
};

use crate::common::{Client, authority, get_bytes, upload, viewer, viewer_of};

/// Makes the Cornell box with a short block that rises by 20 cm within two seconds.
fn rising() -> (Scene, NodeId) {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let (id, node) = scene.nodes().find(|(_, node)| node.name.contains("short")).unwrap();
    let Affine3 { translation, .. } = node.parent_from_node;
    let rest = NodeTransform { translation, ..NodeTransform::default() };
    let up = translation + sunfleck_math::Vec3::Y * 0.2;
    let values = [translation.to_array(), up.to_array()].concat();
    let curve = Curve { interpolation: Interpolation::Linear, times_secs: vec![0.0, 2.0], values };
    let motion = NodeMotion { node: id, rest, translation: Some(curve), rotation: None, scale: None };
    let animation = Animation { name: "rising".into(), nodes: vec![motion], weights: vec![] };
    let edit = SceneEdit::Animation { id: AnimationId(0), animation: Some(animation.into()) };
    scene.apply(edit).unwrap();
    (scene, id)
}

fn moment(client: &mut Client, secs: Value, plays: bool) {
    client.send(&json!({"type": "moment", "animation": 0, "secs": secs, "plays": plays, "input": 9}));
}

#[test]
fn times_are_shown_and_are_not_undo_steps() {
    let (scene, id) = rising();
    let viewer = viewer_of("rising", scene, None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let scene = client.wait_for("scene");
    assert_eq!(scene["animations"], json!([{"id": 0, "name": "rising", "duration_secs": 2.0}]));
    let height = |scene: &Value| {
        let rows = scene["nodes"].as_array().unwrap();
        rows.iter().find(|row| row["id"] == json!(id)).unwrap()["node"]["parent_from_node"][10]
            .as_f64()
            .unwrap()
    };
    let low = height(&scene);
    let before = client.finished(scene["revision"].as_u64().unwrap(), 2);

    moment(&mut client, json!(1.0), false);
    let middle = client.wait_for("scene");
    assert!((height(&middle) - low - 0.1).abs() < 1e-6, "half of the rise: {low} → {}", height(&middle));
    assert_eq!(middle["steps"], json!([0, 0]), "nothing to undo");
    let half = client.finished(middle["revision"].as_u64().unwrap(), 2);
    assert_ne!(half, before, "the block has risen");
    client.send(&json!({"type": "command-line"}));
    let line = client.wait_for("command-line")["line"].clone();
    assert!(line.as_str().unwrap().contains("--animation 0 --at 1 "), "{line}");

    // While the animation plays, the scene is not sent
    for i in 1..8 {
        moment(&mut client, json!(0.25 * f64::from(i)), true);
        client.wait_for_frame(|header| header["input"] == 9);
    }
    moment(&mut client, Value::Null, false);
    let after = client.wait_for("scene");
    assert_eq!(height(&after), low, "at rest");
    assert_eq!(client.finished(after["revision"].as_u64().unwrap(), 2), before, "the same bits as before");
}

#[test]
fn times_of_unknown_animations_are_refused() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    moment(&mut client, json!(1.0), false);
    assert!(
        client.wait_for("error")["message"].as_str().unwrap().contains("animation"),
        "the scene has no animation"
    );
}

#[test]
fn a_node_that_an_animation_moves_can_be_removed() {
    let (scene, id) = rising();
    let viewer = viewer_of("rising", scene, None);
    let mut client = Client::join(&viewer);
    client.wait_for("scene");
    client.send(&json!({"type": "remove", "nodes": [id], "input": null}));
    let scene = client.wait_for("scene");
    assert_eq!(scene["animations"], json!([]), "the animation is removed");
    client.send(&json!({"type": "undo"}));
    assert_eq!(client.wait_for("scene")["animations"][0]["name"], "rising");
}

#[test]
fn a_scene_that_was_changed_is_saved_and_opened_again() {
    let (scene, id) = rising();
    let viewer = viewer_of("rising", scene, None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    client.wait_for("scene");
    let light = json!({"name": "lamp", "emission": [2.0, 1.0, 0.5], "kind": "Point"});
    let lamp = json!({
        "name": "lamp", "parent": null, "visible": true, "instance": null, "camera": null, "light": 0,
        "parent_from_node": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.5, 0.1],
    });
    let shift =
        json!({"Transform": {"id": id, "parent_from_node": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.05, 0.0, 0.0]}});
    let both = json!([{"Light": {"id": 0, "light": light}}, {"Node": {"id": 4000, "node": lamp}}, shift]);
    client.send(&json!({"type": "edit", "edit": {"Batch": both}}));
    let changed = client.wait_for("scene");
    let picture = client.finished(changed["revision"].as_u64().unwrap(), 2);

    let (head, glb) = get_bytes(&authority(&viewer), "/scene.glb");
    assert!(head.contains("200 OK") && head.contains("rising.glb"), "{head}");
    let answer = upload(&authority(&viewer), client.id, &[("again.glb", &glb)]);
    assert!(answer.contains("200 OK"), "{answer}");
    let again = client.wait_for("scene");
    assert_eq!((&again["name"], &again["triangles"]), (&json!("again.glb"), &changed["triangles"]));
    let names = |scene: &Value| -> Vec<String> {
        scene["nodes"].as_array().unwrap().iter().map(|row| row["node"]["name"].to_string()).collect()
    };
    assert_eq!(names(&again), names(&changed));
    assert_eq!(again["animations"], changed["animations"]);
    assert_eq!(client.finished(again["revision"].as_u64().unwrap(), 2), picture, "the same bits");
}
