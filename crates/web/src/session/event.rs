use std::sync::Arc;

use sunfleck_engine::{Canvas, FrameResult};
use sunfleck_image::Picture;
use sunfleck_scene::{Scene, Texture};
use tokio::sync::{mpsc, oneshot};

use crate::ViewerScene;
use crate::encode::Look;
use crate::protocol::{ClientId, Reply, Request};

/// What the session reacts to, one after the other.
#[derive(Debug)]
pub(crate) enum Event {
    /// Somebody looks on.
    Joined { client: ClientId },
    /// … and does not any more.
    Left { client: ClientId },
    /// A client asks for something; answers that it has no room for are lost.
    Request { client: ClientId, request: Request, replies: mpsc::Sender<Reply> },
    /// The frame that was being rendered is done, or was cancelled.
    FrameDone(FrameResult),
    /// Another scene takes the place of this one. The answer says why not.
    Open { client: ClientId, stage: Box<ViewerScene>, done: oneshot::Sender<Result<(), String>> },
    /// A map becomes the light from outside. The answer says why not.
    Environment { client: ClientId, map: Box<Texture>, done: oneshot::Sender<Result<(), String>> },
    /// What is seen, to be saved; `None` before the first frame.
    Snapshot { done: oneshot::Sender<Option<Snapshot>> },
    /// The scene, to be saved, and what it is called.
    Scene { done: oneshot::Sender<(String, Scene)> },
    /// The end.
    Stop,
}

/// What is seen; of two pictures that are compared, the first.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Without extension.
    pub(crate) name: String,
    pub(crate) picture: Arc<Picture>,
    pub(crate) look: Look,
    /// Has all channels that were asked for; none while something moves.
    pub(crate) canvas: Option<Canvas>,
}
