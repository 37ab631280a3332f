//! Light transport algorithms that render a [`World`], one folder per algorithm.
//!
//! [`path`] is the reference that every other algorithm is measured against; [`whitted`] is classical recursive
//! ray tracing; [`igi`] computes global illumination at interactive rates; [`ao`] computes ambient occlusion;
//! [`radiosity`] shows diffuse light that is stored on the surfaces.
//! [`render()`] drives any of them over the tiles of a film until a stop rule is met. The image is the same bit for bit
//! for every number of threads, tile size and SIMD level.
//!
//! An image is rendered in passes. A [`Pass`] holds everything that a machine with the same [`World`] needs. An
//! [`Assembly`] divides it into [`TileJob`]s, the [`Worker`]s of a [`PreparedPass`] compute a [`TileResult`] for each,
//! and the assembly adds the results to the film. Jobs and results can be serialised.
#![forbid(unsafe_code)]

mod adaptive;
mod algorithm;
pub mod ao;
mod assembly;
mod camera_rays;
mod dimension;
mod features;
mod history;
pub mod igi;
mod integrator;
mod light_walk;
mod parameters;
mod pass;
pub mod path;
pub mod radiosity;
mod render;
mod render_state;
pub mod reuse;
mod stage_times;
mod stop;
mod tile;
mod tile_light;
mod tiling;
pub mod upsample;
mod view;
pub mod whitted;

pub use algorithm::{RefusedWorld, UnknownAlgorithm};
pub use assembly::Assembly;
pub use camera_rays::CameraRays;
pub use history::TemporalHistory;
pub use parameters::ParameterError;
pub use pass::{Pass, PreparedPass, Worker};
pub use render::{Observer, RenderOutcome, RenderProgress, Schedule, StopReason, render};
pub use render_state::{RenderStart, RenderState};
pub use stage_times::{RenderStage, StageTimes};
pub use stop::{DEFAULT_SAMPLES, StopRules};
pub use sunfleck_transport::{CommitError, Picked, PlacedCamera, World};
pub use tile::{TileError, TileJob, TileResult};
pub use view::{RayCount, View, ViewSpec, footprint_scale};

algorithm::algorithms! {
    /// Unbiased path tracing: the reference.
    Path(path::PathTracer),
    /// Classical recursive ray tracing.
    Whitted(whitted::Whitted),
    /// Instant Global Illumination.
    Igi(igi::Igi),
    /// Ambient occlusion.
    Ao(ao::Ao),
    /// Light stored on surfaces.
    Radiosity(radiosity::Radiosity),
}
