//! Client of the viewer for tests, without a browser.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sunfleck_scene::Scene;
use sunfleck_web::{BuiltInScene, Viewer, ViewerOptions, ViewerScene};
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

/// Time after which waiting fails a test.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a viewer of a built-in scene on a free port.
pub(crate) fn viewer(spec: &str, token: Option<&str>) -> Viewer {
    viewer_of(spec, sunfleck_models::build(spec).unwrap(), token)
}

/// Starts a viewer of a scene on a free port.
pub(crate) fn viewer_of(name: &str, scene: Scene, token: Option<&str>) -> Viewer {
    let scene = ViewerScene::new(name, scene, Default::default(), Vec::new()).unwrap();
    let options = ViewerOptions {
        token: token.map(str::to_string),
        // A folder that does not exist, so that tests leave no files behind
        save_folder: std::env::temp_dir().join("sunfleck-tests-save-nothing"),
        ..ViewerOptions::default()
    };
    Viewer::start(scene, &options).unwrap()
}

/// Starts a viewer of a built-in scene that saves and keeps everything in a folder.
pub(crate) fn keeping_viewer(spec: &str, folder: &Path) -> Viewer {
    let scene = sunfleck_models::build(spec).unwrap();
    let scene = ViewerScene::new(spec, scene, Default::default(), Vec::new()).unwrap();
    Viewer::start(scene, &keeping(folder)).unwrap()
}

/// Returns options by which a viewer saves and keeps everything in a folder.
pub(crate) fn keeping(folder: &Path) -> ViewerOptions {
    ViewerOptions {
        save_folder: folder.to_owned(),
        state_folder: Some(folder.join("state")),
        built_in: |name| sunfleck_models::build(name).map_err(|error| error.to_string()),
        built_in_scenes: sunfleck_models::models()
            .iter()
            .map(|model| BuiltInScene { name: model.name.into(), summary: model.summary.into() })
            .collect(),
        ..ViewerOptions::default()
    }
}

/// Returns `host:port` of a viewer.
pub(crate) fn authority(viewer: &Viewer) -> String {
    viewer.url().strip_prefix("http://").unwrap().split('/').next().unwrap().to_string()
}

/// Message of the server.
#[derive(Debug)]
pub(crate) enum ServerMessage {
    Text(Value),
    Frame { header: Value, jpeg: Vec<u8> },
}

/// Connected client.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) socket: WebSocket<TcpStream>,
    pub(crate) id: u64,
    /// Whether frames are acknowledged on arrival.
    pub(crate) acknowledges: bool,
    /// First message of the server.
    pub(crate) hello: Option<Value>,
}

impl Client {
    pub(crate) fn join(viewer: &Viewer) -> Self {
        let token = viewer.url().split_once("?token=").map_or("", |(_, token)| token);
        Self::join_with(&authority(viewer), token)
    }

    /// Connects to `host:port` of a viewer without a token.
    pub(crate) fn join_at(authority: &str) -> Self {
        Self::join_with(authority, "")
    }

    fn join_with(authority: &str, token: &str) -> Self {
        let stream = TcpStream::connect(authority).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let uri = format!("ws://{authority}/socket").parse().unwrap();
        let request = ClientRequestBuilder::new(uri).with_header("Cookie", format!("sunfleck-token={token}"));
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        let mut client = Self { socket, id: 0, acknowledges: true, hello: None };
        let hello = client.wait_for("hello");
        client.id = hello["client"].as_u64().unwrap();
        client.hello = Some(hello);
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(message.to_string());
    }

    pub(crate) fn send_text(&mut self, text: String) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// Receives the next message.
    pub(crate) fn receive(&mut self) -> ServerMessage {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => return ServerMessage::Text(serde_json::from_str(&text).unwrap()),
                Message::Binary(bytes) => {
                    assert_eq!(&bytes[..4], b"SFv2", "frames start with the magic number");
                    let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
                    let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
                    if self.acknowledges {
                        self.send(&json!({"type": "shown", "frame": header["frame"]}));
                    }
                    return ServerMessage::Frame { header, jpeg: bytes[8 + length..].to_vec() };
                }
                _ => {}
            }
        }
    }

    /// Receives messages up to the next text message of a type.
    pub(crate) fn wait_for(&mut self, kind: &str) -> Value {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < TIMEOUT, "no message `{kind}` arrived");
            if let ServerMessage::Text(text) = self.receive()
                && text["type"] == kind
            {
                return text;
            }
        }
    }

    /// Receives messages up to the next text message of a type that satisfies a condition.
    pub(crate) fn wait_where(&mut self, kind: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let message = self.wait_for(kind);
            if condition(&message) {
                return message;
            }
            assert!(start.elapsed() < TIMEOUT, "no such message `{kind}` arrived; the last is {message}");
        }
    }

    /// Receives messages up to the next frame whose header satisfies a condition.
    pub(crate) fn wait_for_frame(&mut self, condition: impl Fn(&Value) -> bool) -> (Value, Vec<u8>) {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < TIMEOUT, "no such frame arrived");
            if let ServerMessage::Frame { header, jpeg } = self.receive()
                && condition(&header)
            {
                return (header, jpeg);
            }
        }
    }

    pub(crate) fn set(&mut self, settings: Value) {
        self.send(&json!({"type": "set", "settings": settings}));
    }

    /// Sets a small image size and a number of samples, so that images are done quickly.
    pub(crate) fn set_small(&mut self, samples: u32) {
        self.set(json!({"size": [64, 48], "samples": samples, "exposure": 0.0}));
    }

    /// Receives messages up to the finished image of a revision of the scene, and returns its JPEG.
    pub(crate) fn finished(&mut self, revision: u64, samples: u32) -> Vec<u8> {
        let done = |header: &Value| {
            header["mode"] == "rest" && header["samples"] == samples && header["revision"] == revision
        };
        self.wait_for_frame(done).1
    }
}

/// Sends a raw HTTP request and returns the response.
pub(crate) fn http(authority: &str, request: &[u8]) -> String {
    String::from_utf8_lossy(&http_bytes(authority, request)).into_owned()
}

fn http_bytes(authority: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    // A server that refuses a request may close the connection early; its response is still valid
    drop(stream.read_to_end(&mut answer));
    answer
}

/// Sends a GET request with extra headers and returns the response.
pub(crate) fn get(authority: &str, path: &str, headers: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n{headers}\r\n");
    http(authority, request.as_bytes())
}

/// Downloads a file; returns the head of the response and the body.
pub(crate) fn get_bytes(authority: &str, path: &str) -> (String, Vec<u8>) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    let answer = http_bytes(authority, request.as_bytes());
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end..].to_vec())
}

/// Uploads scene files as a form.
pub(crate) fn upload(authority: &str, client: u64, files: &[(&str, &[u8])]) -> String {
    post(authority, "/open", client, files)
}

/// Posts files as a form to a path, which may have a query that ends with `&`.
pub(crate) fn post(authority: &str, path: &str, client: u64, files: &[(&str, &[u8])]) -> String {
    let mut body = Vec::new();
    for (name, bytes) in files {
        let head = format!(
            "--sep\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        body.extend(head.as_bytes());
        body.extend(*bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--sep--\r\n");
    let separator = if path.contains('?') { "" } else { "?" };
    let head = format!(
        "POST {path}{separator}client={client} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: multipart/form-data; boundary=sep\r\n\r\n",
        body.len()
    );
    http(authority, &[head.as_bytes(), &body].concat())
}
