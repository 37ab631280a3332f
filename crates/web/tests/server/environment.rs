//! Upload of environment maps.

use serde_json::{Value, json};
use sunfleck_image::{DisplayOptions, Picture, encode_hdr, encode_png};
use sunfleck_math::Vec3;

use crate::common::{Client, authority, post, viewer};

fn map() -> Picture {
    Picture::from_fn(16, 8, |_, y| Vec3::splat(if y < 4 { 3.0 } else { 0.25 })).unwrap()
}

#[test]
fn a_map_lights_the_scene_and_can_be_undone() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let before = client.wait_for("scene");
    let dark = client.finished(before["revision"].as_u64().unwrap(), 2);
    let hdr = encode_hdr(&map());
    let png = encode_png(&map(), &DisplayOptions::default()).unwrap();
    for (file, bytes, steps) in [("sky.hdr", &hdr, 1), ("sky.PNG", &png, 2)] {
        let answer = post(&authority(&viewer), "/environment", client.id, &[(file, bytes)]);
        assert!(answer.contains("200 OK"), "{answer}");
        let scene = client.wait_for("scene");
        assert!(scene["environment"]["Map"]["texture"].is_u64(), "{}", scene["environment"]);
        assert_eq!(scene["steps"], json!([steps, 0]));
        assert!(scene["textures"].as_array().unwrap().iter().any(|texture| texture["name"] == file));
        let lit = client.finished(scene["revision"].as_u64().unwrap(), 2);
        assert_ne!(lit, dark, "{file} changes the image");
    }
    for _ in 0..2 {
        client.send(&json!({"type": "undo"}));
    }
    let after = client.wait_where("scene", |scene| scene["steps"] == json!([0, 2]));
    assert_eq!(after["environment"], before["environment"]);
    assert_eq!(client.finished(after["revision"].as_u64().unwrap(), 2), dark, "the same bits as before");
}

#[test]
fn invalid_maps_are_explained() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let environment = client.wait_for("scene")["environment"].clone();
    for (file, bytes, expected) in [
        ("sky.hdr", &b"#?RADIANCE\nrubbish"[..], "sky.hdr: "),
        ("sky.exr", b"\x76\x2f\x31\x01", "sky.exr: "),
        ("sky.txt", b"blue", "sky.txt is not an environment map; supported formats: .hdr"),
    ] {
        let answer = post(&authority(&viewer), "/environment", client.id, &[(file, bytes)]);
        assert!(answer.contains("400 Bad Request") && answer.contains(expected), "{answer}");
    }
    let nothing = post(&authority(&viewer), "/environment", client.id, &[]);
    assert!(nothing.contains("400 Bad Request"), "{nothing}");
    let watcher = Client::join(&viewer);
    let hdr = encode_hdr(&map());
    let refused = post(&authority(&viewer), "/environment", watcher.id, &[("sky.hdr", &hdr)]);
    assert!(refused.contains("409 Conflict") && refused.contains("take over"), "{refused}");
    let scene: Value = Client::join(&viewer).wait_for("scene");
    assert_eq!(scene["environment"], environment);
}
