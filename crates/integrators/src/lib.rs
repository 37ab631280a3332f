//! From a scene to radiance: one folder per algorithm over one [`World`].
//!
//! [`path`] is the reference that every other algorithm is measured against; [`whitted`] is classical recursive
//! ray tracing; [`igi`] computes global illumination at interactive rates; [`ao`] computes ambient occlusion. [`render()`] drives any of them over the tiles of a film
//! until a stop rule says enough. The picture is the same bit for bit whatever the number of threads, the size of tiles and
//! the SIMD level.
//!
//! A picture is made in passes. A [`Pass`] says all that a machine needs which has the same [`World`]; an [`Assembly`] cuts it into
//! [`TileJob`]s, [`Worker`]s of a [`PreparedPass`] turn these into [`TileResult`]s, and the assembly puts the results together. Jobs
//! and results may travel.
#![forbid(unsafe_code)]

mod algorithm;
pub mod ao;
mod assembly;
mod camera_rays;
mod dimension;
pub mod igi;
mod integrator;
mod light_walk;
mod memory;
mod parameters;
mod pass;
pub mod path;
mod render;
mod stage_times;
mod stop;
mod tile;
mod tile_light;
mod tiling;
mod view;
pub mod whitted;

pub use algorithm::UnknownAlgorithm;
pub use assembly::Assembly;
pub use camera_rays::CameraRays;
pub use memory::Memory;
pub use parameters::ParameterError;
pub use pass::{Pass, PreparedPass, Worker};
pub use render::{Observer, Outcome, Schedule, Status, StopReason, render};
pub use stage_times::{RenderStage, StageTimes};
pub use stop::{DEFAULT_SAMPLES, StopRules};
pub use sunfleck_transport::{CommitError, Picked, PlacedCamera, World};
pub use tile::{TileError, TileJob, TileResult};
pub use view::{RayCount, View, ViewSpec, share_of_sample};

algorithm::algorithms! {
    /// Unbiased path tracing: the reference.
    Path(path::PathTracer),
    /// Classical recursive ray tracing.
    Whitted(whitted::Whitted),
    /// Instant Global Illumination.
    Igi(igi::Igi),
    /// Ambient occlusion.
    Ao(ao::Ao),
}
