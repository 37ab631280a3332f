//! Classical recursive ray tracing: the twin of `integrators::whitted`, as stages of the path tracer with another one for shading.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Observer, Outcome, StopRules, View, ViewSpec};
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::whitted::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::Live;
use crate::path::{Order, Picture, RayStructure, Stages, Times, measure, packed};
use crate::{Gpu, GpuError, SceneMirror};

/// The stages, compiled for worlds of some depth.
#[derive(Debug)]
pub struct WhittedRenderer {
    stages: Stages,
}

impl WhittedRenderer {
    /// For worlds no deeper than that of `scene`; with surfaces that are not there everywhere, or solid patterns, only if that has such, with instances that are turned, textures,
    /// or colours of vertices only if it has such or is going to change.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: Stages::new(gpu, scene, &SHADE, false, None)? })
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
        Ok(Self { stages: Stages::new(gpu, scene, &SHADE, false, Some(structure))? })
    }

    /// Renders into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced.
    ///
    /// * `ambient` — [`Whitted::ambient_light`] of the view.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`], [`GpuError::TooLarge`] if the world is another than the stages are for; [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`] if the film is too large; [`GpuError::Lost`].
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
    ) -> Result<Outcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let order = order(scene, &spec, whitted, ambient, spec.aovs, 0..stop.target());
        Picture::new(&self.stages, &order)?.drive(film, stop, cancel, observer, None)
    }

    /// Seconds of the GPU for a picture of so many samples a pixel, radiance alone; `None` if it has no time stamps. Waits for it.
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
    ) -> Result<Option<Times>, GpuError> {
        measure(&self.stages, &order(scene, spec, whitted, ambient, AovSet::EMPTY, 0..samples))
    }
}

impl GpuIntegrator for WhittedRenderer {
    fn serves(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError> {
        self.stages.render(&requested(request, run.samples.clone())?, film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn Live>, GpuError> {
        self.stages.live(requested(request, Order::some(first))?)
    }
}

fn requested<'a>(request: &RenderRequest<'a>, samples: Range<u32>) -> Result<Order<'a>, GpuError> {
    let &RenderRequest { scene, world, spec, level, .. } = request;
    let whitted: &Whitted = request.parameters()?;
    let ambient = whitted.ambient_light(level, &View::new(world, *spec));
    Ok(order(scene, spec, whitted, ambient, spec.aovs, samples))
}

fn order<'a>(
    scene: &'a SceneMirror,
    spec: &'a ViewSpec,
    whitted: &Whitted,
    ambient: Vec3,
    aovs: AovSet,
    samples: Range<u32>,
) -> Order<'a> {
    Order {
        scene,
        spec,
        aovs,
        samples,
        view: packed(spec, whitted.max_depth, 0),
        branches: whitted.max_depth.max(1),
        parameters: ambient.extend(whitted.cutoff).to_array(),
        paths: None,
        one_by_one: false,
    }
}
