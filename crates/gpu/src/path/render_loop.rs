//! The loop that submits the steps of an image. Steps are submitted in blocks, of which a few are in flight at any
//! time: the CPU waits for the oldest while the GPU runs the others, so the GPU never waits. The counters are read back
//! with each block, the film only when it is needed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, RayCount, RenderOutcome, RenderProgress, StopReason, StopRules};
use sunfleck_shaders::layout::Wave;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor, SubmissionIndex};

use super::streams::PathStreams;
use crate::buffer::{Readback, wait_for};
use crate::{GpuError, SampleSupply};

/// Number of blocks in flight.
const BLOCKS_IN_FLIGHT: usize = 3;
/// Target duration of a block: short enough to stop quickly, long enough to hide the cost of submissions.
const TARGET_BLOCK_TIME: Duration = Duration::from_millis(20);
/// Number of steps of the first block, and maximum number of steps of a block. Both are even.
const INITIAL_STEPS: u32 = 4;
const MAX_STEPS: u32 = 64;
/// Interval between readbacks of the film.
const FILM_INTERVAL: Duration = Duration::from_millis(250);

/// A submitted block.
struct Block {
    submission: SubmissionIndex,
    wave: Readback<Wave>,
    reads_film: bool,
}

/// Number of rays traced so far.
pub(super) fn rays(wave: &Wave) -> RayCount {
    let count = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    RayCount { intersect: count(wave.closest, wave.closest_high), occluded: count(wave.any, wave.any_high) }
}

impl PathStreams {
    /// Renders until a stop rule is met or `cancel` is set. Afterwards the film contains all complete jobs.
    ///
    /// * `supply` — limits the samples; `None`: all samples are rendered here.
    pub(crate) fn render_film(
        &mut self,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<RenderOutcome, GpuError> {
        self.run(Some(film), stop, cancel, observer, supply)
    }

    /// As [`render_film`](Self::render_film); without a `film` the sums stay on the GPU, and the noise threshold is
    /// ignored. Afterwards more samples may be requested, and the function may be called again. The rays of all calls
    /// are counted.
    pub(crate) fn run(
        &mut self,
        mut film: Option<&mut Film>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<RenderOutcome, GpuError> {
        let start = Instant::now();
        let film_needed = film.is_some() && (stop.noise.is_some() || observer.wants_passes());
        let mut blocks: VecDeque<Block> = VecDeque::new();
        let mut spare = Vec::new();
        let (mut steps, mut last_read, mut last_done) = (INITIAL_STEPS, start, start);
        let (mut noise, mut measured_at) = (None, 0);
        let (mut samples, mut is_all) = (0, supply.is_none());
        while !cancel.load(Ordering::Relaxed) {
            if let Some(supply) = supply {
                let wanted;
                (wanted, is_all) = supply.samples(samples, 1 << self.plan.sample_bits);
                self.set_wanted_samples(wanted);
            }

            // Keep the GPU busy
            while blocks.len() < BLOCKS_IN_FLIGHT {
                let reads_film = film_needed
                    && last_read.elapsed() >= FILM_INTERVAL
                    && !blocks.iter().any(|b| b.reads_film);
                blocks.push_back(self.submit(steps, spare.pop(), reads_film)?);
            }

            // Results of the oldest block
            let Some(block) = blocks.pop_front() else { break };
            wait_for(&self.gpu, block.submission)?;
            let wave = block.wave.read(|waves| waves.first().copied().unwrap_or_default())?;
            spare.push(block.wave);
            samples = self.samples(&wave);
            if let (true, Some(film)) = (block.reads_film, &mut film) {
                self.film.read_into(film)?;
                last_read = Instant::now();
                if samples > measured_at {
                    observer.pass(film, samples);
                    measured_at = samples;
                    noise = (samples >= StopRules::LEAST_SAMPLES_FOR_NOISE).then(|| film.noise());
                }
            }
            let elapsed = start.elapsed();
            let done = stop.share_done(samples as f32, elapsed, measured_at.max(1), noise);
            observer.tile(&RenderProgress { elapsed, done, samples, noise, rays: rays(&wave).total() });
            let out_of_time = samples > 0 && stop.out_of_time(elapsed);
            if is_all && self.is_done(&wave) || stop.clean(noise) || out_of_time {
                break;
            }

            // Adjust the length of blocks
            let took = last_done.elapsed();
            last_done = Instant::now();
            if took < TARGET_BLOCK_TIME / 2 {
                steps = (steps * 2).min(MAX_STEPS);
            } else if took > TARGET_BLOCK_TIME * 2 {
                steps = (steps / 2).max(2);
            }
        }

        // Read the film after all submitted work
        let film_pending = blocks.iter().any(|block| block.reads_film);
        let block = self.submit(0, spare.pop(), film.is_some() && !film_pending)?;
        wait_for(&self.gpu, block.submission)?;
        let wave = block.wave.read(|waves| waves.first().copied().unwrap_or_default())?;
        let samples = self.samples(&wave);
        if let Some(film) = film {
            self.film.read_into(film)?;
            if film_pending {
                let again = self.submit(0, None, true)?;
                wait_for(&self.gpu, again.submission)?;
                self.film.read_into(film)?;
            }
            if film_needed && samples > measured_at {
                observer.pass(film, samples);
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        Ok(RenderOutcome::new(ended, start.elapsed(), rays(&wave), samples))
    }

    /// Submits a number of steps, then the readback of the counters, and that of the film if `reads_film`.
    fn submit(&self, steps: u32, spare: Option<Readback<Wave>>, reads_film: bool) -> Result<Block, GpuError> {
        let wave = match spare {
            Some(wave) => wave,
            None => Readback::new(&self.gpu, "counters", 1)?,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        for number in 0..steps {
            for stage in &self.stages_of_step {
                self.record(&mut pass, stage, number);
            }
        }
        drop(pass);
        wave.record(&mut encoder, &self.wave.buffer);
        if reads_film {
            self.film.record(&self.gpu, &mut encoder)?;
        }
        let submission = self.gpu.queue.submit([encoder.finish()]);
        wave.request();
        if reads_film {
            self.film.request();
        }
        Ok(Block { submission, wave, reads_film })
    }
}
