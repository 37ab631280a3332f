//! The path tracer as kernels over streams of paths: the GPU counterpart of `integrators::path`, which takes the same
//! decisions from the same random numbers.
//!
//! ```text
//!   ┌▶ advance ▶ test shadow rays ▶ film ▶ camera rays ▶ closest hits ▶ sort ▶ shade ─┐
//!   └─────────────── continued paths, shadow rays ◀──────────────────────────────────┘
//! ```
//!
//! A step extends all paths by one bounce. Continued paths are compacted, so that no thread idles because the path of
//! its neighbour has ended, and camera rays of the next samples fill up the streams: the GPU is full until the end,
//! whatever the size of the image. `advance` determines the number of threads of the stages, so that the CPU submits
//! steps without reading anything back.
//!
//! Samples are divided into jobs, each of which has a few samples of each pixel of the film or of a band. A job is
//! added to the film as soon as it is complete, jobs in their order, and the samples of a pixel in the order of their
//! numbers. The order in which threads run is not deterministic, but each path adds its light to its own sample, in the
//! order of its bounces. Hence the image is a function of its samples alone, bit for bit the same on one GPU whatever
//! was in flight together.

#[cfg(test)]
mod failures;
mod live;
mod plan;
mod render_loop;
mod stages;
mod streams;
mod structure;
mod timing;
mod view;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Observer, RenderOutcome, StopRules, ViewSpec};
use sunfleck_shaders::passes::path::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::LiveSource;
use crate::resources::Resources;
use crate::{Gpu, GpuError, SceneMirror};
pub(crate) use stages::PathStages;
pub(crate) use streams::{PathStreams, StreamRequest};
pub use structure::RayStructure;
pub use timing::PathTimes;
pub(crate) use timing::measure;
pub(crate) use view::packed_view;

/// Options of the path tracer's streams. They do not affect the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathOptions {
    /// Maximum number of paths in flight; `None` for the default of the kind of adapter.
    pub paths: Option<u32>,
}

/// Stages of the path tracer, compiled for the features of a world.
#[derive(Debug)]
pub struct PathRenderer {
    stages: PathStages,
    options: PathOptions,
}

impl PathRenderer {
    /// Compiles the stages for the world of `scene`. They also render worlds whose trees are no deeper and that need no
    /// further features. Surfaces with alpha, procedurals, shapes, measured metals, rough glass and plastic are
    /// supported only if `scene` has some; transformed instances, textures and vertex colours only if it has some or was made with
    /// [`MirrorOptions::changes`](crate::MirrorOptions::changes).
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Self::with_options(gpu, scene, PathOptions::default())
    }

    /// As [`new`](Self::new), with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Arc<Gpu>, scene: &SceneMirror, options: PathOptions) -> Result<Self, GpuError> {
        Ok(Self { stages: PathStages::new(gpu, scene, &SHADE, true, None)?, options })
    }

    /// As [`new`](Self::new), with rays that are traced in another acceleration structure of the same world.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`GpuError::Unsupported`] if the world has surfaces with alpha.
    pub fn with_structure(
        gpu: &Arc<Gpu>,
        scene: &SceneMirror,
        structure: RayStructure,
    ) -> Result<Self, GpuError> {
        let stages = PathStages::new(gpu, scene, &SHADE, true, Some(structure))?;
        Ok(Self { stages, options: PathOptions::default() })
    }

    /// Renders into a film of the size of `spec` until a stop rule is met or `cancel` is set: the GPU counterpart of
    /// [`sunfleck_integrators::render`]. The content of the film is replaced.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`], [`GpuError::TooLarge`] if the stages were not compiled for such a world;
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`] if the film is too large; [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let request = self.stream_request(scene, &spec, path, spec.aovs, 0..stop.target());
        PathStreams::new(&self.stages, &request)?.render_film(film, stop, cancel, observer, None)
    }

    /// Measures the GPU time of an image with `samples` samples per pixel, without AOVs; `None` if the GPU has no
    /// timestamps. Waits for the GPU.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn time(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        samples: u32,
    ) -> Result<Option<PathTimes>, GpuError> {
        let request = self.stream_request(scene, spec, path, AovSet::EMPTY, 0..samples);
        measure(&self.stages, &request)
    }

    fn to_stream_request<'a>(
        &self,
        request: &RenderRequest<'a>,
        samples: Range<u32>,
    ) -> Result<StreamRequest<'a>, GpuError> {
        let &RenderRequest { scene, spec, .. } = request;
        Ok(self.stream_request(scene, spec, request.parameters()?, spec.aovs, samples))
    }

    fn stream_request<'a>(
        &self,
        scene: &'a SceneMirror,
        spec: &'a ViewSpec,
        path: &PathTracer,
        aovs: AovSet,
        samples: Range<u32>,
    ) -> StreamRequest<'a> {
        let view = packed_view(spec, path.max_bounces, path.roulette_after);
        StreamRequest {
            scene,
            spec,
            aovs,
            samples,
            view,
            branches: 0,
            parameters: [0.0; 4],
            paths: self.options.paths,
            single_sample_jobs: false,
            resources: Resources::default(),
        }
    }
}

impl GpuIntegrator for PathRenderer {
    fn supports(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        self.stages.render(&self.to_stream_request(request, run.samples.clone())?, film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError> {
        self.stages.live(self.to_stream_request(request, StreamRequest::open_ended(first))?)
    }
}
