//! Events of a session.

use std::path::PathBuf;
use std::sync::Arc;

use sunfleck_engine::{Canvas, FrameResult};
use sunfleck_image::{Aov, Picture};
use sunfleck_scene::{MaterialId, NodeId, Scene, Texture, TextureId};
use tokio::sync::{mpsc, oneshot};

use super::denoising::DenoiseResult;
use crate::ViewerScene;
use crate::encode::DisplaySettings;
use crate::protocol::{ClientId, FilesState, Reply, Request};
use crate::storage::{Asker, ReopenedScene, SaveTicket};

/// Event that the session handles, one after the other.
#[derive(Debug)]
pub(crate) enum Event {
    /// A client connected.
    Joined { client: ClientId },
    /// A client disconnected.
    Left { client: ClientId },
    /// Request of a client; replies are dropped if their queue is full.
    Request { client: ClientId, request: Request, replies: mpsc::Sender<Reply> },
    /// The current frame is done, or was cancelled.
    FrameDone(FrameResult),
    /// An image is denoised, or could not be.
    Denoised(Box<DenoiseResult>),
    /// Replaces the scene. The answer is an error message if that is not allowed.
    Open { client: ClientId, scene: Box<ViewerScene>, done: oneshot::Sender<Result<(), String>> },
    /// Sets the environment map. The answer is an error message if that failed.
    Environment { client: ClientId, map: Box<Texture>, done: oneshot::Sender<Result<(), String>> },
    /// Adds the content of a file to the scene. The answer is the new node, or an error message.
    Add { client: ClientId, file: Box<AddedFile>, done: oneshot::Sender<Result<NodeId, String>> },
    /// Sets a texture of a material to an image. The answer is the new texture, or an error message.
    Texture { client: ClientId, image: Box<AssignedImage>, done: oneshot::Sender<Result<TextureId, String>> },
    /// Requests the current image, to be saved.
    ///
    /// * `side` — 1 for the second image, if two are compared.
    Snapshot { side: usize, done: oneshot::Sender<Result<Snapshot, NoSnapshot>> },
    /// Requests the name and a copy of the scene, to be saved.
    Scene { done: oneshot::Sender<(String, Scene)> },
    /// Requests a texture of the scene.
    Thumbnail { texture: TextureId, done: oneshot::Sender<Option<Arc<Texture>>> },
    /// A scene has been saved, or could not be.
    Saved { ticket: Box<SaveTicket>, result: Result<PathBuf, String> },
    /// A recent or an unsaved scene has been opened, or could not be.
    Reopened { asker: Asker, opened: Box<Result<ReopenedScene, String>> },
    /// The recovery file is to be written.
    AutosaveDue,
    /// The recovery file has been written, or could not be.
    Autosaved { document: u64, state: u64, error: Option<String> },
    /// Lists of scenes that can be opened.
    Files(FilesState),
    /// Ends the session.
    Stop,
}

/// File whose content is added to the scene.
#[derive(Debug)]
pub(crate) struct AddedFile {
    /// Name of the file with its extension.
    pub(crate) name: String,
    pub(crate) scene: Scene,
    /// Notes and warnings of the import.
    pub(crate) notes: Vec<String>,
    /// Position of the image on which it was dropped, 0 … 1 from the upper left corner.
    pub(crate) at: Option<[f32; 2]>,
}

/// Image that becomes a texture of a material.
#[derive(Debug)]
pub(crate) struct AssignedImage {
    /// Texture with 8-bit values taken as sRGB, which are reinterpreted if they are data.
    pub(crate) texture: Texture,
    pub(crate) material: MaterialId,
    /// Name of the material's parameter, or `normal_map`.
    pub(crate) slot: String,
}

/// Current image, to be saved.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Name of the scene, without extension.
    pub(crate) name: String,
    /// Image as it is shown: denoised, unless that is off.
    pub(crate) picture: Arc<Picture>,
    pub(crate) display: DisplaySettings,
    /// Whether it is an AOV instead of radiance.
    pub(crate) is_channel: bool,
    /// Canvas from which the first image was made: what was rendered, with all recorded AOVs.
    pub(crate) canvas: Canvas,
    /// AOV that is shown instead of radiance.
    pub(crate) channel: Option<Aov>,
}

/// Reason why there is no image to be saved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoSnapshot {
    /// No frame of it is done yet.
    NotRendered,
    /// It is the second image, but only one is shown.
    NotCompared,
}
