//! Where the GPU's time goes, by its own time stamps.

use sunfleck_integrators::RayCount;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

use super::drive::rays;
use super::picture::{Order, Picture};
use super::stages::Stages;
use crate::GpuError;
use crate::timing::{StageTime, Stamps};

/// What a picture takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Of all steps, seconds.
    pub total_s: f64,
    /// Of each stage, in their order. Measured again, each stage in a pass of its own, so together they are a little more.
    pub stages: Vec<StageTime>,
    /// Rays traced.
    pub rays: RayCount,
    /// Camera rays among them.
    pub camera_rays: u64,
    /// Steps taken, up to a few after the end.
    pub steps: u32,
}

/// Steps between two looks at the counters.
const BLOCK: u32 = 8;

/// Renders twice: in one pass, and stage by stage.
pub(crate) fn measure(stages: &Stages, order: &Order<'_>) -> Result<Option<Times>, GpuError> {
    let whole = Picture::new(stages, order)?;
    let names = whole.steps.iter().map(|step| step.name);
    let mut times = Times {
        total_s: 0.0,
        stages: names.map(|name| StageTime { name, seconds: 0.0 }).collect(),
        rays: RayCount::default(),
        camera_rays: u64::from(order.spec.width) * u64::from(order.spec.height) * order.samples.len() as u64,
        steps: 0,
    };
    loop {
        let Some(stamps) = Stamps::new(&whole.gpu, 1)? else { return Ok(None) };
        times.total_s += whole.block(&stamps, false)?.into_iter().sum::<f64>();
        times.steps += BLOCK;
        let wave = whole.wave.read(&whole.gpu)?.first().copied().unwrap_or_default();
        if whole.is_done(&wave) {
            times.rays = rays(&wave);
            break;
        }
    }
    drop(whole);
    let apart = Picture::new(stages, order)?;
    let passes = BLOCK * u32::try_from(apart.steps.len()).unwrap_or(0);
    for _ in 0..times.steps / BLOCK {
        let Some(stamps) = Stamps::new(&apart.gpu, passes)? else { return Ok(None) };
        let seconds = apart.block(&stamps, true)?;
        for of_step in seconds.chunks(apart.steps.len()) {
            for (stage, seconds) in times.stages.iter_mut().zip(of_step) {
                stage.seconds += seconds;
            }
        }
    }
    Ok(Some(times))
}

impl Picture {
    /// Seconds of the passes of a block: one, or one for each stage of each step.
    fn block(&self, stamps: &Stamps, apart: bool) -> Result<Vec<f64>, GpuError> {
        let mut encoder = self.gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let descriptor =
            |pass| ComputePassDescriptor { label: None, timestamp_writes: Some(stamps.of_pass(pass)) };
        if apart {
            let mut passes = 0..;
            for number in 0..BLOCK {
                for (step, of_pass) in self.steps.iter().zip(&mut passes) {
                    let mut pass = encoder.begin_compute_pass(&descriptor(of_pass));
                    self.record(&mut pass, step, number);
                }
            }
        } else {
            let mut pass = encoder.begin_compute_pass(&descriptor(0));
            for number in 0..BLOCK {
                for step in &self.steps {
                    self.record(&mut pass, step, number);
                }
            }
        }
        stamps.resolve(&mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
        stamps.read(&self.gpu)
    }
}
