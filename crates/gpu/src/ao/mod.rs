//! Ambient occlusion: the twin of `integrators::ao`, as stages of the path tracer with another one for shading.

use std::ops::Range;
use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::Outcome;
use sunfleck_integrators::ao::Ao;
use sunfleck_shaders::passes::ao::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::Live;
use crate::path::{Order, Stages, packed};
use crate::{Gpu, GpuError, SceneMirror};

/// The stages, compiled for worlds of some depth.
#[derive(Debug)]
pub(crate) struct AoRenderer {
    stages: Stages,
}

impl AoRenderer {
    /// For the world of `scene`, and those that have nothing that it has not.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: Stages::new(gpu, scene, &SHADE, false, None)? })
    }
}

impl GpuIntegrator for AoRenderer {
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
    let &RenderRequest { scene, spec, .. } = request;
    let ao: &Ao = request.parameters()?;
    Ok(Order {
        scene,
        spec,
        aovs: spec.aovs,
        samples,
        view: packed(spec, 0, 0),
        branches: 0,
        parameters: [ao.distance, 0.0, 0.0, 0.0],
        paths: None,
        one_by_one: false,
    })
}
