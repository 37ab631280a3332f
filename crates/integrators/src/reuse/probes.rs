//! Renderers of probes, the paths that find changed light.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::Film;

use crate::view::RayCount;
use crate::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};

/// Renderer of the images of probes, on any device. Images of worlds with the same light have to have the same bits.
pub trait RenderProbes {
    /// Reason why an image cannot be rendered.
    type Error;

    /// Renders one sample of each pixel, with the channels of `spec`. Returns the number of rays, too.
    ///
    /// * `sample` — number of the sample.
    ///
    /// # Errors
    /// Those of the device.
    fn film(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        sample: u32,
    ) -> Result<(Film, RayCount), Self::Error>;
}

/// Renderer of probes on the CPU.
pub(super) struct CpuProbes<'a> {
    pub(super) schedule: &'a Schedule,
}

impl RenderProbes for CpuProbes<'_> {
    type Error = Infallible;

    fn film(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        sample: u32,
    ) -> Result<(Film, RayCount), Infallible> {
        let view = View::new(world, *spec);
        let mut film = Film::new(spec.width, spec.height, spec.aovs);
        let stop = StopRules { samples: Some(sample + 1), ..StopRules::default() };
        let (never, ignore) = (AtomicBool::new(false), |_: &RenderProgress| {});
        let outcome = render(&view, algorithm, &mut film, sample, &stop, self.schedule, &never, &ignore);
        Ok((film, outcome.rays))
    }
}
