//! Frames, camera, settings, masks and downloads.

use serde_json::{Value, json};

use crate::common::{Client, authority, get, viewer};

#[test]
fn the_first_frame_is_sent_without_request() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let (header, jpeg) = client.wait_for_frame(|_| true);
    assert_eq!(header["mode"], "moving", "the first frame is a preview: {header}");
    assert!(jpeg.starts_with(&[0xff, 0xd8]) && jpeg.ends_with(&[0xff, 0xd9]), "it is a JPEG");
    let scene = Client::join(&viewer).wait_for("scene");
    assert_eq!((&scene["name"], scene["nodes"].as_array().unwrap().is_empty()), (&json!("cornell"), false));
}

#[test]
fn an_image_at_rest_is_refined_until_it_is_done() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(6);
    let mut samples = vec![0];
    while samples.last() != Some(&6) {
        let (header, _) = client.wait_for_frame(|header| header["mode"] == "rest");
        samples.push(header["samples"].as_u64().unwrap());
    }
    assert!(samples.windows(2).all(|pair| pair[0] < pair[1]), "{samples:?}");
}

#[test]
fn camera_changes_render_a_new_image_with_its_pose() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let mut pose: Value = client.wait_for("view")["pose"].clone();
    let before = client.finished(first_revision(&viewer), 2);
    pose["world_from_view"][9] = json!(pose["world_from_view"][9].as_f64().unwrap() + 0.5);
    client.send(&json!({"type": "camera", "pose": pose, "input": 41}));
    let (moving, _) = client.wait_for_frame(|header| header["input"] == 41);
    assert_eq!(moving["pose"]["world_from_view"], pose["world_from_view"]);
    let after = client.finished(first_revision(&viewer), 2);
    assert_ne!(before, after);
}

#[test]
fn masks_cover_the_picked_object() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(1);
    let (frame, _) = client.wait_for_frame(|header| header["mode"] == "rest");
    client.send(&json!({"type": "pick", "x": 0.35, "y": 0.6}));
    let node = client.wait_for("picked")["picked"]["node"].clone();
    client.send(&json!({"type": "silhouette", "node": node, "pose": frame["pose"], "number": 5}));
    let answer = client.wait_for("silhouette");
    assert_eq!(answer["number"], 5, "that of the request");
    let mask = answer["silhouette"].clone();
    assert_eq!((&mask["node"], &mask["width"], &mask["height"]), (&node, &json!(320), &json!(240)));
    let mut cells = Vec::new();
    for (i, run) in mask["runs"].as_array().unwrap().iter().enumerate() {
        cells.resize(cells.len() + usize::try_from(run.as_u64().unwrap()).unwrap(), i % 2 == 1);
    }
    assert_eq!(cells.len(), 320 * 240);
    assert!(cells[144 * 320 + 112], "the mask covers the picked position");
    assert!(!cells[0], "the mask does not cover the corner");
}

#[test]
fn a_free_view_of_an_object_is_found() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let (frame, _) = client.wait_for_frame(|_| true);
    client.send(&json!({"type": "free-space", "pose": frame["pose"], "x": 0.41, "y": 0.645}));
    let surface = client.wait_for("free-space")["surface"].clone();
    client.send(&json!({"type": "pick", "x": 0.41, "y": 0.645, "pose": frame["pose"]}));
    let picked = client.wait_for("picked")["picked"].clone();
    assert_eq!(surface, picked["position"]);
    let sphere = json!({"center": surface, "radius": 0.1});
    let mut focus = |backward: [f32; 3], distance: f32| {
        let wanted = json!({"backward": backward, "distance": distance});
        client.send(&json!({"type": "focus", "nodes": [picked["node"]], "sphere": sphere, "wanted": wanted}));
    };
    // From below, the floor would be in front of it
    focus([0.0, -1.0, 0.0], 1.0);
    focus([0.0, 0.0, 0.0], 1.0);
    focus([0.0, 0.0, 1.0], -1.0);
    let answer = client.wait_for("focus");
    assert_eq!(answer["sphere"]["center"], surface);
    assert!(answer["view"]["backward"][1].as_f64().unwrap() > 0.0, "{answer}");
    for part in ["direction", "positive"] {
        let error = client.wait_for("error")["message"].clone();
        assert!(error.as_str().unwrap().contains(part), "{error}");
    }
}

fn first_revision(viewer: &sunfleck_web::Viewer) -> u64 {
    Client::join(viewer).wait_for("scene")["revision"].as_u64().unwrap()
}

#[test]
fn algorithms_and_channels_change_the_image() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let revision = client.wait_for("scene")["revision"].as_u64().unwrap();
    let mut seen = vec![client.finished(revision, 2)];
    for settings in [
        json!({"algorithm": "igi"}),
        json!({"algorithm": "whitted"}),
        json!({"channel": "depth"}),
        json!({"channel": "ids"}),
        json!({"channel": "", "algorithm": "igi", "preset": "preview"}),
        json!({"tone_curve": "linear", "exposure": 1.0}),
    ] {
        client.set(settings.clone());
        let now = loop {
            // A frame in flight may show the previous settings
            let frame = client.finished(revision, 2);
            if !seen.contains(&frame) {
                break frame;
            }
        };
        seen.push(now);
    }
    client.set(json!({"algorithm": "radar"}));
    let error = client.wait_for("error");
    assert!(error["message"].as_str().unwrap().contains("there is no integrator `radar`"), "{error}");
}

#[test]
fn images_and_command_lines_are_available() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(1);
    let revision = client.wait_for("scene")["revision"].as_u64().unwrap();
    client.finished(revision, 1);
    let png = get(&authority(&viewer), "/picture.png", "");
    assert!(
        png.contains("200 OK")
            && png.contains("image/png")
            && png.contains("cornell.png")
            && png.contains("IHDR")
    );
    let exr = get(&authority(&viewer), "/picture.exr", "");
    assert!(exr.contains("200 OK") && exr.contains("image/x-exr"));
    client.send(&json!({"type": "command-line", "number": 6}));
    let answer = client.wait_for("command-line");
    let line = answer["line"].as_str().unwrap();
    assert!(line.starts_with("sunfleck render cornell --width 64 --height 48"), "{line}");
    assert_eq!(answer["number"], 6, "that of the request");
}

#[test]
fn command_lines_of_orbited_views_need_no_file() {
    // Where it would be saved, there is no folder
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(1);
    let mut pose = client.wait_for("view")["pose"].clone();
    // As the page computes it from a yaw of 0.5 and a pitch of 0.3 radians
    let [(sin_yaw, cos_yaw), (sin, cos)] =
        [(0.479425538604203, 0.8775825618903728), (0.29552020666133955, 0.955336489125606)];
    let axes = [
        [cos_yaw, 0.0, -sin_yaw],
        [-sin * sin_yaw, cos, -sin * cos_yaw],
        [sin_yaw * cos, sin, cos_yaw * cos],
        [0.31, 0.27, 0.93],
    ];
    #[expect(clippy::cast_possible_truncation, reason = "as the page rounds them")]
    let rounded = axes.as_flattened().iter().map(|&x: &f64| x as f32).collect::<Vec<_>>();
    pose["world_from_view"] = json!(rounded);
    client.send(&json!({"type": "camera", "pose": pose}));
    client.send(&json!({"type": "command-line"}));
    let answer = client.wait_for("command-line");
    let line = answer["line"].as_str().unwrap();
    assert!(answer["file"].is_null() && line.contains("--look-from 0.31,0.27,0.93 --look-at "), "{line}");
    let numbers = Client::join(&viewer).wait_for("view")["pose"]["world_from_view"].to_string();
    assert_eq!(serde_json::from_str::<Vec<f32>>(&numbers).unwrap(), rounded, "the page keeps its own pose");
}
