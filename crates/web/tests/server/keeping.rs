//! Nothing is lost: undo of opening, saving, recovery, recent scenes.

use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};

use crate::common::{Client, TIMEOUT, authority, get, keeping, keeping_viewer, upload, viewer};

const OBJ: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// Hides the first node with a mesh and returns its id.
fn hide(client: &mut Client, scene: &Value) -> Value {
    let nodes = scene["nodes"].as_array().unwrap();
    let id = nodes.iter().find(|row| !row["node"]["instance"].is_null()).unwrap()["id"].clone();
    client.send(&json!({"type": "edit", "edit": {"Visible": {"id": id, "visible": false}}}));
    id
}

fn is_visible(scene: &Value, id: &Value) -> bool {
    let nodes = scene["nodes"].as_array().unwrap();
    nodes.iter().find(|row| row["id"] == *id).unwrap()["node"]["visible"] == true
}

/// Waits for a message `scene` that satisfies a condition.
fn scene_where(client: &mut Client, condition: impl Fn(&Value) -> bool) -> Value {
    client.wait_where("scene", condition)
}

/// Returns the newest message of a type, as a client that has just joined gets it.
fn newest(viewer: &Viewer, kind: &str) -> Value {
    Client::join(viewer).wait_for(kind)
}

/// Waits until the newest message of a type satisfies a condition, and returns it.
fn newest_where(viewer: &Viewer, kind: &str, condition: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let message = newest(viewer, kind);
        if condition(&message) {
            return message;
        }
        assert!(start.elapsed() < TIMEOUT, "{message}");
    }
}

/// Returns the names of the files in a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn opening_is_a_step_of_undo_and_redo() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set(json!({"size": [64, 48], "samples": 2, "exposure": 1.5}));
    let scene = client.wait_for("scene");
    let id = hide(&mut client, &scene);
    let edited = scene_where(&mut client, |scene| scene["steps"] == json!([2, 0]));
    assert_eq!(edited["unsaved"], true);
    let mut pose = newest(&viewer, "view")["pose"].clone();
    pose["world_from_view"][9] = json!(0.25);
    client.send(&json!({"type": "camera", "pose": pose}));
    let before = client.finished(edited["revision"].as_u64().unwrap(), 2);
    let answer = upload(&authority(&viewer), client.id, &[("mine.obj", OBJ)]);
    assert!(answer.contains("200 OK"), "{answer}");
    let opened = scene_where(&mut client, |scene| scene["name"] == "mine.obj");
    assert_eq!((&opened["steps"], &opened["unsaved"]), (&json!([3, 0]), &json!(false)));

    client.send(&json!({"type": "undo"}));
    let back = scene_where(&mut client, |scene| scene["name"] == "cornell");
    assert_eq!((&back["steps"], &back["unsaved"]), (&json!([2, 1]), &json!(true)));
    assert!(!is_visible(&back, &id));
    assert_eq!(
        client.finished(back["revision"].as_u64().unwrap(), 2),
        before,
        "camera and exposure are back, too"
    );
    client.send(&json!({"type": "undo"}));
    let exposed = scene_where(&mut client, |scene| scene["steps"] == json!([1, 2]));
    assert!(is_visible(&exposed, &id) && exposed["unsaved"] == true);
    client.send(&json!({"type": "undo"}));
    let original = scene_where(&mut client, |scene| scene["steps"] == json!([0, 3]));
    assert!(is_visible(&original, &id) && original["unsaved"] == false);
    for steps in [[1, 2], [2, 1], [3, 0]] {
        client.send(&json!({"type": "redo"}));
        scene_where(&mut client, |scene| scene["steps"] == json!(steps));
    }
    client.send(&json!({"type": "undo"}));
    let again = scene_where(&mut client, |scene| scene["name"] == "cornell");
    hide(&mut client, &again);
    let other = scene_where(&mut client, |scene| scene["steps"] == json!([3, 0]));
    assert_eq!(other["name"], "cornell", "an edit ends the steps of redo");
}

#[test]
fn a_scene_is_saved_beside_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.obj");
    std::fs::write(&file, OBJ).unwrap();
    let loaded = sunfleck_io::load(&file).unwrap();
    let scene = ViewerScene::new("model.obj", loaded.scene, Default::default(), Vec::new()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let viewer = Viewer::start(scene.of_file(&file, Default::default()), &keeping(elsewhere.path())).unwrap();
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    assert_eq!(scene["unsaved"], false);
    hide(&mut client, &scene);
    scene_where(&mut client, |scene| scene["unsaved"] == true);
    client.send(&json!({"type": "save"}));
    let saved = client.wait_for("saved");
    let path = folder.path().join("model-edited.glb");
    assert_eq!(saved["path"], json!(path));
    assert!(sunfleck_io::load(&path).unwrap().scene.nodes().any(|(_, node)| !node.visible));
    client.send(&json!({"type": "undo"}));
    scene_where(&mut client, |scene| scene["unsaved"] == true);
    client.send(&json!({"type": "redo"}));
    scene_where(&mut client, |scene| scene["unsaved"] == false);
    client.send(&json!({"type": "undo"}));
    client.send(&json!({"type": "save"}));
    assert_eq!(client.wait_for("saved")["path"], json!(path), "the same file");
    assert_eq!(files(folder.path()), ["model-edited.glb", "model.obj"]);
}

#[test]
fn an_overwritten_file_is_not_the_scene_that_was_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cornell-edited.glb");
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    client.send(&json!({"type": "save"}));
    assert_eq!(client.wait_for("saved")["path"], json!(path));
    drop((client, viewer));

    let loaded = sunfleck_io::load(&path).unwrap();
    let scene = ViewerScene::new("cornell-edited.glb", loaded.scene, Default::default(), Vec::new()).unwrap();
    let viewer = Viewer::start(scene.of_file(&path, Default::default()), &keeping(folder.path())).unwrap();
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    client.send(&json!({"type": "command-line"}));
    assert_eq!(client.wait_for("command-line")["file"], json!(null), "the file has this scene");
    hide(&mut client, &scene);
    client.send(&json!({"type": "save"}));
    assert_eq!(client.wait_for("saved")["path"], json!(path), "the viewer wrote it");
    client.send(&json!({"type": "undo"}));
    client.send(&json!({"type": "command-line"}));
    let copy = folder.path().join("cornell-command.glb");
    assert_eq!(client.wait_for("command-line")["file"], json!(copy), "the opened one has the undone edit");
    assert!(sunfleck_io::load(&copy).unwrap().scene.nodes().all(|(_, node)| node.visible));
}

#[test]
fn a_scene_that_cannot_be_saved_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let options = ViewerOptions { save_folder: folder.path().join("none"), ..ViewerOptions::default() };
    let scene = sunfleck_models::build("cornell").unwrap();
    let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
    let viewer = Viewer::start(scene, &options).unwrap();
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene);
    client.send(&json!({"type": "save"}));
    let message = client.wait_for("not-saved")["message"].as_str().unwrap().to_string();
    assert!(message.starts_with("the scene cannot be saved in "), "{message}");
    let mut watcher = Client::join(&viewer);
    watcher.send(&json!({"type": "save"}));
    assert!(watcher.wait_for("not-saved")["message"].as_str().unwrap().contains("take over first"));

    // Each request `save` has one answer `saved` or `not-saved`, and nothing else has
    client.send(&json!({"type": "command-line"}));
    let message = client.wait_for("no-command-line")["message"].as_str().unwrap().to_string();
    assert!(message.starts_with("the scene cannot be saved in "), "{message}");
}

#[test]
fn unsaved_edits_are_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let recovery = folder.path().join("state/recovery");
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    let id = hide(&mut client, &scene);
    scene_where(&mut client, |scene| scene["unsaved"] == true);
    let mut pose = newest(&viewer, "view")["pose"].clone();
    pose["world_from_view"][9] = json!(0.25);
    client.send(&json!({"type": "camera", "pose": pose}));
    client.set(json!({"algorithm": "whitted", "samples": 3}));
    client.wait_where("view", |view| view["samples"] == 3);
    drop((client, viewer));
    assert_eq!(files(&recovery).len(), 1, "unsaved edits are kept when the server ends");

    let viewer = keeping_viewer("erw6", folder.path());
    let mut client = Client::join(&viewer);
    let lists = newest_where(&viewer, "files", |files| files["unsaved"] != json!([]));
    let offered = &lists["unsaved"][0];
    assert_eq!(offered["name"], "cornell");
    assert!(offered["secs"].as_u64().unwrap() > 1_700_000_000);
    client.send(&json!({"type": "recover", "number": offered["number"], "discard": false}));
    let recovered = scene_where(&mut client, |scene| scene["name"] == "cornell");
    assert_eq!((&recovered["unsaved"], &recovered["steps"]), (&json!(true), &json!([1, 0])));
    assert!(!is_visible(&recovered, &id));
    let view = newest(&viewer, "view");
    assert_eq!((&view["pose"], &view["algorithm"], &view["samples"]), (&pose, &json!("whitted"), &json!(3)));
    newest_where(&viewer, "files", |files| files["unsaved"] == json!([]));
    client.send(&json!({"type": "save"}));
    assert_eq!(client.wait_for("saved")["path"], json!(folder.path().join("cornell-edited.glb")));
    drop((client, viewer));
    assert_eq!(files(&recovery), [""; 0], "nothing is left to recover");
}

#[test]
fn recovery_files_are_written_while_editing_and_deleted_by_undo() {
    let folder = tempfile::tempdir().unwrap();
    let recovery = folder.path().join("state/recovery");
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene);
    let written = || files(&recovery).first().is_some_and(|name| files(&recovery.join(name)).len() == 3);
    let start = Instant::now();
    while !written() {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", files(&recovery));
        std::thread::sleep(Duration::from_millis(20));
    }
    client.send(&json!({"type": "undo"}));
    while written() {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", files(&recovery));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a viewer of the Cornell box that cannot write recovery files until a file is removed; returns that, too.
fn viewer_without_recovery(folder: &Path) -> (Viewer, PathBuf) {
    let recovery = folder.join("state/recovery");
    std::fs::create_dir_all(recovery.parent().unwrap()).unwrap();
    // A file is where the folder should be
    std::fs::write(&recovery, "in the way").unwrap();
    (keeping_viewer("cornell", folder), recovery)
}

/// Whether unsaved edits cannot be kept.
fn is_failing(view: &Value) -> bool {
    view["problem"].as_str().is_some_and(|problem| problem.contains("would be lost"))
}

#[test]
fn recovery_files_that_cannot_be_written_are_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, recovery) = viewer_without_recovery(folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene);
    client.wait_where("view", is_failing);
    std::fs::remove_file(&recovery).unwrap();
    client.wait_where("view", |view| view["problem"].is_null());
    assert_eq!(files(&recovery).len(), 1, "they are written without another edit");
}

#[test]
fn recovery_files_of_another_scene_are_tried_again_once_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, recovery) = viewer_without_recovery(folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene);
    assert!(upload(&authority(&viewer), client.id, &[("mine.obj", OBJ)]).contains("200 OK"));
    client.wait_where("view", is_failing);
    // Longer than edits wait for their recovery file
    std::thread::sleep(Duration::from_secs(3));
    std::fs::remove_file(&recovery).unwrap();
    client.send(&json!({"type": "undo"}));
    client.wait_where("view", |view| view["problem"].is_null());
    assert_eq!(files(&recovery).len(), 1, "they are written without another edit");
}

#[test]
fn a_scene_that_is_gone_has_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, _) = viewer_without_recovery(folder.path());
    let mut client = Client::join(&viewer);
    assert!(upload(&authority(&viewer), client.id, &[("mine.obj", OBJ)]).contains("200 OK"));
    let scene = scene_where(&mut client, |scene| scene["name"] == "mine.obj");
    hide(&mut client, &scene);
    client.send(&json!({"type": "save"}));
    client.wait_for("saved");
    client.send(&json!({"type": "undo"}));
    client.wait_where("view", is_failing);
    client.send(&json!({"type": "undo"}));
    let scene = scene_where(&mut client, |scene| scene["name"] == "cornell");
    // The edit makes the other scene unreachable for redo, and nothing is unsaved after it is undone
    hide(&mut client, &scene);
    client.send(&json!({"type": "undo"}));
    client.wait_where("view", |view| view["problem"].is_null());
}

#[test]
fn recent_scenes_are_opened_by_number() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    assert!(upload(&authority(&viewer), client.id, &[("mine.obj", OBJ)]).contains("200 OK"));
    let files = newest_where(&viewer, "files", |files| files["recent"].as_array().unwrap().len() == 2);
    let list = &files["recent"];
    assert_eq!((&list[0]["name"], &list[1]["name"]), (&json!("mine.obj"), &json!("cornell")));
    for name in ["cornell", "mine.obj"] {
        let list = newest(&viewer, "files")["recent"].clone();
        let row = list.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        client.send(&json!({"type": "recent", "number": row["number"]}));
        scene_where(&mut client, |scene| scene["name"] == name);
        // Opening moves it to the front, with another number
        if name == "cornell" {
            newest_where(&viewer, "files", |files| files["recent"][0]["name"] == "cornell");
        }
    }
    client.send(&json!({"type": "recent", "number": 4000}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("no longer in the list"));
}

#[test]
fn two_saves_at_once_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    hide(&mut client, &scene);
    scene_where(&mut client, |scene| scene["unsaved"] == true);
    client.send(&json!({"type": "save"}));
    client.send(&json!({"type": "save"}));
    let paths = [client.wait_for("saved"), client.wait_for("saved")].map(|saved| saved["path"].clone());
    assert_eq!(paths[0], paths[1]);
}

#[test]
fn files_that_are_no_scene_leave_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let client = Client::join(&viewer);
    assert!(upload(&authority(&viewer), client.id, &[("mine.obj", b"v 0 nought")]).contains("400"));
    let watcher = Client::join(&viewer);
    assert!(upload(&authority(&viewer), watcher.id, &[("mine.obj", OBJ)]).contains("409"));
    assert_eq!(files(&folder.path().join("state/uploads")), [""; 0]);
}

#[test]
fn other_machines_are_not_told_of_other_scenes() {
    let folder = tempfile::tempdir().unwrap();
    let options = ViewerOptions {
        bind: std::net::Ipv4Addr::UNSPECIFIED.into(),
        token: Some("opensesame".into()),
        ..keeping(folder.path())
    };
    let scene = sunfleck_models::build("cornell").unwrap();
    let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
    let viewer = Viewer::start(scene, &options).unwrap();
    let mut client = Client::join(&viewer);
    let files = client.wait_for("files");
    assert_eq!((&files["recent"], &files["unsaved"]), (&json!([]), &json!([])));
    client.send(&json!({"type": "recent", "number": 1}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("no longer in the list"));
}

#[test]
fn the_session_outlives_its_browser() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    let scene = client.wait_for("scene");
    let id = hide(&mut client, &scene);
    scene_where(&mut client, |scene| scene["unsaved"] == true);
    // The system closes the connection of a browser that has crashed, without a farewell
    client.socket.get_ref().shutdown(std::net::Shutdown::Both).unwrap();
    let mut next = Client::join(&viewer);
    let scene = next.wait_for("scene");
    assert!(scene["unsaved"] == true && !is_visible(&scene, &id));
    newest_where(&viewer, "view", |view| view["editor"] == next.id);
    next.send(&json!({"type": "undo"}));
    assert!(is_visible(&scene_where(&mut next, |scene| scene["unsaved"] == false), &id));
}

#[test]
fn clients_are_told_when_the_server_ends() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    drop(viewer);
    let close = loop {
        match client.socket.read() {
            Ok(tungstenite::Message::Close(frame)) => break frame.unwrap(),
            Ok(_) => {}
            Err(error) => panic!("no farewell: {error}"),
        }
    };
    assert_eq!(u16::from(close.code), 1001);
}

#[test]
fn silent_connections_do_not_stop_the_page() {
    let viewer = viewer("cornell", None);
    let authority = authority(&viewer);
    let mut silent: Vec<_> = (0..300).map(|_| TcpStream::connect(&authority).unwrap()).collect();
    let start = Instant::now();
    assert!(get(&authority, "/", "").contains("200 OK"));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let newest = silent.last_mut().unwrap();
    newest.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut answer = Vec::new();
    let closed = newest.read_to_end(&mut answer);
    assert!(closed.is_ok(), "the newest is closed after a few seconds, too: {closed:?}");
}
