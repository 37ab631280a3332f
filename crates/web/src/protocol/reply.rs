//! Messages of the server.

use serde::Serialize;
use sunfleck_math::Vec3;
use sunfleck_scene::parameter::Value;
use sunfleck_scene::{AnimationId, MaterialId, NodeId};

use super::{ClientId, Pose, Sphere, SphereView, Tables};
use crate::BuiltInScene;

/// Text message of the server; images are binary messages.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// First message of a connection.
    Hello {
        version: u32,
        client: ClientId,
        /// Random number that differs between starts of the server.
        server: u64,
        tables: Box<Tables>,
    },
    /// A request failed; the connection stays open.
    Error { message: String },
    /// Result of a pick.
    ///
    /// * `number` — that of the request.
    Picked { number: Option<u64>, picked: Option<PickedObject> },
    /// Mask of an object in the image.
    ///
    /// * `number` — that of the request.
    Silhouette { number: Option<u64>, silhouette: Silhouette },
    /// Free space around a camera pose; distances in metres, absent if infinite.
    ///
    /// * `surface` — surface at the requested position of the image.
    FreeSpace { ahead: Option<f32>, around: Option<f32>, enclosed: bool, surface: Option<Vec3> },
    /// View of a sphere in which little is in front of it.
    Focus { sphere: Sphere, view: SphereView },
    /// Command line that renders the current image.
    CommandLine {
        /// Number of the request.
        number: Option<u64>,
        line: String,
        /// File that was written for it, if the scene has no file of its own or has been changed.
        file: Option<String>,
    },
    /// There is no command line: the scene could not be written for it, or may not be.
    ///
    /// * `number` — that of the request.
    NoCommandLine { number: Option<u64>, message: String },
    /// The scene has been saved.
    ///
    /// * `number` — that of the request.
    Saved { number: Option<u64>, path: String },
    /// The scene could not be saved, or the request to save it is refused.
    ///
    /// * `number` — that of the request.
    NotSaved { number: Option<u64>, message: String },
}

/// Scenes that can be opened without a file chooser, sent whenever they change.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "files")]
pub(crate) struct FilesState {
    /// Recent scenes, the newest first.
    pub(crate) recent: Vec<RecentRow>,
    /// Scenes with unsaved edits of servers that have ended.
    pub(crate) unsaved: Vec<UnsavedRow>,
    /// Built-in scenes.
    pub(crate) built_in: Vec<BuiltInScene>,
}

/// Recent scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RecentRow {
    /// Number for the request `recent`.
    pub(crate) number: u32,
    pub(crate) name: String,
    /// Path or kind of the scene.
    pub(crate) detail: String,
    /// Whether the file was there when the list was made.
    pub(crate) exists: bool,
}

/// Scene with unsaved edits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct UnsavedRow {
    /// Number for the request `recover`.
    pub(crate) number: usize,
    pub(crate) name: String,
    /// Time of its last edits, in seconds since 1970.
    pub(crate) secs: u64,
}

/// Object at a position of the image.
#[derive(Debug, Serialize)]
pub(crate) struct PickedObject {
    pub(crate) node: NodeId,
    pub(crate) name: String,
    pub(crate) triangle: u32,
    pub(crate) material: Option<MaterialId>,
    pub(crate) position: Vec3,
    pub(crate) distance: f32,
}

/// Visibility mask of an object in the image.
#[derive(Debug, Serialize)]
pub(crate) struct Silhouette {
    pub(crate) node: NodeId,
    /// Number of columns of the mask, which covers the image.
    pub(crate) width: u32,
    /// Number of rows of the mask.
    pub(crate) height: u32,
    /// Run lengths of the cells, row by row, alternating between outside and inside and starting outside.
    pub(crate) runs: Vec<u32>,
}

/// State of rendering and display, sent whenever it changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "view")]
pub(crate) struct ViewState {
    /// Number of changes that affect the image, such as edits. A frame with the same number shows the current state.
    pub(crate) change: u64,
    pub(crate) pose: Pose,
    /// Size of the page in device pixels.
    pub(crate) size: [u32; 2],
    /// Pixels of the image per device pixel, along an edge.
    pub(crate) scale: f32,
    /// Size of the image at rest in pixels.
    pub(crate) image_size: [u32; 2],
    /// Rendering method of the first image.
    #[serde(flatten)]
    pub(crate) first: MethodState,
    /// Rendering method of the second image, if two are compared.
    pub(crate) second: Option<MethodState>,
    pub(crate) auto_exposure: bool,
    /// Manual exposure, in stops.
    pub(crate) exposure: f32,
    pub(crate) tone_curve: &'static str,
    /// Samples per pixel at which rendering stops.
    pub(crate) samples: u32,
    /// Method of denoising, or `off`.
    pub(crate) denoise: &'static str,
    /// Target time of a preview, milliseconds.
    pub(crate) frame_ms: u32,
    /// Time of the animation that is shown; `None` for the rest pose.
    pub(crate) moment: Option<Moment>,
    /// Client that may edit.
    pub(crate) editor: Option<ClientId>,
    /// Number of connected clients, the editor included.
    pub(crate) clients: usize,
    /// Why there are no new images, why denoising was switched off, or why unsaved edits would not survive a crash;
    /// until that is over.
    pub(crate) problem: Option<String>,
}

/// Time of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Moment {
    pub(crate) animation: AnimationId,
    /// Time in seconds.
    pub(crate) secs: f32,
    /// Whether the animation is playing, so that other times follow.
    pub(crate) plays: bool,
}

/// Rendering method of an image.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MethodState {
    pub(crate) algorithm: &'static str,
    /// Parameters in the order of the algorithm's table.
    pub(crate) parameters: Vec<Value>,
    /// Name of the AOV that is shown; empty for radiance.
    pub(crate) channel: &'static str,
}
