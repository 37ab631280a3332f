//! Rendering on a GPU.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_gpu::{
    AdapterKind, Gpu, GpuError, IgiRenderer, PathRenderer, SceneMirror, Which, WhittedRenderer, adapters,
};
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Status, StopRules, View, ViewSpec, World};

use super::progress::Progress;
use super::stage::Shot;

/// Whether there is a GPU that is no program on the processor.
pub(super) fn is_there() -> bool {
    adapters().first().is_some_and(|best| best.kind != AdapterKind::Software && best.problem.is_none())
}

/// Renders into `film`. Errors: that algorithm, or something of the scene, cannot be done there; the GPU fails.
pub(super) fn shoot(
    number: Option<usize>,
    world: &World,
    spec: &ViewSpec,
    algorithm: &Algorithm,
    film: &mut Film,
    stop: &StopRules,
    level: Level,
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
            let ambient = whitted.ambient_light(level, &View::new(world, *spec));
            let renderer = WhittedRenderer::new(&gpu, &scene)?;
            renderer.render(&scene, spec, whitted, ambient, film, stop, cancel, &observer)?
        }
        Algorithm::Igi(igi) => {
            let renderer = IgiRenderer::new(&gpu, &scene)?;
            renderer.render(&scene, world, spec, igi, film, stop, cancel, &observer)?
        }
    };
    Ok(Shot { outcome, gpu: Some(gpu.adapter().name.clone()) })
}
