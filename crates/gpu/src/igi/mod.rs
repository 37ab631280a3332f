//! Instant Global Illumination as kernels over streams: the GPU counterpart of `integrators::igi`, which takes the same
//! decisions from the same random numbers.
//!
//! ```text
//! coarse image ▶ lights chosen ▶ light paths ▶ VPLs ──┐  and photons of caustics in a hash grid
//! camera rays ▶ first surfaces ▶ points ▶ shadow rays and shading ▶ sums ▶ resolve ▶ discontinuity filter ▶ image
//!                    └▶ specular lobes ▶ intersect ▶ surfaces ▶ points ─┘
//! ```
//!
//! A frame that fits into memory is one submission, larger ones are divided into bands: see `bands.rs`. Pixels are
//! stored in the order of their VPL sets; a workgroup has 8 × 8 pixels of one set: see `shaders/igi/frame.wesl`. Frames
//! are added up on the GPU.

mod arrays;
mod bands;
mod frame;
mod frame_passes;
mod history;
mod light_parents;
mod live;
mod photons;
mod render_loop;
mod sequence;
mod sizes;
mod stages;
mod streams;
#[cfg(test)]
mod tests;
mod timing;
mod workspace;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Observer, RenderOutcome, StopRules, ViewSpec, World};
use sunfleck_shaders::SurfaceFeature;
use sunfleck_shaders::layout::Vpl;

use crate::frames::FrameSequence;
use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::kernels::Kernels;
use crate::live::LiveSource;
use crate::{Gpu, GpuError, SceneMirror};
pub use sequence::IgiSequence;
pub use stages::IgiStage;
use stages::submit;
use streams::FrameStreams;
pub use timing::FrameTimes;
use workspace::WorkspacePool;

/// Features that surfaces may not have: points on which light is gathered, and virtual lights, are stored with a normal
/// but no tangent, and with the parameters of metallic-roughness.
const UNSUPPORTED: [SurfaceFeature; 2] = [SurfaceFeature::Anisotropy, SurfaceFeature::Principled];

/// Memory options of frames. They do not affect the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgiOptions {
    /// Largest size of an array, bytes; larger frames are divided into bands. `None`: the limit of the GPU.
    pub binding_bytes: Option<u64>,
}

/// Instant Global Illumination on a GPU. Each pass is compiled for the features of a world when a frame first needs it.
#[derive(Debug)]
pub struct IgiRenderer {
    kernels: Kernels,
    workspaces: WorkspacePool,
    options: IgiOptions,
}

impl IgiRenderer {
    /// Creates a renderer for the world of `scene`. It also renders worlds whose trees are no deeper and that need no
    /// further features. Surfaces with alpha and procedurals are supported only if `scene` has some; transformed
    /// instances, textures and vertex colours only if it has some or was made with
    /// [`MirrorOptions::changes`](crate::MirrorOptions::changes); anisotropic and principled surfaces never.
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Self {
        Self::with_options(gpu, scene, IgiOptions::default())
    }

    /// As [`new`](Self::new), with options.
    pub fn with_options(gpu: &Arc<Gpu>, scene: &SceneMirror, options: IgiOptions) -> Self {
        Self {
            kernels: Kernels::without(gpu, scene, &UNSUPPORTED),
            workspaces: WorkspacePool::default(),
            options,
        }
    }

    /// Renders frames into a film of the size of `spec` until a stop rule is met or `cancel` is set: the GPU
    /// counterpart of [`sunfleck_integrators::render`]. The content of the film is replaced.
    ///
    /// * `world` — the world of `scene`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the kernels were compiled for worlds without a feature that this one has;
    /// [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        let request =
            IgiRequest { scene, world, spec, settings: IgiSettings::single_image(igi, film.aovs()) };
        self.render_frames(&self.streams(&request)?, spec, film, 0, stop, cancel, observer, None)
    }

    /// Returns the virtual point lights of frame number `pass`, in the order of shares; some may be [`Vpl::NONE`].
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn virtual_lights(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        pass: u32,
    ) -> Result<Vec<Vpl>, GpuError> {
        let request =
            IgiRequest { scene, world, spec, settings: IgiSettings::single_image(igi, AovSet::EMPTY) };
        self.prepare_first_band(&request, pass)?.arrays.vpls.read(&self.kernels.gpu)
    }

    /// Returns how the VPLs of frame number `pass` are distributed over the lights: prefix sums of the lights' parts,
    /// beginning with 0.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn light_sums(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        pass: u32,
    ) -> Result<Vec<u32>, GpuError> {
        let request =
            IgiRequest { scene, world, spec, settings: IgiSettings::single_image(igi, AovSet::EMPTY) };
        self.prepare_first_band(&request, pass)?.arrays.part_sums.read(&self.kernels.gpu)
    }

    /// Runs the passes of frame number `pass` that precede illumination, for the first band.
    fn prepare_first_band(&self, request: &IgiRequest<'_>, pass: u32) -> Result<FrameStreams, GpuError> {
        let streams = self.streams(request)?;
        streams.begin(&self.kernels.gpu, request.spec, pass);
        streams.begin_band(&self.kernels.gpu, 0);
        submit(&self.kernels.gpu, &streams.beginning(0), None);
        Ok(streams)
    }

    /// Measures the GPU time of each stage of `frames` frames; `None` if the GPU has no timestamps.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn time(
        &self,
        scene: &SceneMirror,
        world: &World,
        spec: &ViewSpec,
        igi: &Igi,
        frames: u32,
    ) -> Result<Option<FrameTimes>, GpuError> {
        let request =
            IgiRequest { scene, world, spec, settings: IgiSettings::single_image(igi, AovSet::EMPTY) };
        let streams = self.streams(&request)?;
        streams.begin(&self.kernels.gpu, spec, 0);
        streams.time(&self.kernels.gpu, frames, |_| ())
    }

    fn streams(&self, request: &IgiRequest<'_>) -> Result<FrameStreams, GpuError> {
        self.kernels.check(request.scene)?;
        let limit = self.options.binding_bytes.unwrap_or(u64::MAX).min(self.kernels.gpu.max_binding_bytes());
        FrameStreams::new(&self.kernels, &self.workspaces, request, limit)
    }
}

impl GpuIntegrator for IgiRenderer {
    fn supports(&self, scene: &SceneMirror) -> bool {
        self.kernels.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        let streams = self.streams(&igi_request(request)?)?;
        let RenderRun { samples, stop, cancel, observer, supply } = run;
        self.render_frames(&streams, request.spec, film, samples.start, stop, cancel, *observer, *supply)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError> {
        let streams = self.streams(&igi_request(request)?)?;
        Ok(Box::new(live::LiveFrames::new(self.kernels.gpu.clone(), streams, *request.spec, first)))
    }

    fn sequence(
        &self,
        request: &RenderRequest<'_>,
        frames: u32,
    ) -> Result<Option<Box<dyn FrameSequence>>, GpuError> {
        let &RenderRequest { scene, world, spec, .. } = request;
        Ok(Some(Box::new(Self::sequence(self, scene, world, spec, request.parameters()?, frames)?)))
    }
}

fn igi_request<'a>(request: &RenderRequest<'a>) -> Result<IgiRequest<'a>, GpuError> {
    let &RenderRequest { scene, world, spec, .. } = request;
    Ok(IgiRequest {
        scene,
        world,
        spec,
        settings: IgiSettings::single_image(request.parameters()?, spec.aovs),
    })
}

/// Request to render frames of a view of a world.
#[derive(Clone, Copy)]
struct IgiRequest<'a> {
    scene: &'a SceneMirror,
    /// World of `scene`.
    world: &'a World,
    spec: &'a ViewSpec,
    settings: IgiSettings,
}

/// Settings of frames: how they are computed, what is recorded, and whether they reuse previous ones.
#[derive(Clone, Copy, Debug)]
struct IgiSettings {
    igi: Igi,
    /// AOVs of the film.
    aovs: AovSet,
    /// Number of frames over which an image is averaged, if each frame reuses the previous one; `None` if frames are
    /// samples of one image.
    reuse: Option<u32>,
}

impl IgiSettings {
    /// Settings of frames that are samples of one image.
    fn single_image(igi: &Igi, aovs: AovSet) -> Self {
        Self { igi: *igi, aovs, reuse: None }
    }

    /// Number of the frame as which frame number `pass` is filtered and gathers photons. Over the frames of an image,
    /// the filter and the radius of the photon estimate shrink; the frames of a temporal sequence are all treated as
    /// the first one.
    fn equivalent_pass(&self, pass: u32) -> u32 {
        if self.reuse.is_some() { 0 } else { pass }
    }
}
