//! What browser and server say to each other: `docs/viewer-protocol.md`.

mod reply;
mod request;
mod tables;

pub(crate) use reply::{MethodState, Moment, PickedThing, Reply, Silhouette, ViewState};
pub(crate) use request::{LARGEST_REQUEST, MethodSettings, Pose, Request, Settings};
pub(crate) use tables::Tables;

/// Changes when an old page could misunderstand a new server, or the other way round.
pub(crate) const VERSION: u32 = 3;

/// A client, for as long as it is connected; never given twice.
pub(crate) type ClientId = u64;
