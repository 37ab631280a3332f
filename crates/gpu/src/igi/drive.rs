//! One frame after the other. They are added up on the GPU; the host reads how many rays there were, and the film when somebody wants to look.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, Outcome, RayCount, Status, StopReason, StopRules, ViewSpec};

use super::stages::{Step, submit};
use super::{IgiRenderer, Streams};
use crate::{Gpu, GpuError, SampleSupply};

/// The film is looked at so often.
const LOOK: Duration = Duration::from_millis(250);

impl IgiRenderer {
    /// Renders frames until a stop rule or `cancel` says enough; then the film has all of them.
    ///
    /// * `first` — number of the first one. * `supply` — none: all frames are done here.
    pub(super) fn drive(
        &self,
        streams: &Streams,
        spec: &ViewSpec,
        film: &mut Film,
        first: u32,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn SampleSupply>,
    ) -> Result<Outcome, GpuError> {
        let start = Instant::now();
        let looked_at = stop.noise.is_some() || observer.looks();
        let (mut samples, mut rays) = (0, RayCount::default());
        let (mut noise, mut measured_at, mut last_look) = (None, 0, start);
        let allowed = |samples| supply.map_or(stop.target(), |supply| supply.samples(samples, 1).0);
        while samples < allowed(samples) && !cancel.load(Ordering::Relaxed) {
            rays += streams.add(&self.kernels.gpu, spec, first + samples, Haste::Whole)?.unwrap_or_default();
            samples += 1;
            if looked_at && last_look.elapsed() >= LOOK {
                streams.read_film(&self.kernels.gpu, film)?;
                observer.pass(film, samples);
                (measured_at, last_look) = (samples, Instant::now());
                noise = (samples >= StopRules::LEAST_SAMPLES_FOR_NOISE).then(|| film.noise());
            }
            let elapsed = start.elapsed();
            let done = stop.share_done(samples as f32, elapsed, measured_at.max(1), noise);
            observer.tile(&Status { elapsed, done, samples, noise, rays: rays.total() });
            if stop.clean(noise) || stop.out_of_time(elapsed) {
                break;
            }
        }
        if samples == 0 || samples > measured_at {
            streams.read_film(&self.kernels.gpu, film)?;
            if looked_at && samples > 0 {
                observer.pass(film, samples);
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        let vpls = streams.sizes.vpls;
        Ok(Outcome { vpls, ..Outcome::new(ended, start.elapsed(), rays, samples) })
    }
}

/// Whether a frame may be given up.
#[derive(Clone, Copy)]
pub(super) enum Haste<'a> {
    /// No.
    Whole,
    /// When somebody says so: looked at between submissions.
    Until(&'a AtomicBool),
    /// … between kernels, each of which is waited for: where frames take long.
    UntilSoon(&'a AtomicBool),
}

impl Haste<'_> {
    /// Submits kernels; whether the frame goes on.
    fn submit(self, gpu: &Gpu, steps: &[Step<'_>]) -> Result<bool, GpuError> {
        match self {
            Self::Whole => {
                submit(gpu, steps, None);
                Ok(true)
            }
            Self::Until(cancel) => {
                submit(gpu, steps, None);
                gpu.wait()?;
                Ok(!cancel.load(Ordering::Relaxed))
            }
            Self::UntilSoon(cancel) => {
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

impl Streams {
    /// Adds frame number `pass` to the film of the GPU, or to the frame before. Waits for it; `None`: it was given up, and nothing of it was added.
    ///
    /// * `spec` — as for [`begin`](Self::begin).
    pub(super) fn add(
        &self,
        gpu: &Gpu,
        spec: &ViewSpec,
        pass: u32,
        haste: Haste<'_>,
    ) -> Result<Option<RayCount>, GpuError> {
        self.begin(gpu, spec, pass);
        let mut rays = RayCount::default();
        for band in 0..self.bands() {
            self.begin_band(gpu, band);
            let mut steps = self.beginning(band);
            steps.extend(self.light(band));
            // What other bands have added is not taken back
            let haste = if band == 0 { haste } else { Haste::Whole };
            if !haste.submit(gpu, &steps)? {
                return Ok(None);
            }
            submit(gpu, &self.end(band), None);
            rays += self.rays(gpu, band)?;
        }
        Ok(Some(rays))
    }
}
