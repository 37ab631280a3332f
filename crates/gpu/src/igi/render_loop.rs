//! The loop that renders one frame after the other. Frames are added up on the GPU; the number of rays is read back
//! after each, the film only when it is needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_image::Film;
use sunfleck_integrators::{
    Observer, RayCount, RenderOutcome, RenderProgress, StopReason, StopRules, ViewSpec,
};

use super::stages::{PassDispatch, submit};
use super::{FrameStreams, IgiRenderer};
use crate::{Gpu, GpuError, SampleSupply};

/// Interval between readbacks of the film.
const FILM_INTERVAL: Duration = Duration::from_millis(250);

impl IgiRenderer {
    /// Renders frames until a stop rule is met or `cancel` is set. Afterwards the film contains all of them.
    ///
    /// * `first` — number of the first frame.
    /// * `supply` — limits the frames; `None`: all frames are rendered here.
    pub(super) fn render_frames(
        &self,
        streams: &FrameStreams,
        spec: &ViewSpec,
        film: &mut Film,
        first: u32,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<RenderOutcome, GpuError> {
        let start = Instant::now();
        let film_needed = stop.noise.is_some() || observer.wants_passes();
        let (mut samples, mut rays) = (0, RayCount::default());
        let (mut noise, mut measured_at, mut last_read) = (None, 0, start);
        let allowed = |samples| supply.map_or(stop.target(), |supply| supply.samples(samples, 1).0);
        while samples < allowed(samples) && !cancel.load(Ordering::Relaxed) {
            rays += streams
                .add(&self.kernels.gpu, spec, first + samples, Cancellation::Never)?
                .unwrap_or_default();
            samples += 1;
            if film_needed && last_read.elapsed() >= FILM_INTERVAL {
                streams.read_film(&self.kernels.gpu, film)?;
                observer.pass(film, samples);
                (measured_at, last_read) = (samples, Instant::now());
                noise = (samples >= StopRules::LEAST_SAMPLES_FOR_NOISE).then(|| film.noise());
            }
            let elapsed = start.elapsed();
            let done = stop.share_done(samples as f32, elapsed, measured_at.max(1), noise);
            observer.tile(&RenderProgress { elapsed, done, samples, noise, rays: rays.total() });
            if stop.clean(noise) || stop.out_of_time(elapsed) {
                break;
            }
        }
        if samples == 0 || samples > measured_at {
            streams.read_film(&self.kernels.gpu, film)?;
            if film_needed && samples > 0 {
                observer.pass(film, samples);
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        let vpls = streams.sizes.vpls;
        Ok(RenderOutcome { vpls, ..RenderOutcome::new(ended, start.elapsed(), rays, samples) })
    }
}

/// When a frame may be cancelled.
#[derive(Clone, Copy)]
pub(super) enum Cancellation<'a> {
    /// Never.
    Never,
    /// Between submissions, when the flag is set.
    BetweenSubmissions(&'a AtomicBool),
    /// Between passes, when the flag is set. Each pass is waited for, so this is for slow frames.
    BetweenPasses(&'a AtomicBool),
}

impl Cancellation<'_> {
    /// Submits passes; returns whether the frame is to be continued.
    fn submit(self, gpu: &Gpu, steps: &[PassDispatch<'_>]) -> Result<bool, GpuError> {
        match self {
            Self::Never => {
                submit(gpu, steps, None);
                Ok(true)
            }
            Self::BetweenSubmissions(cancel) => {
                submit(gpu, steps, None);
                gpu.wait()?;
                Ok(!cancel.load(Ordering::Relaxed))
            }
            Self::BetweenPasses(cancel) => {
                for step in steps {
                    if cancel.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    submit(gpu, std::slice::from_ref(step), None);
                    gpu.wait()?;
                }
                Ok(true)
            }
        }
    }
}

impl FrameStreams {
    /// Renders frame number `pass` and adds it to the film on the GPU, or blends it with the previous frame. Waits for
    /// the GPU; `None` if it was cancelled, in which case nothing was added.
    ///
    /// * `spec` — as for [`begin`](Self::begin).
    pub(super) fn add(
        &self,
        gpu: &Gpu,
        spec: &ViewSpec,
        pass: u32,
        cancellation: Cancellation<'_>,
    ) -> Result<Option<RayCount>, GpuError> {
        self.begin(gpu, spec, pass);
        let mut rays = RayCount::default();
        for band in 0..self.bands() {
            self.begin_band(gpu, band);
            let mut steps = self.beginning(band);
            steps.extend(self.light(band));
            // Once a band has been added, the frame must be completed
            let cancellation = if band == 0 { cancellation } else { Cancellation::Never };
            if !cancellation.submit(gpu, &steps)? {
                return Ok(None);
            }
            submit(gpu, &self.end(band), None);
            rays += self.rays(gpu, band)?;
        }
        Ok(Some(rays))
    }
}
