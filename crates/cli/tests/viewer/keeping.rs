//! Nothing is lost: command lines, recovery after a kill, signals, and connections that use up files.

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Animation, AnimationId, Curve, Interpolation, NodeMotion, NodeTransform, SceneEdit};
use tempfile::TempDir;

use crate::chromium::Browser;
use crate::common::{Client, get, get_bytes};
use crate::{SHOWN, SIZE, Server};

/// Hides an object, and waits until that is confirmed.
fn edit(client: &mut Client) {
    let scene = client.wait_for("scene");
    let nodes = scene["nodes"].as_array().unwrap();
    let id = nodes.iter().rfind(|row| !row["node"]["instance"].is_null()).unwrap()["id"].clone();
    client.send(&json!({"type": "edit", "edit": {"Visible": {"id": id, "visible": false}}}));
    client.wait_where("scene", |scene| scene["unsaved"] == true);
}

/// Renders the finished image by the command line that the server gives, and compares it with `/picture.png`.
///
/// * `width` — another one than before, by which the image is known.
fn assert_reproduced(server: &Server, client: &mut Client, folder: &Path, width: u32) -> String {
    let samples = width % 7 + 2;
    client.set(json!({"size": [width, 48], "samples": samples}));
    client.wait_for_frame(|header| {
        let is_done = header["samples"] == header["target"] && header["denoised"] == header["samples"];
        header["mode"] == "rest" && header["target"] == samples && is_done
    });
    let (head, shown) = get_bytes(server.authority(), "/picture.png");
    assert!(head.contains("200 OK"), "{head}");
    client.send(&json!({"type": "command-line"}));
    let line = client.wait_for("command-line")["line"].as_str().unwrap().to_string();
    let words: Vec<_> = line.split(' ').collect();
    assert_eq!(words[0], "sunfleck", "the program comes first");
    let run =
        Command::new(env!("CARGO_BIN_EXE_sunfleck")).args(&words[1..]).current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{line}: {run:?}");
    std::fs::write(folder.join("shown.png"), shown).unwrap();
    let [shown, rendered] =
        ["shown.png", "picture.png"].map(|name| sunfleck_image::read_picture(&folder.join(name)).unwrap());
    assert_eq!((shown.width(), shown.height()), (rendered.width(), rendered.height()), "size");
    let differing = shown.pixels().iter().zip(rendered.pixels()).filter(|(a, b)| a != b).count();
    assert_eq!(differing, 0, "pixels differ between the page and {line}");
    line
}

pub(crate) fn reproduces() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("cornell", "0", folder.path());
    let mut client = Client::join_at(server.authority());
    edit(&mut client);
    // A camera that is rolled, with automatic exposure
    let mut pose = Client::join_at(server.authority()).wait_for("view")["pose"].clone();
    let (sin, cos) = sunfleck_math::sin_cos(0.3);
    let [sin, cos] = [sin, cos].map(f64::from);
    let axes: Vec<f64> =
        pose["world_from_view"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for i in 0..3 {
        pose["world_from_view"][i] = json!(cos * axes[i] + sin * axes[3 + i]);
        pose["world_from_view"][3 + i] = json!(cos * axes[3 + i] - sin * axes[i]);
    }
    client.send(&json!({"type": "camera", "pose": pose}));
    client.set(json!({"tone_curve": "agx", "denoise": "features"}));
    let first = assert_reproduced(&server, &mut client, folder.path(), 64);
    assert!(first.contains("cornell-command.glb") && first.contains("--camera view-1"), "{first}");
    // Another view, after which the first command is still valid
    pose["world_from_view"][9] = json!(axes[9] + 0.1);
    client.send(&json!({"type": "camera", "pose": pose}));
    let second = assert_reproduced(&server, &mut client, folder.path(), 65);
    assert!(second.contains("--camera view-2"), "{second}");
    let words: Vec<_> = first.split(' ').skip(1).collect();
    let again =
        Command::new(env!("CARGO_BIN_EXE_sunfleck")).args(words).current_dir(folder.path()).output().unwrap();
    assert!(again.status.success(), "{again:?}");
}

pub(crate) fn reproduces_an_orbit() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("cornell", "0", folder.path());
    let mut client = Client::join_at(server.authority());
    let mut pose = client.wait_for("view")["pose"].clone();
    let numbers = |m: &Value| m.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
    let eye = numbers(&pose["world_from_view"])[9..].to_vec();
    // Slopes of 0.1 and 0.05 from the direction of the z axis, with the precision of JavaScript
    let unit = |x: f64| (x / (1.0 + x * x).sqrt(), 1.0 / (1.0 + x * x).sqrt());
    let ((sin_yaw, cos_yaw), (sin, cos)) = (unit(0.1), unit(0.05));
    let (sin_yaw, cos_yaw) = (-sin_yaw, -cos_yaw);
    pose["world_from_view"] = json!(
        [
            [cos_yaw, 0.0, -sin_yaw].to_vec(),
            [-sin * sin_yaw, cos, -sin * cos_yaw].to_vec(),
            [sin_yaw * cos, sin, cos_yaw * cos].to_vec(),
            eye,
        ]
        .concat()
    );
    pose["projection"] = json!({"Perspective": {"fov_y_radians": 0.6543}});
    client.send(&json!({"type": "camera", "pose": pose}));
    let line = assert_reproduced(&server, &mut client, folder.path(), 68);
    assert!(line.starts_with("sunfleck render cornell ") && line.contains("--look-at"), "{line}");
}

pub(crate) fn reproduces_a_map() {
    let folder = TempDir::new().unwrap();
    // A pyramid at coordinates of the projection UTM, with its height along z
    let obj = "v 691606 5335941 120\nv 691608 5335941 120\nv 691608 5335943 120\nv 691606 5335943 120\n\
               v 691607 5335942 122\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 4 3 2 1\n";
    std::fs::write(folder.path().join("map.obj"), obj).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sunfleck"));
    let server = Server::of(command.args(["view", "map.obj", "--up", "z", "--port", "0"]), folder.path());
    let mut client = Client::join_at(server.authority());
    let line = assert_reproduced(&server, &mut client, folder.path(), 69);
    assert!(line.starts_with("sunfleck render map.obj ") && line.contains(" --up z "), "{line}");
    // Around the pyramid, which is in the middle of the scene
    let world_from_view = look_at(vec3(3.1, 1.7, -2.3), Vec3::ZERO, Vec3::Y);
    let mut pose = Client::join_at(server.authority()).wait_for("view")["pose"].clone();
    pose["world_from_view"] = json!(world_from_view.to_cols_array());
    client.send(&json!({"type": "camera", "pose": pose}));
    let line = assert_reproduced(&server, &mut client, folder.path(), 70);
    assert!(line.contains(" --up z ") && line.contains("--look-from 6916"), "{line}");

    // The list of recent scenes remembers how the file was read
    let is_listed = |files: &Value| files["recent"] != json!([]);
    let lists = Client::join_at(server.authority()).wait_where("files", is_listed);
    client.send(&json!({"type": "recent", "number": lists["recent"][0]["number"]}));
    client.wait_where("scene", |scene| scene["steps"] == json!([1, 0]));
    let line = assert_reproduced(&server, &mut client, folder.path(), 71);
    assert!(line.contains("map.obj --width") && line.contains(" --up z "), "{line}");
}

/// Writes the Cornell box with a short block that rises by 20 cm within two seconds.
fn write_rising(path: &Path) {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let (id, node) = scene.nodes().find(|(_, node)| node.name.contains("short")).unwrap();
    let translation = node.parent_from_node.translation;
    let rest = NodeTransform { translation, ..NodeTransform::default() };
    let values = [translation.to_array(), (translation + Vec3::Y * 0.2).to_array()].concat();
    let curve = Curve { interpolation: Interpolation::Linear, times_secs: vec![0.0, 2.0], values };
    let motion = NodeMotion { node: id, rest, translation: Some(curve), rotation: None, scale: None };
    let animation = Animation { name: "rising".into(), nodes: vec![motion], weights: vec![] };
    scene.apply(SceneEdit::Animation { id: AnimationId(0), animation: Some(animation.into()) }).unwrap();
    sunfleck_io::save(&scene, path).unwrap();
}

pub(crate) fn reproduces_a_moment() {
    let folder = TempDir::new().unwrap();
    write_rising(&folder.path().join("rising.glb"));
    let server = Server::start("rising.glb", "0", folder.path());
    let mut client = Client::join_at(server.authority());
    let moment = json!({"type": "moment", "animation": 0, "secs": 1.25, "plays": false});
    client.send(&moment);
    client.wait_where("view", |view| !view["moment"].is_null());
    let line = assert_reproduced(&server, &mut client, folder.path(), 66);
    assert!(line.starts_with("sunfleck render rising.glb ") && line.contains("--at 1.25"), "{line}");
    // An object is hidden in the pose of the animation
    client.send(&moment);
    edit(&mut client);
    let line = assert_reproduced(&server, &mut client, folder.path(), 67);
    assert!(line.contains("rising-command.glb"), "{line}");
}

pub(crate) fn recovers() {
    let folder = TempDir::new().unwrap();
    let first = Server::start("cornell", "0", folder.path());
    let port = first.port().to_string();
    let mut browser = Browser::open(&first.url, SIZE);
    browser.wait(SHOWN);
    let hide = "(async () => {
        const { state } = await import('/state.js');
        (await import('/edits.js')).visible(state.scene.nodes.find(({ node }) => node.instance).id, false);
    })()";
    browser.eval(hide);
    browser.wait("document.title === '• cornell – Sunfleck'");
    let start = Instant::now();
    let has_details = || {
        let servers = std::fs::read_dir(folder.path().join("state/sunfleck/recovery")).into_iter().flatten();
        let files = servers.flatten().flat_map(|entry| std::fs::read_dir(entry.path()).unwrap().flatten());
        files.into_iter().any(|file| file.path().extension().is_some_and(|extension| extension == "json"))
    };
    while !has_details() {
        assert!(start.elapsed() < Duration::from_secs(10), "no recovery file is written");
        std::thread::sleep(Duration::from_millis(20));
    }
    // SIGKILL
    drop(first);
    let _second = Server::start("erw6", &port, folder.path());
    browser
        .wait("document.getElementById('recovery').textContent.includes('Unsaved changes of cornell from ')");
    browser.wait("!document.getElementById('recovery').hidden");
    browser.eval("document.querySelector('#recovery button.primary').click()");
    browser.wait("document.title === '• cornell – Sunfleck' && document.getElementById('recovery').hidden");
    let hidden = "(async () => (await import('/state.js')).state.scene.nodes.filter(({ node }) => !node.visible).length)()";
    assert_eq!(browser.eval(hidden), 1, "the object is still hidden");
}

pub(crate) fn ends() {
    for signal in ["-TERM", "-INT"] {
        let folder = TempDir::new().unwrap();
        let mut server = Server::start("cornell", "0", folder.path());
        let mut client = Client::join_at(server.authority());
        edit(&mut client);
        let id = server.process.id().to_string();
        let start = Instant::now();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success(), "{sent}");
        let is_farewell = loop {
            match client.socket.read() {
                Ok(tungstenite::Message::Close(_)) => break true,
                Ok(_) => {}
                Err(_) => break false,
            }
        };
        assert!(is_farewell, "{signal}: the connection ends with a close frame");
        let status = server.process.wait().unwrap();
        assert!(start.elapsed() < Duration::from_secs(2), "{signal}: {:?}", start.elapsed());
        assert_eq!(status.code(), Some(0), "{signal}");

        let next = Server::start("erw6", "0", folder.path());
        let mut client = Client::join_at(next.authority());
        let is_offered = |files: &Value| files["unsaved"][0]["name"] == "cornell";
        client.wait_where("files", is_offered);
    }
}

pub(crate) fn serves_under_a_file_limit() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new("sh");
    let line =
        format!("ulimit -n 128 && exec {} view cornell --port 0 \"$@\"", env!("CARGO_BIN_EXE_sunfleck"));
    let server = Server::of(command.args(["-c", &line, "sh"]), folder.path());
    let mut client = Client::join_at(server.authority());
    let _silent: Vec<_> = (0..300).map(|_| TcpStream::connect(server.authority()).unwrap()).collect();
    let start = Instant::now();
    let answer = get(server.authority(), "/", "");
    assert!(answer.contains("200 OK"), "{answer}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    client.set(json!({"samples": 7}));
    client.wait_where("view", |view| view["samples"] == 7);
}
