use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use sunfleck_web::Viewer;
use tungstenite::{Message, WebSocket};

use crate::BenchError;

/// Time after which a missing frame is an error.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Client of the viewer's socket protocol (`docs/viewer-protocol.md`).
pub(super) struct Client {
    socket: WebSocket<TcpStream>,
}

/// Received frame.
pub(super) struct ReceivedFrame {
    pub(super) header: Value,
    pub(super) jpeg: Vec<u8>,
}

/// Message of the server.
pub(super) enum ServerMessage {
    Text(Value),
    Frame(ReceivedFrame),
}

impl Client {
    pub(super) fn connect(viewer: &Viewer) -> Result<Self, BenchError> {
        let url = viewer.url().replacen("http://", "ws://", 1) + "socket";
        let authority = viewer.url().trim_start_matches("http://").trim_end_matches('/');
        let stream = TcpStream::connect(authority).map_err(|error| failed(&error))?;
        stream.set_read_timeout(Some(READ_TIMEOUT)).map_err(|error| failed(&error))?;
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

    /// Waits for the next message.
    pub(super) fn receive(&mut self) -> Result<ServerMessage, BenchError> {
        loop {
            match self.socket.read().map_err(|error| failed(&error))? {
                Message::Text(text) => {
                    return serde_json::from_str(&text)
                        .map(ServerMessage::Text)
                        .map_err(|error| failed(&error));
                }
                Message::Binary(bytes) => return parse_frame(&bytes).map(ServerMessage::Frame),
                _ => {}
            }
        }
    }

    /// Sets how long [`poll`](Self::poll) waits.
    pub(super) fn set_timeout(&mut self, time: Duration) -> Result<(), BenchError> {
        self.socket.get_mut().set_read_timeout(Some(time)).map_err(|error| failed(&error))
    }

    /// Waits for the next message until the timeout; then `None`.
    pub(super) fn poll(&mut self) -> Result<Option<ServerMessage>, BenchError> {
        match self.socket.read() {
            Ok(Message::Text(text)) => serde_json::from_str(&text)
                .map(|text| Some(ServerMessage::Text(text)))
                .map_err(|error| failed(&error)),
            Ok(Message::Binary(bytes)) => parse_frame(&bytes).map(|frame| Some(ServerMessage::Frame(frame))),
            Ok(_) => Ok(None),
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                Ok(None)
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// Waits for the next frame, and acknowledges it as shown.
    pub(super) fn frame(&mut self) -> Result<ReceivedFrame, BenchError> {
        loop {
            if let ServerMessage::Frame(frame) = self.receive()? {
                self.send(&json!({"type": "shown", "frame": frame.header["frame"]}))?;
                return Ok(frame);
            }
        }
    }

    /// Waits for the initial pose of the view and for the scene, in any order.
    pub(super) fn initial_state(&mut self) -> Result<(Value, Value), BenchError> {
        let (mut pose, mut scene) = (None, None);
        loop {
            if let ServerMessage::Text(text) = self.receive()? {
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

fn parse_frame(bytes: &[u8]) -> Result<ReceivedFrame, BenchError> {
    let parts = || {
        let rest = bytes.strip_prefix(b"SFv2")?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (header, jpeg) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(ReceivedFrame { header: serde_json::from_slice(header).ok()?, jpeg: jpeg.to_vec() })
    };
    parts().ok_or_else(|| BenchError::Viewer("a frame does not conform to the protocol".into()))
}

pub(super) fn failed(error: &dyn std::fmt::Display) -> BenchError {
    BenchError::Viewer(format!("the viewer does not answer: {error}"))
}
