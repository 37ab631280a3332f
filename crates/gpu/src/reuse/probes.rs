use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::reuse::RenderProbes;
use sunfleck_integrators::{Algorithm, RayCount, RenderProgress, StopRules, ViewSpec, World};

use crate::{GpuError, RenderRun, Renderer};

/// Renderer of probes on a GPU. The mirror of the renderer is switched to their worlds.
pub(crate) struct GpuProbes<'a> {
    pub(crate) renderer: &'a mut Renderer,
    pub(crate) level: Level,
}

impl RenderProbes for GpuProbes<'_> {
    type Error = GpuError;

    fn film(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        sample: u32,
    ) -> Result<(Film, RayCount), GpuError> {
        let mut film = Film::new(spec.width, spec.height, spec.aovs);
        let stop = StopRules { samples: Some(sample + 1), ..StopRules::default() };
        let (cancel, observer) = (AtomicBool::new(false), |_: &RenderProgress| {});
        let samples = sample..sample + 1;
        let run = RenderRun { samples, stop: &stop, cancel: &cancel, observer: &observer, supply: None };
        let outcome = self.renderer.render(world, spec, algorithm, self.level, &mut film, &run)?;
        Ok((film, outcome.rays))
    }
}
