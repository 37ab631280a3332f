//! Ambient occlusion: the twin of `integrators::ao`, as stages of the path tracer with another one for shading.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::Film;
use sunfleck_integrators::ao::Ao;
use sunfleck_integrators::{Observer, Outcome, StopRules};
use sunfleck_shaders::ao::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest};
use crate::live::Live;
use crate::path::{Order, Picture, Stages, Waves, packed};
use crate::{Gpu, GpuError, SceneMirror, Supply};

/// The stages, compiled for worlds of some depth.
#[derive(Debug)]
pub(crate) struct AoRenderer {
    stages: Stages,
}

impl GpuIntegrator for AoRenderer {
    type Parameters = Ao;

    fn compile(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: Stages::new(gpu, scene, [&SHADE, &SHADE], false, None)? })
    }

    fn serves(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        order: &RenderRequest<'_>,
        ao: &Ao,
        film: &mut Film,
        samples: Range<u32>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn Supply>,
    ) -> Result<Outcome, GpuError> {
        let order = order_of(order, ao, samples, false);
        Picture::new(&self.stages, &order)?.drive(film, stop, cancel, observer, supply)
    }

    fn live(&self, order: &RenderRequest<'_>, ao: &Ao, first: u32) -> Result<Box<dyn Live>, GpuError> {
        let picture = Picture::new(&self.stages, &order_of(order, ao, Order::some(first), true))?;
        Ok(Box::new(Waves::new(picture, first)))
    }
}

fn order_of<'a>(
    &RenderRequest { scene, spec, .. }: &RenderRequest<'a>,
    ao: &Ao,
    samples: Range<u32>,
    one_by_one: bool,
) -> Order<'a> {
    Order {
        scene,
        spec,
        aovs: spec.aovs,
        samples,
        view: packed(spec, 0, 0),
        branches: 0,
        parameters: [ao.distance, 0.0, 0.0, 0.0],
        paths: None,
        one_by_one,
    }
}
