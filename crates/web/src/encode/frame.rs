use axum::body::Bytes;
use serde::Serialize;

use crate::protocol::Pose;

/// First bytes of a frame.
const MAGIC: [u8; 4] = *b"SFv2";

/// What is said about a picture, or two that are compared.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Header {
    /// Counts up; the client says it when it has shown the frame.
    pub(crate) frame: u64,
    /// Of the scene.
    pub(crate) revision: u64,
    /// As in the view.
    pub(crate) change: u64,
    pub(crate) mode: Mode,
    /// From where it was seen.
    pub(crate) pose: Pose,
    #[serde(flatten)]
    pub(crate) first: Progress,
    /// Of the picture beside it.
    pub(crate) second: Option<Progress>,
    /// Which of them has just been rendered: 0 or 1.
    pub(crate) side: usize,
    /// What follows the header. One alone is for both sides.
    pub(crate) pictures: Vec<PictureRow>,
    /// Time for this frame alone; for its encoding.
    pub(crate) frame_secs: f32,
    pub(crate) encode_secs: f32,
    /// Where it went: stages in order.
    pub(crate) stages: Vec<StageSecs>,
    /// Rays of this frame.
    pub(crate) rays: u64,
    /// Virtual point lights of this frame.
    pub(crate) vpls: usize,
    /// Who rendered it: `processor`, or the GPU as its driver calls it.
    pub(crate) by: String,
    pub(crate) exposure: f32,
    /// Of the process, where the system tells.
    pub(crate) memory_bytes: Option<u64>,
    /// The latest input that it shows, in the numbers of the client that edits.
    pub(crate) input: Option<u64>,
}

/// How far a picture is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Progress {
    /// Samples per pixel so far, and how many are aimed at.
    pub(crate) samples: u32,
    pub(crate) target: u32,
    /// Time spent on this view at rest so far.
    pub(crate) view_secs: f32,
}

/// A stage, and its seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct StageSecs(pub(crate) &'static str, pub(crate) f32);

/// A picture that follows the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PictureRow {
    /// The same number is the same picture as before: a client need not decode it again.
    pub(crate) number: u64,
    pub(crate) bytes: usize,
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

/// Pictures as they travel: `SFv2`, the length of the header (little-endian, 4 bytes), the header as JSON, JPEGs.
#[derive(Debug)]
pub(crate) struct EncodedFrame {
    pub(crate) number: u64,
    pub(crate) message: Bytes,
}

impl EncodedFrame {
    pub(crate) fn new(header: &Header, jpegs: &[&[u8]]) -> Self {
        // Numbers and names have a JSON form
        let json = serde_json::to_vec(header).unwrap_or_default();
        let length = u32::try_from(json.len()).unwrap_or_default();
        let message = [&MAGIC, &length.to_le_bytes()[..], &json, &jpegs.concat()].concat();
        Self { number: header.frame, message: message.into() }
    }
}

#[cfg(test)]
impl EncodedFrame {
    /// The header, and all that follows.
    pub(crate) fn parts(&self) -> Option<(serde_json::Value, &[u8])> {
        let rest = self.message.strip_prefix(&MAGIC)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (json, jpegs) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((serde_json::from_slice(json).ok()?, jpegs))
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
            change: 0,
            mode,
            pose,
            first: Progress { samples: 1, target: 1, view_secs: 0.0 },
            second: None,
            side: 0,
            pictures: Vec::new(),
            frame_secs: 0.0,
            encode_secs: 0.0,
            stages: Vec::new(),
            rays: 0,
            vpls: 0,
            by: "processor".into(),
            exposure: 0.0,
            memory_bytes: None,
            input: None,
        }
    }
}
