//! Building blocks for kernels of other crates: arrays on the GPU, pipelines compiled from linked shaders, dispatches,
//! timestamps.
//!
//! The kernels are passes of `sunfleck_shaders`; this module compiles no other code. They run without bounds checks in
//! release builds (see `pipeline.rs`), so the caller has to bind what the shader's documentation requires: indices that
//! refer to another array have to lie within it.
//!
//! ```no_run
//! use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, run};
//! use sunfleck_gpu::{Gpu, GpuError};
//! use sunfleck_shaders::layout::{Hit, Plane, Ray};
//! use sunfleck_shaders::passes::crossbar::CLOSEST;
//!
//! fn all_pairs(gpu: &Gpu, planes: &[Plane], rays: &[Ray]) -> Result<Vec<Hit>, GpuError> {
//!     let kernel = Pipeline::of_shader(gpu, &CLOSEST)?;
//!     let (planes, rays) = (Array::new(gpu, "triangles", planes)?, Array::new(gpu, "rays", rays)?);
//!     let hits = Array::<Hit>::zeroed(gpu, "hits", rays.len())?;
//!     let buffers = [("planes", planes.buffer()), ("rays", rays.buffer()), ("hits", hits.buffer())];
//!     let group = kernel.bind(gpu, &buffers.into())?;
//!     run(gpu, &[Dispatch { kernel: &kernel, group, items: rays.len() }], 1, None);
//!     hits.read(gpu)
//! }
//! ```

pub use crate::buffer::{Array, buffer};
pub use crate::pipeline::{Dispatch, Pipeline, run};
pub use crate::queries::QueryKernels;
pub use crate::resources::Resources;
pub use crate::timing::Timestamps;
