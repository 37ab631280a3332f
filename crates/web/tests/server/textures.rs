//! Images as textures of materials.

use serde_json::{Value, json};
use sunfleck_image::encode_png_texels;

use crate::common::{Client, authority, get, get_bytes, post, viewer};

fn png() -> Vec<u8> {
    encode_png_texels(2, 1, &[[200, 20, 20, 255], [20, 20, 200, 255]]).unwrap()
}

fn material(scene: &Value, id: u64) -> &Value {
    &scene["materials"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap()["material"]
}

/// Returns the row of a texture of the scene.
fn texture<'a>(scene: &'a Value, id: &Value) -> &'a Value {
    scene["textures"].as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap()
}

#[test]
fn an_image_becomes_a_texture_in_one_step() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    let before = client.wait_for("scene");
    let plain = client.finished(before["revision"].as_u64().unwrap(), 2);
    let authority = authority(&viewer);
    let id = before["materials"][0]["id"].as_u64().unwrap();
    let slot = match material(&before, id)["surface"].as_object().unwrap().keys().next().unwrap().as_str() {
        "Lambert" => "albedo",
        _ => "base_color",
    };
    let mut steps = 0;
    for (slot, encoding) in [(slot, "srgb"), ("normal_map", "linear"), ("texture", "srgb")] {
        let answer = post_image(&authority, id, slot, client.id, &[("checks.png", &png())]);
        assert!(answer.contains("200 OK"), "{answer}");
        let answer: Value = serde_json::from_str(answer.rsplit("\r\n\r\n").next().unwrap()).unwrap();
        steps += 1;
        let scene = client.wait_where("scene", |scene| scene["steps"] == json!([steps, 0]));
        let row = texture(&scene, &answer["texture"]);
        assert_eq!(
            (&row["name"], &row["width"], &row["encoding"]),
            (&json!("checks"), &json!(2), &json!(encoding)),
            "{slot}"
        );
        let text = material(&scene, id).to_string();
        assert!(text.contains(&format!("\"texture\":{}", answer["texture"])), "{slot}: {text}");
        let (head, body) = get_bytes(&authority, &format!("/thumbnail.png?texture={}", answer["texture"]));
        assert!(head.contains("200 OK") && body.starts_with(b"\x89PNG"), "{head}");
        assert!(head.contains("no-store"), "the content is not named: {head}");
        let named = format!("/thumbnail.png?texture={}&content=1-{}", answer["texture"], scene["document"]);
        let (head, same) = get_bytes(&authority, &named);
        assert!(head.contains("max-age=") && !head.contains("no-store") && same == body, "{head}");
    }
    for _ in 0..steps {
        client.send(&json!({"type": "undo"}));
    }
    let after = client.wait_where("scene", |scene| scene["steps"] == json!([0, steps]));
    assert_eq!(after["materials"], before["materials"]);
    assert_eq!(client.finished(after["revision"].as_u64().unwrap(), 2), plain, "the same bits as before");
}

/// Posts an image as texture of a material.
fn post_image(authority: &str, material: u64, slot: &str, client: u64, files: &[(&str, &[u8])]) -> String {
    // `post` appends the client
    post(authority, &format!("/texture?material={material}&slot={slot}&"), client, files)
}

#[test]
fn invalid_images_and_slots_are_explained() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let before = client.wait_for("scene");
    let authority = authority(&viewer);
    let material = before["materials"][0]["id"].as_u64().unwrap();
    let png = png();
    for (files, expected) in [
        (vec![("bad.png", &png[..20])], "bad.png: "),
        (vec![("letter.txt", b"Dear")], "letter.txt: "),
        (vec![], "no file was uploaded"),
    ] {
        let answer = post_image(&authority, material, "normal_map", client.id, &files);
        assert!(answer.contains("400 Bad Request") && answer.contains(expected), "{answer}");
    }
    let files = [("checks.png", &png[..])];
    for (material, slot, expected) in [
        (material, "roughness", "has no texture `roughness`"),
        (4000, "normal_map", "there is no material 4000"),
    ] {
        let answer = post_image(&authority, material, slot, client.id, &files);
        assert!(answer.contains("409 Conflict") && answer.contains(expected), "{answer}");
    }
    let nameless = post(&authority, "/texture?", client.id, &files);
    assert!(nameless.contains("400 Bad Request"), "{nameless}");
    let watcher = Client::join(&viewer);
    let refused = post_image(&authority, material, "normal_map", watcher.id, &files);
    assert!(refused.contains("409 Conflict") && refused.contains("take over"), "{refused}");
    for (path, expected) in [
        ("/thumbnail.png?texture=4000", "404 Not Found"),
        ("/thumbnail.png?texture=x", "400 Bad Request"),
        ("/thumbnail.png", "400 Bad Request"),
    ] {
        let answer = get(&authority, path, "");
        assert!(answer.contains(expected), "{path}: {answer}");
    }
    assert_eq!(Client::join(&viewer).wait_for("scene")["revision"], before["revision"]);
}
