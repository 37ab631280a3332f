//! The path tracer as kernels over streams: the twin of `integrators::path`, with the same decisions from the same random numbers.
//!
//! ```text
//!   ┌▶ advance ▶ test shadow rays ▶ film ▶ camera rays ▶ closest hits ▶ sort ▶ shade ─┐
//!   └─────────────────────── paths that go on, shadow rays ◀────────────────────────┘
//! ```
//!
//! A step takes all paths one bounce further. Paths that go on are written one after the other, so that no thread idles because its neighbour's path
//! has ended, and the places of those that have ended are taken by camera rays of the next samples: so the GPU is full until the end, whatever the
//! picture's size. `advance` decides how many threads the stages have; the host submits steps without asking.
//!
//! Samples go in jobs, each a few samples of each pixel of the film or of a band of it. A job is added to the film as soon as it is complete, jobs one
//! after the other, the samples of a pixel in the order of their numbers. Which thread does what first is chance, but a path's light goes to its own
//! sample, in the order of its bounces. So the picture is a function of its samples alone, bit for bit the same on one GPU whatever travelled together.

mod drive;
#[cfg(test)]
mod failures;
mod live;
mod picture;
mod plan;
mod stages;
mod structure;
mod times;
mod view;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Observer, Outcome, StopRules, ViewSpec};
use sunfleck_shaders::passes::path::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::Live;
use crate::{Gpu, GpuError, SceneMirror};
pub(crate) use picture::{Order, Picture};
pub(crate) use stages::Stages;
pub use structure::RayStructure;
pub use times::Times;
pub(crate) use times::measure;
pub(crate) use view::packed;

/// How paths travel; nothing here changes a bit of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathOptions {
    /// Most paths in flight; as many as the adapter likes if none is said.
    pub paths: Option<u32>,
}

/// The path tracer's stages, compiled for worlds of some depth.
#[derive(Debug)]
pub struct PathRenderer {
    stages: Stages,
    options: PathOptions,
}

impl PathRenderer {
    /// For worlds no deeper than that of `scene`; with surfaces that are not there everywhere, or solid patterns, only if that has such, with instances that are turned, textures,
    /// or colours of vertices only if it has such or is going to change.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Self::with_options(gpu, scene, PathOptions::default())
    }

    /// The same, travelling otherwise.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Arc<Gpu>, scene: &SceneMirror, options: PathOptions) -> Result<Self, GpuError> {
        Ok(Self { stages: Stages::new(gpu, scene, &SHADE, true, None)?, options })
    }

    /// With rays that are traced in another structure of the same world than its trees.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`GpuError::Unsupported`] if the world has surfaces with alpha.
    pub fn in_structure(
        gpu: &Arc<Gpu>,
        scene: &SceneMirror,
        structure: RayStructure,
    ) -> Result<Self, GpuError> {
        let stages = Stages::new(gpu, scene, &SHADE, true, Some(structure))?;
        Ok(Self { stages, options: PathOptions::default() })
    }

    /// Renders into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`], [`GpuError::TooLarge`] if the world is another than the stages are for; [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`] if the film is too large; [`GpuError::Lost`].
    pub fn render(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let order = self.order(scene, &spec, path, spec.aovs, 0..stop.target());
        Picture::new(&self.stages, &order)?.drive(film, stop, cancel, observer, None)
    }

    /// Seconds of the GPU for a picture of so many samples a pixel, radiance alone; `None` if it has no time stamps. Waits for it.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn time(
        &self,
        scene: &SceneMirror,
        spec: &ViewSpec,
        path: &PathTracer,
        samples: u32,
    ) -> Result<Option<Times>, GpuError> {
        let order = self.order(scene, spec, path, AovSet::EMPTY, 0..samples);
        measure(&self.stages, &order)
    }

    fn requested<'a>(&self, request: &RenderRequest<'a>, samples: Range<u32>) -> Result<Order<'a>, GpuError> {
        let &RenderRequest { scene, spec, .. } = request;
        Ok(self.order(scene, spec, request.parameters()?, spec.aovs, samples))
    }

    fn order<'a>(
        &self,
        scene: &'a SceneMirror,
        spec: &'a ViewSpec,
        path: &PathTracer,
        aovs: AovSet,
        samples: Range<u32>,
    ) -> Order<'a> {
        let view = packed(spec, path.max_bounces, path.roulette_after);
        Order {
            scene,
            spec,
            aovs,
            samples,
            view,
            branches: 0,
            parameters: [0.0; 4],
            paths: self.options.paths,
            one_by_one: false,
        }
    }
}

impl GpuIntegrator for PathRenderer {
    fn serves(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError> {
        self.stages.render(&self.requested(request, run.samples.clone())?, film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn Live>, GpuError> {
        self.stages.live(self.requested(request, Order::some(first))?)
    }
}
