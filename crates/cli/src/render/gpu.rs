//! Rendering on a GPU.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_gpu::{Gpu, GpuError, Renderer, SceneMirror, SharedRenderer, Which};
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Schedule, Status, StopRules, View, ViewSpec, World};

use super::progress::Progress;
use super::stage::{OnGpu, Shot};

/// What is to be rendered.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) world: &'a Arc<World>,
    pub(super) spec: &'a ViewSpec,
    pub(super) algorithm: &'a Algorithm,
    pub(super) stop: &'a StopRules,
    /// Of the processor's part.
    pub(super) schedule: &'a Schedule,
}

/// Renders into `film`, which is empty. Errors: that algorithm, or something of the scene, cannot be done there; the GPU fails.
///
/// * `renderer` — that of the pictures before, if there were any.
pub(super) fn shoot(
    renderer: &mut Option<Renderer>,
    number: Option<usize>,
    &Order { world, spec, algorithm, stop, schedule }: &Order<'_>,
    film: &mut Film,
    cancel: &AtomicBool,
    progress: &Progress,
) -> Result<Shot, GpuError> {
    let known = match renderer.take() {
        Some(known) => known,
        None => Renderer::new(Arc::new(Gpu::open(number.map_or(Which::Best, Which::Number))?)),
    };
    let renderer = renderer.insert(known);
    let observer = |status: &Status| progress.update(status);
    let level = schedule.level;
    let outcome = renderer.render(world, spec, algorithm, level, film, stop, cancel, &observer)?;
    let on_gpu = OnGpu { name: renderer.gpu().adapter().name.clone(), samples: outcome.samples };
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
