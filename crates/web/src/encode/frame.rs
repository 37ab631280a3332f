use axum::body::Bytes;
use serde::Serialize;

use crate::protocol::Pose;

/// First bytes of a frame.
const MAGIC: [u8; 4] = *b"SFv1";

/// What is said about a picture.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Header {
    /// Counts up; the client says it when it has shown the frame.
    pub(crate) frame: u64,
    /// Of the scene.
    pub(crate) revision: u64,
    pub(crate) mode: Mode,
    /// From where it was seen.
    pub(crate) pose: Pose,
    /// Samples per pixel so far, and how many are aimed at.
    pub(crate) samples: u32,
    pub(crate) target: u32,
    /// Time spent on this view at rest so far; of this frame alone; of its encoding.
    pub(crate) view_secs: f32,
    pub(crate) frame_secs: f32,
    pub(crate) encode_secs: f32,
    /// Rays of this frame.
    pub(crate) rays: u64,
    pub(crate) exposure: f32,
    /// Of the process, where the system tells.
    pub(crate) memory_bytes: Option<u64>,
    /// The latest input that it shows, in the numbers of the client that edits.
    pub(crate) input: Option<u64>,
}

/// What a picture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// A quick one, since something is changing.
    Moving,
    /// It gets better with every frame.
    Rest,
}

/// A picture as it travels: `SFv1`, the length of the header (little-endian, 4 bytes), the header as JSON, a JPEG.
#[derive(Debug)]
pub(crate) struct EncodedFrame {
    pub(crate) number: u64,
    pub(crate) message: Bytes,
}

impl EncodedFrame {
    pub(crate) fn new(header: &Header, jpeg: &[u8]) -> Self {
        // Numbers and names have a JSON form
        let json = serde_json::to_vec(header).unwrap_or_default();
        let length = u32::try_from(json.len()).unwrap_or_default();
        let message = [&MAGIC, &length.to_le_bytes()[..], &json, jpeg].concat();
        Self { number: header.frame, message: message.into() }
    }
}

#[cfg(test)]
impl EncodedFrame {
    pub(crate) fn parts(&self) -> Option<(serde_json::Value, &[u8])> {
        let rest = self.message.strip_prefix(&MAGIC)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (json, jpeg) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((serde_json::from_slice(json).ok()?, jpeg))
    }
}

#[cfg(test)]
impl Header {
    pub(crate) fn example(mode: Mode) -> Self {
        let projection = sunfleck_scene::Projection::Perspective { fov_y_radians: 1.0 };
        let pose = Pose { world_from_view: sunfleck_math::Affine3::IDENTITY, projection };
        Self {
            frame: 1,
            revision: 0,
            mode,
            pose,
            samples: 1,
            target: 1,
            view_secs: 0.0,
            frame_secs: 0.0,
            encode_secs: 0.0,
            rays: 0,
            exposure: 0.0,
            memory_bytes: None,
            input: None,
        }
    }
}
