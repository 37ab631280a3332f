//! From a scene to radiance: one folder per algorithm over one [`World`].
//!
//! [`path`] is the boring reference that every other algorithm is measured against; [`whitted`] is classical recursive
//! ray tracing; [`igi`] computes global illumination at interactive rates. [`render()`] drives either over the tiles of a film until a stop rule says enough. The picture is the same
//! bit for bit whatever the number of threads, the size of tiles and the SIMD level.
#![forbid(unsafe_code)]

mod algorithm;
mod camera_rays;
mod dimension;
mod direct;
pub mod igi;
mod light_walk;
mod parameters;
pub mod path;
mod photons;
mod render;
mod vantage;
mod view;
pub mod whitted;
mod world;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use camera_rays::CameraRays;
pub use parameters::{Kind, Parameter, ParameterError};
pub use render::{DEFAULT_SAMPLES, Ended, Observer, Outcome, Schedule, Status, StopRules, render};
pub use view::{RayCount, View};
pub use world::{AlphaSeed, CommitError, PlacedCamera, SurfacePoint, World};
