//! Binary messages of the viewer: a JSON header and JPEGs.

use axum::body::Bytes;
use serde::Serialize;

use crate::protocol::Pose;

/// First bytes of a frame message.
const MAGIC: [u8; 4] = *b"SFv2";

/// Header of a frame with one image, or two that are compared.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Header {
    /// Number of the frame, increasing; the client acknowledges it after showing the frame.
    pub(crate) frame: u64,
    /// Revision of the scene.
    pub(crate) revision: u64,
    /// Number of the change that the frame shows; see [`ViewState`](crate::protocol::ViewState).
    pub(crate) change: u64,
    pub(crate) mode: Mode,
    /// Width and height of the images, pixels.
    pub(crate) size: [u32; 2],
    /// Pixels of the images per pixel of their light, along an edge; `None` if every pixel has its own.
    pub(crate) light_divisor: Option<u32>,
    /// Camera pose of the image.
    pub(crate) pose: Pose,
    /// Progress of the first image.
    #[serde(flatten)]
    pub(crate) first: Progress,
    /// Progress of the second image, if two are compared.
    pub(crate) second: Option<Progress>,
    /// Index of the image that was rendered for this frame: 0 or 1.
    pub(crate) side: usize,
    /// Images that follow the header. A single one is shown on both sides.
    pub(crate) pictures: Vec<PictureRow>,
    /// Time of rendering this frame.
    pub(crate) frame_secs: f32,
    /// Time of encoding this frame.
    pub(crate) encode_secs: f32,
    /// Times of the stages of rendering and encoding, in order.
    pub(crate) stages: Vec<StageSecs>,
    /// Number of rays traced for this frame.
    pub(crate) rays: u64,
    /// Number of virtual point lights of this frame.
    pub(crate) vpls: usize,
    /// Device that rendered the frame: the engine's name of the CPU, or the name of the GPU.
    pub(crate) by: String,
    /// Exposure of the images, in stops.
    pub(crate) exposure: f32,
    /// Resident memory of the server process, where known.
    pub(crate) memory_bytes: Option<u64>,
    /// Number of the latest input of the editor that the frame shows.
    pub(crate) input: Option<u64>,
}

/// Progress of an image at rest.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Progress {
    /// Samples per pixel so far.
    pub(crate) samples: u32,
    /// Samples per pixel at which rendering stops.
    pub(crate) target: u32,
    /// Time spent on this view at rest.
    pub(crate) view_secs: f32,
    /// Samples per pixel of the image that is shown, if it is denoised.
    pub(crate) denoised: Option<u32>,
}

/// Name of a stage and its time in seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct StageSecs(pub(crate) &'static str, pub(crate) f32);

/// JPEG that follows the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PictureRow {
    /// Number of the image; a client need not decode a number again that it has decoded before.
    pub(crate) number: u64,
    /// Size of the JPEG.
    pub(crate) bytes: usize,
}

/// Quality mode of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Preview while camera or scene are changing.
    Moving,
    /// Better preview since nothing changes any more: its light has more samples, but still fewer pixels than the image.
    Settling,
    /// Progressive refinement: every frame adds samples.
    Rest,
}

/// Encoded frame message: `SFv2`, the length of the header (4 bytes, little-endian), the header as JSON, JPEGs.
#[derive(Debug)]
pub(crate) struct EncodedFrame {
    pub(crate) number: u64,
    pub(crate) message: Bytes,
}

impl EncodedFrame {
    pub(crate) fn new(header: &Header, jpegs: &[&[u8]]) -> Self {
        // Serialisation of numbers and strings cannot fail
        let json = serde_json::to_vec(header).unwrap_or_default();
        let length = u32::try_from(json.len()).unwrap_or_default();
        let message = [&MAGIC, &length.to_le_bytes()[..], &json, &jpegs.concat()].concat();
        Self { number: header.frame, message: message.into() }
    }
}

#[cfg(test)]
impl EncodedFrame {
    /// Splits the message into its header and the JPEGs.
    pub(crate) fn split(&self) -> Option<(serde_json::Value, &[u8])> {
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
            size: [1, 1],
            light_divisor: None,
            pose,
            first: Progress { samples: 1, target: 1, view_secs: 0.0, denoised: None },
            second: None,
            side: 0,
            pictures: Vec::new(),
            frame_secs: 0.0,
            encode_secs: 0.0,
            stages: Vec::new(),
            rays: 0,
            vpls: 0,
            by: "CPU".into(),
            exposure: 0.0,
            memory_bytes: None,
            input: None,
        }
    }
}
