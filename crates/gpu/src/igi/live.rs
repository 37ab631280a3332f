use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_integrators::{Observer, Outcome, RayCount, Status, StopReason, StopRules, ViewSpec};

use super::Streams;
use super::drive::Haste;
use super::streams::Sink;
use crate::film::FilmSums;
use crate::live::Live;
use crate::{Gpu, GpuError};

/// Frames that take longer are given up between two kernels.
const LONG: Duration = Duration::from_millis(50);

/// Frames that are added up as they are wanted.
#[derive(Debug)]
pub(crate) struct Frames {
    gpu: Arc<Gpu>,
    streams: Streams,
    spec: ViewSpec,
    /// Number of the next frame.
    next: u32,
    /// The last one took long.
    are_long: bool,
}

impl Frames {
    /// * `first` — number of its first frame.
    pub(super) fn new(gpu: Arc<Gpu>, streams: Streams, spec: ViewSpec, first: u32) -> Self {
        Self { gpu, streams, spec, next: first, are_long: false }
    }
}

impl Live for Frames {
    fn sums(&self) -> Vec<&FilmSums> {
        match &self.streams.sink {
            Sink::Film(strips) => strips.iter().collect(),
            Sink::Next(_) => Vec::new(),
        }
    }

    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let Self { gpu, streams, spec, next, are_long } = self;
        let start = Instant::now();
        let mut rays = RayCount::default();
        while *next < stop.target() && !cancel.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let haste = if *are_long { Haste::UntilSoon(cancel) } else { Haste::Until(cancel) };
            let Some(of_frame) = streams.add(gpu, spec, *next, haste)? else { break };
            *are_long = begun.elapsed() > LONG;
            rays += of_frame;
            *next += 1;
            let elapsed = start.elapsed();
            let done = stop.share_done(*next as f32, elapsed, *next, None);
            observer.tile(&Status { elapsed, done, samples: *next, noise: None, rays: rays.total() });
            if stop.out_of_time(elapsed) {
                break;
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        let vpls = streams.sizes.vpls;
        Ok(Outcome { vpls, ..Outcome::new(ended, start.elapsed(), rays, *next) })
    }
}
