//! Measurement of the GPU time of stages, by timestamps.

use sunfleck_integrators::RayCount;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

use super::render_loop::rays;
use super::stages::PathStages;
use super::streams::{PathStreams, StreamRequest};
use crate::GpuError;
use crate::timing::{StageTime, Timestamps};

/// GPU time of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct PathTimes {
    /// Time of all steps in one pass, seconds.
    pub total_s: f64,
    /// Time of each stage, in the order of a step. Measured in a second run with one pass per stage, so that the sum is
    /// a little larger than the total.
    pub stages: Vec<StageTime>,
    /// Number of rays traced.
    pub rays: RayCount,
    /// Number of camera rays among them.
    pub camera_rays: u64,
    /// Number of steps, including a few after the end.
    pub steps: u32,
}

/// Steps between two readbacks of the counters.
const STEPS_PER_BLOCK: u32 = 8;

/// Renders an image twice: in one pass, and stage by stage.
pub(crate) fn measure(
    stages: &PathStages,
    request: &StreamRequest<'_>,
) -> Result<Option<PathTimes>, GpuError> {
    let whole = PathStreams::new(stages, request)?;
    let names = whole.stages_of_step.iter().map(|stage| stage.name);
    let mut times = PathTimes {
        total_s: 0.0,
        stages: names.map(|name| StageTime { name, seconds: 0.0 }).collect(),
        rays: RayCount::default(),
        camera_rays: u64::from(request.spec.width)
            * u64::from(request.spec.height)
            * request.samples.len() as u64,
        steps: 0,
    };
    loop {
        let Some(stamps) = Timestamps::new(&whole.gpu, 1)? else { return Ok(None) };
        times.total_s += whole.block(&stamps, false)?.into_iter().sum::<f64>();
        times.steps += STEPS_PER_BLOCK;
        let wave = whole.wave.read(&whole.gpu)?.first().copied().unwrap_or_default();
        if whole.is_done(&wave) {
            times.rays = rays(&wave);
            break;
        }
    }
    drop(whole);
    let apart = PathStreams::new(stages, request)?;
    let passes = STEPS_PER_BLOCK * u32::try_from(apart.stages_of_step.len()).unwrap_or(0);
    for _ in 0..times.steps / STEPS_PER_BLOCK {
        let Some(stamps) = Timestamps::new(&apart.gpu, passes)? else { return Ok(None) };
        let seconds = apart.block(&stamps, true)?;
        for of_step in seconds.chunks(apart.stages_of_step.len()) {
            for (stage, seconds) in times.stages.iter_mut().zip(of_step) {
                stage.seconds += seconds;
            }
        }
    }
    Ok(Some(times))
}

impl PathStreams {
    /// Submits a block; returns the seconds of its passes: a single one, or one for each stage of each step if `apart`.
    fn block(&self, stamps: &Timestamps, apart: bool) -> Result<Vec<f64>, GpuError> {
        let mut encoder = self.gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let descriptor =
            |pass| ComputePassDescriptor { label: None, timestamp_writes: Some(stamps.of_pass(pass)) };
        if apart {
            let mut passes = 0..;
            for number in 0..STEPS_PER_BLOCK {
                for (stage, of_pass) in self.stages_of_step.iter().zip(&mut passes) {
                    let mut pass = encoder.begin_compute_pass(&descriptor(of_pass));
                    self.record(&mut pass, stage, number);
                }
            }
        } else {
            let mut pass = encoder.begin_compute_pass(&descriptor(0));
            for number in 0..STEPS_PER_BLOCK {
                for stage in &self.stages_of_step {
                    self.record(&mut pass, stage, number);
                }
            }
        }
        stamps.resolve(&mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
        stamps.read(&self.gpu)
    }
}
