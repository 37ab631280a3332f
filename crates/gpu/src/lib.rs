//! Tracing on a GPU: any that Vulkan, Metal or Direct3D 12 reaches, Mesa's lavapipe where there is none.
//!
//! A [`Mirror`] holds what a [`Tlas`](sunfleck_kernel::Tlas) holds, where the GPU reads it; a [`Tracer`] asks it the two questions about a
//! stream of rays. Rooms above run kernels of their own by [`compute`], and render pictures in structures of their own by [`RayStructure`].
//!
//! ```no_run
//! use std::sync::Arc;
//! use sunfleck_gpu::{Gpu, Mirror, RayBatch, Tracer, Which};
//!
//! # fn trace(world: &sunfleck_kernel::Tlas) -> Result<(), sunfleck_gpu::GpuError> {
//! let gpu = Arc::new(Gpu::open(Which::Best)?);
//! let mirror = Mirror::new(&gpu, world)?;
//! let tracer = Tracer::new(&gpu, &mirror)?;
//! let ray = sunfleck_shaders::layout::Ray {
//!     origin: [0.0; 3],
//!     t_near: 0.0,
//!     direction: [0.0, 0.0, 1.0],
//!     t_far: f32::INFINITY,
//! };
//! let batch = RayBatch::new(&gpu, &[ray])?;
//! let hits = tracer.closest(&mirror, &batch)?;
//! # Ok(())
//! # }
//! ```
#![deny(unsafe_code)]

mod ao;
mod batch;
mod buffer;
mod build;
pub mod compute;
mod device;
mod error;
mod film;
mod frames;
mod gpu_integrator;
mod igi;
mod kernels;
mod live;
mod mirror;
mod once;
mod open;
mod path;
mod pipeline;
mod queries;
mod renderer;
mod resources;
mod scene;
mod spirv;
mod supply;
mod timing;
mod tracer;
mod whitted;

use sunfleck_integrators::ao::Ao;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::whitted::Whitted;

use ao::AoRenderer;
pub use batch::RayBatch;
pub use device::{Adapter, AdapterChoice, AdapterKind, Gpu, adapters, is_there};
pub use error::GpuError;
pub use frames::FrameSequence;
pub use gpu_integrator::RenderRun;
use gpu_integrator::{Row, row};
pub use igi::{FrameTimes, IgiOptions, IgiRenderer, IgiSequence, IgiStage};
pub use live::LivePicture;
pub use mirror::{Mirror, MirrorOptions, MirrorUpdate, TopLevel};
pub use path::{PathOptions, PathRenderer, RayStructure, Times};
pub use queries::RayQuery;
pub use renderer::Renderer;
pub use scene::SceneMirror;
pub use supply::SampleSupply;
pub use timing::StageTime;
pub use tracer::Tracer;
pub use whitted::WhittedRenderer;

/// The algorithms that have kernels.
const GPU_INTEGRATORS: [Row; 4] = [
    row::<PathTracer>(|gpu, scene| Ok(Box::new(PathRenderer::new(gpu, scene)?))),
    row::<Whitted>(|gpu, scene| Ok(Box::new(WhittedRenderer::new(gpu, scene)?))),
    row::<Igi>(|gpu, scene| Ok(Box::new(IgiRenderer::new(gpu, scene)))),
    row::<Ao>(|gpu, scene| Ok(Box::new(AoRenderer::new(gpu, scene)?))),
];
