//! Rendering of one frame: at once, or in steps until its denoised image has a small residual error.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sunfleck_command::Failure;
use sunfleck_engine::{
    Budget, Canvas, Denoiser, Engine, FrameRequest, FrameResult, Progress as Status, RenderedBy,
};
use sunfleck_image::Film;
use sunfleck_integrators::{StageTimes, StopReason, StopRules};

use super::checkpoint::{Checkpoint, Checkpoints, Spent};
use super::denoising::{DenoiseTimes, DenoisedFrame, Denoising, next_target};
use super::progress::Progress;
use super::setup::{self, RenderSetup};

/// Interval at which the progress is updated and Ctrl-C is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Finished frame.
#[derive(Debug)]
pub(super) struct RenderedFrame {
    pub(super) film: Film,
    pub(super) result: FrameResult,
    /// Denoised image, if a file needs it.
    pub(super) denoised: Option<DenoisedFrame>,
    /// Samples per pixel of the checkpoint that was continued, if one was.
    pub(super) resumed_at: Option<u32>,
}

/// Renderer of a frame.
#[derive(Debug)]
pub(super) struct FrameRenderer<'a> {
    engine: &'a Engine,
    setup: &'a RenderSetup,
    request: FrameRequest,
    rules: StopRules,
    /// A canvas for each frame, unless it reuses those before: on the same one, the engine would predict the time of the
    /// frame from earlier ones, and reduce its quality to meet a time limit.
    canvas: Canvas,
    interrupt: &'a AtomicBool,
    progress: &'a Progress,
    /// Sum over all steps so far.
    result: Option<FrameResult>,
    /// Time of rendering and denoising so far.
    spent: Duration,
    /// Residual error of the last denoised image, once it is known.
    residual_error: Option<f32>,
    checkpoints: Option<Checkpoints>,
    /// Number of samples after which an image that is continued was to be denoised and judged next.
    resumed_target: Option<u32>,
    resumed_at: Option<u32>,
}

impl<'a> FrameRenderer<'a> {
    /// Prepares a frame.
    ///
    /// * `request` — the frame; its budget is not used. * `rules` — when to stop.
    /// * `canvas` — that of the frames before, if the frame reuses them; else a new one.
    pub(super) fn new(
        engine: &'a Engine,
        setup: &'a RenderSetup,
        request: FrameRequest,
        rules: StopRules,
        canvas: Canvas,
        interrupt: &'a AtomicBool,
        progress: &'a Progress,
    ) -> Self {
        let (result, spent, residual_error) = (None, Duration::ZERO, None);
        Self {
            engine,
            setup,
            request,
            rules,
            canvas,
            interrupt,
            progress,
            result,
            spent,
            residual_error,
            checkpoints: None,
            resumed_target: None,
            resumed_at: None,
        }
    }

    /// Writes checkpoints, and continues from the samples of one.
    pub(super) fn with_checkpoints(
        mut self,
        checkpoints: Option<Checkpoints>,
        resumed: Option<Checkpoint>,
    ) -> Self {
        self.checkpoints = checkpoints;
        if let Some(Checkpoint { spent, target, state, .. }) = resumed {
            self.spent = spent.elapsed;
            self.resumed_target = Some(target);
            self.resumed_at = Some(state.start.samples);
            self.result = Some(FrameResult {
                ended: StopReason::Done,
                samples: state.start.samples,
                rays: spent.rays,
                elapsed: spent.elapsed,
                stages: StageTimes::default(),
                vpls: 0,
                by: RenderedBy::PROCESSOR,
            });
            self.canvas.resume(&self.setup.world, &self.request, state);
        }
        self
    }

    /// Renders until a stop rule is met or `interrupt` is set, and denoises the image. The time limit includes the time
    /// of denoising as far as it is predicted.
    ///
    /// # Errors
    /// No device can render the frame, or the denoiser fails.
    pub(super) fn render(mut self, denoising: Option<&Denoising>) -> Result<RenderedFrame, Failure> {
        self.progress.rendering();
        let denoised = match denoising {
            Some(denoising) if denoising.limits_denoised => self.render_to_residual_error(denoising)?,
            _ => {
                self.render_once(denoising.map_or(DenoiseTimes::default(), |denoising| denoising.times))?;
                None
            }
        };
        let denoised = match (denoised, denoising) {
            (None, Some(denoising)) => denoising.of_canvas(&self.canvas)?,
            (denoised, _) => denoised,
        };
        // The canvas of frames that reuse others keeps its history
        let film = if self.request.steady { self.canvas.film() } else { self.canvas.take_film() };
        let (Some(result), Some(film)) = (self.result, film) else {
            return Err(self.failure());
        };
        Ok(RenderedFrame { film, result, denoised, resumed_at: self.resumed_at })
    }

    /// Renders until a stop rule of the samples is met.
    ///
    /// * `reserve` — times to denoise them, which are left.
    fn render_once(&mut self, reserve: DenoiseTimes) -> Result<(), Failure> {
        const FEW: u32 = Denoiser::SAMPLES_FOR_ERROR - 1;
        let rules = self.rules;
        if self.request.steady {
            return self.step(rules.target(), reserve.alone, rules.noise).map(drop);
        }
        // Rendering to a noise level plans all samples at once, and needs more than a few
        if reserve.alone < reserve.with_error && rules.noise.is_none() && FEW < rules.target() {
            let few = self.step(FEW, reserve.alone, None)?;
            if few.samples < FEW || !self.has_time(&few, reserve.with_error) {
                return Ok(());
            }
        }
        self.step(rules.target(), reserve.with_error, rules.noise).map(drop)
    }

    /// Renders and denoises until the residual error reaches its limit, or another stop rule is met. Returns the
    /// image, or `None` if the samples so far have not been denoised.
    fn render_to_residual_error(&mut self, denoising: &Denoising) -> Result<Option<DenoisedFrame>, Failure> {
        let rules = self.rules;
        let first = self.resumed_target.unwrap_or(StopRules::LEAST_SAMPLES_FOR_NOISE);
        let (mut target, mut reserve) = (first.min(rules.target()), denoising.times.with_error);
        loop {
            let result = self.step(target, reserve, None)?;
            let Some(denoised) = denoising.of_canvas(&self.canvas)? else { return Ok(None) };
            self.spent += denoised.elapsed;
            self.residual_error = denoised.image.error;
            reserve = denoised.elapsed;

            let is_over = result.samples >= rules.target() || !self.has_time(&result, reserve);
            if rules.clean(self.residual_error) || is_over {
                return Ok(Some(denoised));
            }
            if self.interrupt.load(Ordering::Relaxed) {
                self.result = Some(FrameResult { ended: StopReason::Cancelled, ..result });
                return Ok(Some(denoised));
            }
            let Some(residual_error) = self.residual_error else {
                // The residual error cannot be estimated: reach the limit with the samples themselves
                self.step(rules.target(), reserve, rules.noise)?;
                return Ok(None);
            };
            target = next_target(&rules, result.samples, residual_error);
        }
    }

    /// Returns whether there is time for another step: for one pass at least.
    ///
    /// * `result` — sum over all steps so far. * `reserve` — time to leave.
    fn has_time(&self, result: &FrameResult, reserve: Duration) -> bool {
        let pass = result.elapsed / result.samples.max(1);
        !self.rules.out_of_time(self.spent + pass + reserve)
    }

    /// Renders until there are `target` samples, the samples have a noise of `noise`, or the time is over. Returns the
    /// sum over all steps so far.
    ///
    /// * `reserve` — time to leave.
    ///
    /// # Errors
    /// No device can render the frame.
    fn step(&mut self, target: u32, reserve: Duration, noise: Option<f32>) -> Result<FrameResult, Failure> {
        let samples = target.saturating_sub(self.result.map_or(0, |result| result.samples));
        let time = self.rules.time.map(|time| time.saturating_sub(self.spent + reserve));
        let budget = Budget { samples: Some(samples), time, noise };
        let ticket = self.engine.render(
            &self.setup.world,
            &FrameRequest { budget, ..self.request.clone() },
            &self.canvas,
        );
        if self.checkpoints.is_some() {
            ticket.request_last_state();
        }
        let step = loop {
            if let Some(result) = ticket.wait_for(POLL_INTERVAL) {
                break result;
            }
            if let Some(checkpoints) = &mut self.checkpoints {
                let spent = Spent {
                    rays: self.result.map_or_else(Default::default, |result| result.rays),
                    elapsed: self.spent,
                };
                checkpoints.watch(&ticket, &spent, target);
            }
            if self.interrupt.load(Ordering::Relaxed) {
                ticket.cancel();
            }
            self.progress.update(&self.status(target, ticket.progress()));
        };
        if step.ended == StopReason::Failed {
            return Err(self.failure());
        }
        self.spent += step.elapsed;
        let result = match self.result {
            None => step,
            Some(before) => sum(before, step),
        };
        self.result = Some(result);
        if let (Some(checkpoints), Some(state)) = (&mut self.checkpoints, ticket.take_state()) {
            let spent = Spent { rays: result.rays, elapsed: self.spent };
            checkpoints.write(state, spent, target);
        }
        Ok(result)
    }

    /// Returns the progress of the frame from that of a step to `target` samples.
    fn status(&self, target: u32, step: Status) -> Status {
        let (measured_at, rays) = match self.result {
            // The only step
            None if target == self.rules.target() => return step,
            None => (0, 0),
            Some(before) => (before.samples, before.rays.total()),
        };
        let elapsed = self.spent + step.elapsed;
        let done = self.rules.share_done(step.samples as f32, elapsed, measured_at, self.residual_error);
        let noise = if self.rules.noise.is_some() { self.residual_error } else { step.noise };
        Status { done, rays: rays.saturating_add(step.rays), elapsed, noise, ..step }
    }

    /// Returns why nothing was rendered.
    fn failure(&self) -> Failure {
        match self.engine.trouble() {
            Some(why) => setup::gpu_failure(&why),
            None => Failure::failed("the renderer crashed, which is a bug in Sunfleck"),
        }
    }
}

/// Returns the result of two steps of a frame.
fn sum(before: FrameResult, step: FrameResult) -> FrameResult {
    let (mut rays, mut stages) = (before.rays, before.stages);
    rays += step.rays;
    stages += step.stages;
    let gpu_samples = before.by.gpu_samples.saturating_add(step.by.gpu_samples);
    let by = RenderedBy { gpu_samples, ..step.by };
    FrameResult { rays, stages, by, elapsed: before.elapsed + step.elapsed, ..step }
}
