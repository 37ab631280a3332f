//! Shaders: WESL modules under `shaders/`, of which [tables of passes](passes) say how they are linked; linked texts as naga's modules, with constants set for a world and
//! resources bound by name; and the Rust mirrors of the structures that both sides see. Knows nothing of a device.
#![deny(unsafe_code)]

mod details;
mod kernel;
pub mod layout;
pub mod passes;
mod prune;
mod shader;
mod specialization;
mod split;

pub use details::{SurfaceFeature, SurfaceFeatures};
pub use kernel::{Access, Kernel, Resource};
pub use passes::{Features, Pass};
pub use shader::Shader;
pub use specialization::Specialization;
pub use split::Split;
