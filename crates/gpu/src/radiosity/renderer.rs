use std::ops::Range;
use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::RenderOutcome;
use sunfleck_integrators::radiosity::Radiosity;
use sunfleck_shaders::passes::radiosity::SHOW;

use super::kept::KeptLight;
use super::light::RadiosityLight;
use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::LiveSource;
use crate::path::{PathStages, StreamRequest, packed_view};
use crate::{Gpu, GpuError, SceneMirror};

/// Radiosity: the GPU counterpart of `integrators::radiosity`. It runs the stages of the path tracer with its own shading
/// stage, which looks the light of a world up.
#[derive(Debug)]
pub(crate) struct RadiosityRenderer {
    stages: PathStages,
    light: KeptLight,
}

impl RadiosityRenderer {
    /// Compiles the stages for the world of `scene`. They also render worlds whose trees are no deeper and that need no
    /// further features.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: PathStages::new(gpu, scene, &SHOW, false, None)?, light: KeptLight::default() })
    }
}

impl GpuIntegrator for RadiosityRenderer {
    fn supports(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        let radiosity = request.parameters()?;
        let light = self.light.of(&self.stages.kernels, request, radiosity)?;
        self.stages.render(&stream_request(request, radiosity, &light, run.samples.clone()), film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError> {
        let radiosity = request.parameters()?;
        let light = self.light.of(&self.stages.kernels, request, radiosity)?;
        self.stages.live(stream_request(request, radiosity, &light, StreamRequest::open_ended(first)))
    }
}

fn stream_request<'a>(
    request: &RenderRequest<'a>,
    radiosity: &Radiosity,
    light: &'a RadiosityLight,
    samples: Range<u32>,
) -> StreamRequest<'a> {
    let &RenderRequest { scene, spec, .. } = request;
    StreamRequest {
        scene,
        spec,
        aovs: spec.aovs,
        samples,
        view: packed_view(spec, radiosity.max_depth, 0),
        branches: 0,
        parameters: [light.width() as f32, 0.0, 0.0, 0.0],
        paths: None,
        single_sample_jobs: false,
        resources: light.resources(),
    }
}
