//! Upload of scenes.

use crate::common::{Client, authority, upload, viewer};

const OBJ: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn an_uploaded_scene_replaces_the_old_one() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    assert_eq!(client.wait_for("scene")["name"], "cornell");
    let answer = upload(&authority(&viewer), client.id, &[("mine.obj", OBJ)]);
    assert!(answer.contains("200 OK"), "{answer}");
    let scene = client.wait_for("scene");
    assert_eq!((&scene["name"], &scene["triangles"]), (&"mine.obj".into(), &1.into()));
    client.wait_for_frame(|_| true);
}

#[test]
fn a_broken_file_is_explained_and_the_old_scene_stays() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    for (name, bytes, expected) in [
        ("bad.obj", &b"v 0 0 zero\n"[..], "bad.obj:1:7: \"zero\" is not a number"),
        ("bad.glb", b"glTF\x02\0\0\0", "bad.glb"),
        ("letter.txt", b"Dear", "none of these files is a scene"),
    ] {
        let answer = upload(&authority(&viewer), client.id, &[(name, bytes)]);
        assert!(answer.contains("400 Bad Request") && answer.contains(expected), "{answer}");
    }
    assert_eq!(client.wait_for("scene")["name"], "cornell");
}

#[test]
fn only_the_editor_opens_scenes() {
    let viewer = viewer("cornell", None);
    let _editor = Client::join(&viewer);
    let watcher = Client::join(&viewer);
    let answer = upload(&authority(&viewer), watcher.id, &[("mine.obj", OBJ)]);
    assert!(answer.contains("409 Conflict") && answer.contains("take over"), "{answer}");
}
