//! Messages between browser and server, as documented in `docs/viewer-protocol.md`.

mod reply;
mod request;
mod tables;

pub(crate) use reply::{
    FilesState, MethodState, Moment, PickedObject, RecentRow, Reply, Silhouette, UnsavedRow, ViewState,
};
pub(crate) use request::{MAX_REQUEST_BYTES, MethodSettings, Pose, Request, Settings, Sphere, SphereView};
pub(crate) use tables::Tables;

/// Version of the protocol, increased by incompatible changes.
pub(crate) const VERSION: u32 = 4;

/// Number of a connection, never used twice.
pub(crate) type ClientId = u64;
