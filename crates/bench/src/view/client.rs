use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use sunfleck_web::Viewer;
use tungstenite::{Message, WebSocket};

use crate::BenchError;

/// No frame takes so long, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser's end of the socket, without a browser (`docs/viewer-protocol.md`).
pub(super) struct Client {
    socket: WebSocket<TcpStream>,
}

/// A frame as it came.
pub(super) struct Frame {
    pub(super) header: Value,
    pub(super) jpeg: Vec<u8>,
}

/// What the server sends.
pub(super) enum Heard {
    Text(Value),
    Frame(Frame),
}

impl Client {
    pub(super) fn join(viewer: &Viewer) -> Result<Self, BenchError> {
        let url = viewer.url().replacen("http://", "ws://", 1) + "socket";
        let authority = viewer.url().trim_start_matches("http://").trim_end_matches('/');
        let stream = TcpStream::connect(authority).map_err(|error| failed(&error))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|error| failed(&error))?;
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        let (socket, _) = tungstenite::client(url, stream).map_err(|error| failed(&error))?;
        Ok(Self { socket })
    }

    pub(super) fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        self.socket.send(Message::text(message.to_string())).map_err(|error| failed(&error))
    }

    pub(super) fn set(&mut self, settings: Value) -> Result<(), BenchError> {
        self.send(&json!({"type": "set", "settings": settings}))
    }

    /// The next message.
    pub(super) fn hear(&mut self) -> Result<Heard, BenchError> {
        loop {
            match self.socket.read().map_err(|error| failed(&error))? {
                Message::Text(text) => {
                    return serde_json::from_str(&text).map(Heard::Text).map_err(|error| failed(&error));
                }
                Message::Binary(bytes) => return frame(&bytes).map(Heard::Frame),
                _ => {}
            }
        }
    }

    /// The next frame; says that it is shown.
    pub(super) fn frame(&mut self) -> Result<Frame, BenchError> {
        loop {
            if let Heard::Frame(frame) = self.hear()? {
                self.send(&json!({"type": "shown", "frame": frame.header["frame"]}))?;
                return Ok(frame);
            }
        }
    }

    /// Where the view is at first, and the scene; they come in any order.
    pub(super) fn welcome(&mut self) -> Result<(Value, Value), BenchError> {
        let (mut pose, mut scene) = (None, None);
        loop {
            if let Heard::Text(text) = self.hear()? {
                match text["type"].as_str() {
                    Some("view") => pose = Some(text["pose"].clone()),
                    Some("scene") => scene = Some(text),
                    _ => {}
                }
            }
            if let (Some(pose), Some(scene)) = (&pose, &scene) {
                return Ok((pose.clone(), scene.clone()));
            }
        }
    }
}

fn frame(bytes: &[u8]) -> Result<Frame, BenchError> {
    let parts = || {
        let rest = bytes.strip_prefix(b"SFv2")?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (header, jpeg) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(Frame { header: serde_json::from_slice(header).ok()?, jpeg: jpeg.to_vec() })
    };
    parts().ok_or_else(|| BenchError::Viewer("a frame has another form than the protocol says".into()))
}

pub(super) fn failed(error: &dyn std::fmt::Display) -> BenchError {
    BenchError::Viewer(format!("the viewer does not answer: {error}"))
}
