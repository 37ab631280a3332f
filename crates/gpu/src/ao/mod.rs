//! Ambient occlusion: the GPU counterpart of `integrators::ao`. It runs the stages of the path tracer with its own
//! shading stage.

use std::ops::Range;
use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::RenderOutcome;
use sunfleck_integrators::ao::Ao;
use sunfleck_shaders::passes::ao::SHADE;

use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun};
use crate::live::LiveSource;
use crate::path::{PathStages, StreamRequest, packed_view};
use crate::resources::Resources;
use crate::{Gpu, GpuError, SceneMirror};

/// Stages of ambient occlusion, compiled for the features of a world.
#[derive(Debug)]
pub(crate) struct AoRenderer {
    stages: PathStages,
}

impl AoRenderer {
    /// Compiles the stages for the world of `scene`. They also render worlds whose trees are no deeper and that need no
    /// further features.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        Ok(Self { stages: PathStages::new(gpu, scene, &SHADE, false, None)? })
    }
}

impl GpuIntegrator for AoRenderer {
    fn supports(&self, scene: &SceneMirror) -> bool {
        self.stages.check(scene).is_ok()
    }

    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        self.stages.render(&to_stream_request(request, run.samples.clone())?, film, run)
    }

    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError> {
        self.stages.live(to_stream_request(request, StreamRequest::open_ended(first))?)
    }
}

fn to_stream_request<'a>(
    request: &RenderRequest<'a>,
    samples: Range<u32>,
) -> Result<StreamRequest<'a>, GpuError> {
    let &RenderRequest { scene, spec, .. } = request;
    let ao: &Ao = request.parameters()?;
    Ok(StreamRequest {
        scene,
        spec,
        aovs: spec.aovs,
        samples,
        view: packed_view(spec, 0, 0),
        branches: 0,
        parameters: [ao.distance, 0.0, 0.0, 0.0],
        paths: None,
        single_sample_jobs: false,
        resources: Resources::default(),
    })
}
