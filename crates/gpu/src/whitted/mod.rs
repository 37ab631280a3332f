//! Whitted ray tracing: the GPU counterpart of `integrators::whitted`. It runs the stages of the path tracer with its
//! own shading stage.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Observer, RenderOutcome, StopRules, View, ViewSpec};
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::whitted::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::LiveSource;
use crate::path::{PathStages, PathStreams, PathTimes, RayStructure, StreamRequest, measure, packed_view};
use crate::resources::Resources;
use crate::{Gpu, GpuError, SceneMirror};

/// Stages of Whitted ray tracing, compiled for the features of a world.
#[derive(Debug)]
pub struct WhittedRenderer {
    stages: PathStages,
}

impl WhittedRenderer {
    /// Compiles the stages for the world of `scene`. They also render worlds whose trees are no deeper and that need no
    /// further features. Surfaces with alpha and procedurals are supported only if `scene` has some; transformed
    /// instances, textures and vertex colours only if it has some or was made with
    /// [`MirrorOptions::changes`](crate::MirrorOptions::changes).
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: PathStages::new(gpu, scene, &SHADE, false, None)? })
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
        Ok(Self { stages: PathStages::new(gpu, scene, &SHADE, false, Some(structure))? })
    }

    /// Renders into a film of the size of `spec` until a stop rule is met or `cancel` is set: the GPU counterpart of
    /// [`sunfleck_integrators::render`]. The content of the film is replaced.
    ///
    /// * `ambient` — [`Whitted::ambient_light`] of the view.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`], [`GpuError::TooLarge`] if the stages were not compiled for such a world;
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`] if the film is too large; [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        whitted: &Whitted,
        ambient: Vec3,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let request = stream_request(scene, &spec, whitted, ambient, spec.aovs, 0..stop.target());
        PathStreams::new(&self.stages, &request)?.render_film(film, stop, cancel, observer, None)
    }

    /// Measures the GPU time of an image with `samples` samples per pixel, without AOVs; `None` if the GPU has no
    /// timestamps. Waits for the GPU.
    ///
    /// * `ambient` — [`Whitted::ambient_light`] of the view.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn time(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        whitted: &Whitted,
        ambient: Vec3,
        samples: u32,
    ) -> Result<Option<PathTimes>, GpuError> {
        measure(&self.stages, &stream_request(scene, spec, whitted, ambient, AovSet::EMPTY, 0..samples))
    }
}

impl GpuIntegrator for WhittedRenderer {
    fn supports(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        self.stages.render(&to_stream_request(request, run.samples.clone())?, film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError> {
        self.stages.live(to_stream_request(request, StreamRequest::open_ended(first))?)
    }
}

fn to_stream_request<'a>(
    request: &RenderRequest<'a>,
    samples: Range<u32>,
) -> Result<StreamRequest<'a>, GpuError> {
    let &RenderRequest { scene, world, spec, level, .. } = request;
    let whitted: &Whitted = request.parameters()?;
    let ambient = whitted.ambient_light(level, &View::new(world, *spec));
    Ok(stream_request(scene, spec, whitted, ambient, spec.aovs, samples))
}

fn stream_request<'a>(
    scene: &'a SceneMirror,
    spec: &'a ViewSpec,
    whitted: &Whitted,
    ambient: Vec3,
    aovs: AovSet,
    samples: Range<u32>,
) -> StreamRequest<'a> {
    StreamRequest {
        scene,
        spec,
        aovs,
        samples,
        view: packed_view(spec, whitted.max_depth, 0),
        branches: whitted.max_depth.max(1),
        parameters: ambient.extend(whitted.cutoff).to_array(),
        paths: None,
        single_sample_jobs: false,
        resources: Resources::default(),
    }
}
