//! Steps are submitted in blocks, and a few blocks are under way at any time: the host waits for the oldest while the GPU works on the others, so the
//! GPU never waits for the host. What it says of itself comes with each block, the film when somebody wants to look.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, Outcome, RayCount, Status, StopReason, StopRules};
use sunfleck_shaders::layout::Wave;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor, SubmissionIndex};

use super::picture::Picture;
use crate::buffer::{Readback, wait_for};
use crate::{GpuError, SampleSupply};

/// Blocks under way.
const BLOCKS: usize = 3;
/// A block shall take so long: short enough to stop at once, long enough to hide what submitting costs.
const BLOCK_TIME: Duration = Duration::from_millis(20);
/// Steps of a block, both even.
const FIRST_STEPS: u32 = 4;
const MOST_STEPS: u32 = 64;
/// The film is looked at so often.
const LOOK: Duration = Duration::from_millis(250);

/// A block that was submitted.
struct Block {
    submission: SubmissionIndex,
    wave: Readback<Wave>,
    looks: bool,
}

/// Rays traced so far.
pub(super) fn rays(wave: &Wave) -> RayCount {
    let count = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    RayCount { intersect: count(wave.closest, wave.closest_high), occluded: count(wave.any, wave.any_high) }
}

impl Picture {
    /// Renders until a stop rule or `cancel` says enough; then the film has all complete jobs.
    ///
    /// * `supply` — none: all samples are done here.
    pub(crate) fn drive(
        &mut self,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<Outcome, GpuError> {
        self.run(Some(film), stop, cancel, observer, supply)
    }

    /// The same; without a `film` what there is stays on the GPU, and noise is no reason to stop. Once it is done more samples may be wanted, and it may go
    /// on; rays are all since the beginning.
    pub(crate) fn run(
        &mut self,
        mut film: Option<&mut Film>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<Outcome, GpuError> {
        let start = Instant::now();
        let looked_at = film.is_some() && (stop.noise.is_some() || observer.looks());
        let mut blocks: VecDeque<Block> = VecDeque::new();
        let mut spare = Vec::new();
        let (mut steps, mut last_look, mut last_done) = (FIRST_STEPS, start, start);
        let (mut noise, mut measured_at) = (None, 0);
        let (mut samples, mut is_all) = (0, supply.is_none());
        while !cancel.load(Ordering::Relaxed) {
            if let Some(supply) = supply {
                let wanted;
                (wanted, is_all) = supply.samples(samples, 1 << self.plan.sample_bits);
                self.want(wanted);
            }

            // Keep the GPU busy
            while blocks.len() < BLOCKS {
                let looks = looked_at && last_look.elapsed() >= LOOK && !blocks.iter().any(|b| b.looks);
                blocks.push_back(self.submit(steps, spare.pop(), looks)?);
            }

            // What the oldest block has done
            let Some(block) = blocks.pop_front() else { break };
            wait_for(&self.gpu, block.submission)?;
            let wave = block.wave.look(|waves| waves.first().copied().unwrap_or_default())?;
            spare.push(block.wave);
            samples = self.samples(&wave);
            if let (true, Some(film)) = (block.looks, &mut film) {
                self.film.look(film)?;
                last_look = Instant::now();
                if samples > measured_at {
                    observer.pass(film, samples);
                    measured_at = samples;
                    noise = (samples >= StopRules::LEAST_SAMPLES_FOR_NOISE).then(|| film.noise());
                }
            }
            let elapsed = start.elapsed();
            let done = stop.share_done(samples as f32, elapsed, measured_at.max(1), noise);
            observer.tile(&Status { elapsed, done, samples, noise, rays: rays(&wave).total() });
            let out_of_time = samples > 0 && stop.out_of_time(elapsed);
            if is_all && self.is_done(&wave) || stop.clean(noise) || out_of_time {
                break;
            }

            // Blocks as long as they shall be
            let took = last_done.elapsed();
            last_done = Instant::now();
            if took < BLOCK_TIME / 2 {
                steps = (steps * 2).min(MOST_STEPS);
            } else if took > BLOCK_TIME * 2 {
                steps = (steps / 2).max(2);
            }
        }

        // The film with all that was submitted
        let is_copied = blocks.iter().any(|block| block.looks);
        let block = self.submit(0, spare.pop(), film.is_some() && !is_copied)?;
        wait_for(&self.gpu, block.submission)?;
        let wave = block.wave.look(|waves| waves.first().copied().unwrap_or_default())?;
        let samples = self.samples(&wave);
        if let Some(film) = film {
            self.film.look(film)?;
            if is_copied {
                let again = self.submit(0, None, true)?;
                wait_for(&self.gpu, again.submission)?;
                self.film.look(film)?;
            }
            if looked_at && samples > measured_at {
                observer.pass(film, samples);
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        Ok(Outcome::new(ended, start.elapsed(), rays(&wave), samples))
    }

    /// So many steps, then the counters, and the film if it `looks`.
    fn submit(&self, steps: u32, spare: Option<Readback<Wave>>, looks: bool) -> Result<Block, GpuError> {
        let wave = match spare {
            Some(wave) => wave,
            None => Readback::new(&self.gpu, "counters", 1)?,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        for number in 0..steps {
            for step in &self.steps {
                self.record(&mut pass, step, number);
            }
        }
        drop(pass);
        wave.record(&mut encoder, &self.wave.buffer);
        if looks {
            self.film.record(&self.gpu, &mut encoder)?;
        }
        let submission = self.gpu.queue.submit([encoder.finish()]);
        wave.ask();
        if looks {
            self.film.ask();
        }
        Ok(Block { submission, wave, looks })
    }
}
