use serde::Serialize;
use sunfleck_math::Vec3;
use sunfleck_scene::parameter::Value;
use sunfleck_scene::{AnimationId, MaterialId, NodeId};

use super::{ClientId, Pose, Tables};

/// What the server says in text; pictures are binary messages.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// The first message.
    Hello {
        version: u32,
        client: ClientId,
        /// Other from one start of the server to the next.
        server: u64,
        tables: Box<Tables>,
    },
    /// Something did not work; the session goes on.
    Error { message: String },
    /// What a ray met.
    Picked { picked: Option<PickedThing> },
    /// Where a thing is seen.
    Silhouette { silhouette: Silhouette },
    /// What makes this picture from a shell.
    CommandLine { line: String },
}

/// The thing at a place of the picture.
#[derive(Debug, Serialize)]
pub(crate) struct PickedThing {
    pub(crate) node: NodeId,
    pub(crate) name: String,
    pub(crate) triangle: u32,
    pub(crate) material: Option<MaterialId>,
    pub(crate) position: Vec3,
    pub(crate) distance: f32,
}

/// A mask of where a thing is seen in the picture.
#[derive(Debug, Serialize)]
pub(crate) struct Silhouette {
    pub(crate) node: NodeId,
    /// Cells of the mask over the picture.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Row by row, lengths of runs of cells: outside, inside, outside, …
    pub(crate) runs: Vec<u32>,
}

/// How pictures are made and shown, and for whom; sent whenever it changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "view")]
pub(crate) struct ViewState {
    /// Counts what makes pictures different, edits and moments too: a frame of this change shows all that was asked for.
    pub(crate) change: u64,
    pub(crate) pose: Pose,
    /// Of the page.
    pub(crate) size: [u32; 2],
    pub(crate) scale: f32,
    #[serde(flatten)]
    pub(crate) first: MethodState,
    /// Of the picture beside it, if two are compared.
    pub(crate) second: Option<MethodState>,
    pub(crate) auto_exposure: bool,
    pub(crate) exposure: f32,
    pub(crate) tone_curve: &'static str,
    pub(crate) samples: u32,
    /// Which moment of an animation is shown.
    pub(crate) moment: Option<Moment>,
    /// Who edits.
    pub(crate) editor: Option<ClientId>,
    /// How many look on, the editor included.
    pub(crate) clients: usize,
    /// Why there are no new pictures: one sentence.
    pub(crate) problem: Option<String>,
}

/// A moment of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Moment {
    pub(crate) animation: AnimationId,
    pub(crate) secs: f32,
    /// Whether others are about to follow.
    pub(crate) plays: bool,
}

/// How one picture is computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MethodState {
    pub(crate) algorithm: &'static str,
    /// In the order of the algorithm's table.
    pub(crate) parameters: Vec<Value>,
    /// Empty: radiance.
    pub(crate) channel: &'static str,
}
