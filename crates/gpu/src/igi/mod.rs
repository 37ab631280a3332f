//! Instant Global Illumination as kernels over streams: the twin of `integrators::igi`, with the same decisions from the same random numbers.
//!
//! ```text
//! coarse picture ▶ lights chosen ▶ walk ▶ VPLs ──┐  and photons of caustics in a hash grid
//! camera rays ▶ first surfaces ▶ points ▶ shadow rays and shading ▶ sums ▶ resolve ▶ discontinuity filter ▶ picture
//!                    └▶ sharp lobes ▶ intersect ▶ surfaces ▶ points ─┘
//! ```
//!
//! A frame that fits is one submission, larger ones go in bands: see `bands.rs`. Pixels stand in the order of their sets, 8 × 8 of one set to a group of
//! threads; see `shaders/igi/frame.wesl`. Frames are added up on the GPU.

mod arrays;
mod bands;
mod drive;
mod frame;
mod links;
mod live;
mod past;
mod photons;
mod rows;
mod sequence;
mod sizes;
mod stages;
mod streams;
#[cfg(test)]
mod tests;
mod times;
mod workspace;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Observer, Outcome, StopRules, ViewSpec, World};
use sunfleck_shaders::layout::Vpl;

use crate::frames::FrameSequence;
use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::kernels::Kernels;
use crate::live::Live;
use crate::{Gpu, GpuError, SceneMirror};
pub use sequence::IgiSequence;
pub use stages::IgiStage;
use stages::submit;
use streams::Streams;
pub use times::FrameTimes;
use workspace::Spares;

/// How frames are made; nothing here changes a bit of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgiOptions {
    /// Bytes that an array takes at most; larger frames are made in bands. `None`: as many as the GPU says.
    pub binding_bytes: Option<u64>,
}

/// Its passes for worlds of some depth; each is compiled when a frame needs it for the first time.
#[derive(Debug)]
pub struct IgiRenderer {
    kernels: Kernels,
    spares: Spares,
    options: IgiOptions,
}

impl IgiRenderer {
    /// For worlds no deeper than that of `scene`; with surfaces that are not there everywhere, or solid patterns, only if that has such, with instances that are turned, textures,
    /// or colours of vertices only if it has such or is going to change.
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Self {
        Self::with_options(gpu, scene, IgiOptions::default())
    }

    /// The same, in other bands.
    pub fn with_options(gpu: &Arc<Gpu>, scene: &SceneMirror, options: IgiOptions) -> Self {
        Self { kernels: Kernels::new(gpu, scene), spares: Spares::default(), options }
    }

    /// Renders frames into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced.
    ///
    /// * `world` — that of `scene`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the kernels are for worlds without something that this one has; [`GpuError::Shader`], [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
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
    ) -> Result<Outcome, GpuError> {
        let order = Order { scene, world, spec, recipe: Recipe::picture(igi, film.aovs()) };
        self.drive(&self.streams(&order)?, spec, film, 0, stop, cancel, observer, None)
    }

    /// The virtual point lights of frame number `pass`, in the order of shares; some may be [`Vpl::NONE`].
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
        let order = Order { scene, world, spec, recipe: Recipe::picture(igi, AovSet::EMPTY) };
        self.begun(&order, pass)?.arrays.vpls.read(&self.kernels.gpu)
    }

    /// How often virtual point lights of frame number `pass` stand for each light: sums of parts, of no light, of the first, of the first two …
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
        let order = Order { scene, world, spec, recipe: Recipe::picture(igi, AovSet::EMPTY) };
        self.begun(&order, pass)?.arrays.part_sums.read(&self.kernels.gpu)
    }

    /// Frame number `pass` up to what is to be lit, of the first band.
    fn begun(&self, order: &Order<'_>, pass: u32) -> Result<Streams, GpuError> {
        let streams = self.streams(order)?;
        streams.begin(&self.kernels.gpu, order.spec, pass);
        streams.begin_band(&self.kernels.gpu, 0);
        submit(&self.kernels.gpu, &streams.beginning(0), None);
        Ok(streams)
    }

    /// Seconds that the GPU takes for each stage of `frames` frames, one after the other; `None` if it has no time stamps.
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
        let order = Order { scene, world, spec, recipe: Recipe::picture(igi, AovSet::EMPTY) };
        let streams = self.streams(&order)?;
        streams.begin(&self.kernels.gpu, spec, 0);
        streams.time(&self.kernels.gpu, frames, |_| ())
    }

    fn streams(&self, order: &Order<'_>) -> Result<Streams, GpuError> {
        self.kernels.check(order.scene)?;
        let limit = self.options.binding_bytes.unwrap_or(u64::MAX).min(self.kernels.gpu.most_bytes());
        Streams::new(&self.kernels, &self.spares, order, limit)
    }
}

impl GpuIntegrator for IgiRenderer {
    fn serves(&self, scene: &SceneMirror) -> bool {
        self.kernels.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError> {
        let streams = self.streams(&requested(request)?)?;
        let RenderRun { samples, stop, cancel, observer, supply } = run;
        self.drive(&streams, request.spec, film, samples.start, stop, cancel, *observer, *supply)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn Live>, GpuError> {
        let streams = self.streams(&requested(request)?)?;
        Ok(Box::new(live::Frames::new(self.kernels.gpu.clone(), streams, *request.spec, first)))
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

fn requested<'a>(request: &RenderRequest<'a>) -> Result<Order<'a>, GpuError> {
    let &RenderRequest { scene, world, spec, .. } = request;
    Ok(Order { scene, world, spec, recipe: Recipe::picture(request.parameters()?, spec.aovs) })
}

/// A picture that somebody wants.
#[derive(Clone, Copy)]
struct Order<'a> {
    scene: &'a SceneMirror,
    /// That of `scene`.
    world: &'a World,
    spec: &'a ViewSpec,
    recipe: Recipe,
}

/// How frames are computed, and what becomes of them.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    igi: Igi,
    /// Channels of the film.
    aovs: AovSet,
    /// If frames are no samples of one picture but each takes over what it can from the one before: of so many a picture is a mean.
    reuse: Option<u32>,
}

impl Recipe {
    /// Of frames that are samples of one picture.
    fn picture(igi: &Igi, aovs: AovSet) -> Self {
        Self { igi: *igi, aovs, reuse: None }
    }

    /// The frame that number `pass` is treated as: frames of a picture are filtered, and take photons from afar, less and less; frames of a sequence all
    /// alike.
    fn like(&self, pass: u32) -> u32 {
        if self.reuse.is_some() { 0 } else { pass }
    }
}
