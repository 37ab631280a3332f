//! GPU shaders of Sunfleck, without any device: WESL modules in `shaders/`, linked at build time as [tables of
//! passes](passes) say; [kernels](Kernel), which are linked shaders specialised for a world as naga modules with
//! resources bound by name; and the Rust counterparts of the [structures](layout) that host and shaders share.
#![deny(unsafe_code)]

mod kernel;
pub mod layout;
pub mod passes;
mod prune;
mod shader;
mod specialization;
mod split;
mod surface_feature;

pub use kernel::{Access, Kernel, Resource};
pub use passes::{Features, Pass};
pub use shader::Shader;
pub use specialization::Specialization;
pub use split::Split;
pub use surface_feature::{SurfaceFeature, SurfaceFeatures};
