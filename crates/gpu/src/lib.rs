//! Ray tracing and rendering on GPUs through Vulkan, Metal or Direct3D 12; without a GPU on Mesa's lavapipe.
//!
//! A [`Mirror`] holds the content of a [`Tlas`](sunfleck_kernel::Tlas) in GPU memory; a [`Tracer`] answers closest-hit
//! and any-hit queries on streams of rays. A [`Renderer`] renders images of a world with any integrator that has
//! kernels. Other crates run their own kernels through [`compute`], and render images with their own acceleration
//! structures through [`RayStructure`].
//!
//! ```no_run
//! use std::sync::Arc;
//! use sunfleck_gpu::{AdapterChoice, Gpu, Mirror, RayBatch, Tracer};
//!
//! # fn trace(world: &sunfleck_kernel::Tlas) -> Result<(), sunfleck_gpu::GpuError> {
//! let gpu = Arc::new(Gpu::open(AdapterChoice::Best)?);
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
mod denoise;
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
mod radiosity;
mod renderer;
mod resources;
mod reuse;
mod scene;
mod spirv;
mod supply;
mod timing;
mod tracer;
mod whitted;

use sunfleck_integrators::ao::Ao;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::radiosity::Radiosity;
use sunfleck_integrators::whitted::Whitted;

use ao::AoRenderer;
pub use batch::RayBatch;
pub use denoise::{GpuDenoiseMethod, GpuDenoiser};
pub use device::{Adapter, AdapterChoice, AdapterKind, Gpu, adapters, has_hardware_gpu};
pub use error::GpuError;
pub use frames::FrameSequence;
pub use gpu_integrator::RenderRun;
use gpu_integrator::{IntegratorEntry, entry};
pub use igi::{FrameTimes, IgiOptions, IgiRenderer, IgiSequence, IgiStage};
pub use live::LivePicture;
pub use mirror::{Mirror, MirrorOptions, MirrorUpdate, TopLevelDevice};
pub use path::{PathOptions, PathRenderer, PathTimes, RayStructure};
pub use queries::RayQuery;
use radiosity::RadiosityRenderer;
pub use radiosity::{MatrixRadiosity, PackedSurfaces, StochasticRadiosity};
pub use renderer::Renderer;
pub use reuse::GpuReuse;
pub use scene::SceneMirror;
pub use supply::SampleSupply;
pub use timing::StageTime;
pub use tracer::Tracer;
pub use whitted::WhittedRenderer;

/// The integrators that have kernels.
const GPU_INTEGRATORS: [IntegratorEntry; 5] = [
    entry::<PathTracer>(|gpu, scene| Ok(Box::new(PathRenderer::new(gpu, scene)?))),
    entry::<Whitted>(|gpu, scene| Ok(Box::new(WhittedRenderer::new(gpu, scene)?))),
    entry::<Igi>(|gpu, scene| Ok(Box::new(IgiRenderer::new(gpu, scene)))),
    entry::<Ao>(|gpu, scene| Ok(Box::new(AoRenderer::new(gpu, scene)?))),
    entry::<Radiosity>(|gpu, scene| Ok(Box::new(RadiosityRenderer::new(gpu, scene)?))),
];
