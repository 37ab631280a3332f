use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_integrators::{
    Observer, RayCount, RenderOutcome, RenderProgress, StopReason, StopRules, ViewSpec,
};

use super::FrameStreams;
use super::render_loop::Cancellation;
use super::streams::FrameSink;
use crate::film::FilmSums;
use crate::live::LiveSource;
use crate::{Gpu, GpuError};

/// Duration of a frame above which the next frame may be cancelled between two passes.
const LONG_FRAME: Duration = Duration::from_millis(50);

/// Source of frames that are added up on demand.
#[derive(Debug)]
pub(crate) struct LiveFrames {
    gpu: Arc<Gpu>,
    streams: FrameStreams,
    spec: ViewSpec,
    /// Number of the next frame.
    next: u32,
    /// Whether the last frame exceeded [`LONG_FRAME`].
    is_slow: bool,
}

impl LiveFrames {
    /// Creates a source without frames.
    ///
    /// * `first` — number of the first frame.
    pub(super) fn new(gpu: Arc<Gpu>, streams: FrameStreams, spec: ViewSpec, first: u32) -> Self {
        Self { gpu, streams, spec, next: first, is_slow: false }
    }
}

impl LiveSource for LiveFrames {
    fn sums(&self) -> Vec<&FilmSums> {
        match &self.streams.sink {
            FrameSink::Film(strips) => strips.iter().collect(),
            FrameSink::History(_) => Vec::new(),
        }
    }

    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        let Self { gpu, streams, spec, next, is_slow } = self;
        let start = Instant::now();
        let mut rays = RayCount::default();
        while *next < stop.target() && !cancel.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let cancellation = if *is_slow {
                Cancellation::BetweenPasses(cancel)
            } else {
                Cancellation::BetweenSubmissions(cancel)
            };
            let Some(of_frame) = streams.add(gpu, spec, *next, cancellation)? else { break };
            *is_slow = begun.elapsed() > LONG_FRAME;
            rays += of_frame;
            *next += 1;
            let elapsed = start.elapsed();
            let done = stop.share_done(*next as f32, elapsed, *next, None);
            observer.tile(&RenderProgress { elapsed, done, samples: *next, noise: None, rays: rays.total() });
            if stop.out_of_time(elapsed) {
                break;
            }
        }
        let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        let vpls = streams.sizes.vpls;
        Ok(RenderOutcome { vpls, ..RenderOutcome::new(ended, start.elapsed(), rays, *next) })
    }
}
