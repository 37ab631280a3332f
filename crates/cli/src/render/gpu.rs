//! Rendering on a GPU.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_gpu::{
    AdapterKind, Gpu, GpuError, IgiRenderer, PathRenderer, SceneMirror, SharedRenderer, Which,
    WhittedRenderer, adapters,
};
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Schedule, Status, StopRules, View, ViewSpec, World};

use super::progress::Progress;
use super::stage::{OnGpu, Shot};

/// Whether there is a GPU that is no program on the processor.
pub(super) fn is_there() -> bool {
    adapters().first().is_some_and(|best| best.kind != AdapterKind::Software && best.problem.is_none())
}

/// What is to be rendered.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) world: &'a World,
    pub(super) spec: &'a ViewSpec,
    pub(super) algorithm: &'a Algorithm,
    pub(super) stop: &'a StopRules,
    /// Of the processor's part.
    pub(super) schedule: &'a Schedule,
}

/// Renders into `film`. Errors: that algorithm, or something of the scene, cannot be done there; the GPU fails.
pub(super) fn shoot(
    number: Option<usize>,
    &Order { world, spec, algorithm, stop, schedule }: &Order<'_>,
    film: &mut Film,
    cancel: &AtomicBool,
    progress: &Progress,
) -> Result<Shot, GpuError> {
    let gpu = Arc::new(Gpu::open(number.map_or(Which::Best, Which::Number))?);
    let scene = SceneMirror::new(&gpu, world)?;
    let observer = |status: &Status| progress.update(status);
    let outcome = match algorithm {
        Algorithm::Path(path) => {
            let renderer = PathRenderer::new(&gpu, &scene)?;
            renderer.render(&scene, spec, path, film, stop, cancel, &observer)?
        }
        Algorithm::Whitted(whitted) => {
            let ambient = whitted.ambient_light(schedule.level, &View::new(world, *spec));
            let renderer = WhittedRenderer::new(&gpu, &scene)?;
            renderer.render(&scene, spec, whitted, ambient, film, stop, cancel, &observer)?
        }
        Algorithm::Igi(igi) => {
            let renderer = IgiRenderer::new(&gpu, &scene)?;
            renderer.render(&scene, world, spec, igi, film, stop, cancel, &observer)?
        }
    };
    let on_gpu = OnGpu { name: gpu.adapter().name.clone(), samples: outcome.samples };
    Ok(Shot { outcome, gpu: Some(on_gpu) })
}

/// Renders into `film` on the best GPU and on the processor; on that alone from where the GPU fails. Errors: the GPU cannot even begin.
pub(super) fn share(
    &Order { world, spec, algorithm, stop, schedule }: &Order<'_>,
    film: &mut Film,
    cancel: &AtomicBool,
    progress: &Progress,
) -> Result<Shot, GpuError> {
    let gpu = Arc::new(Gpu::open(Which::Best)?);
    let scene = SceneMirror::new(&gpu, world)?;
    let renderer = SharedRenderer::new(&gpu, &scene, View::new(world, *spec), algorithm, *schedule)?;
    let observer = |status: &Status| progress.update(status);
    let done = renderer.render(film, stop, cancel, &observer);
    if let Some(error) = done.trouble {
        eprintln!("warning: on the processor from there on, since {error}");
    }
    let on_gpu = OnGpu { name: gpu.adapter().name.clone(), samples: done.on_gpu };
    Ok(Shot { outcome: done.outcome, gpu: Some(on_gpu).filter(|on_gpu| on_gpu.samples > 0) })
}
