use std::sync::atomic::AtomicBool;

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, RayCount, RenderOutcome, RenderProgress, StopRules};

use super::{PathStages, PathStreams, StreamRequest};
use crate::film::FilmSums;
use crate::live::LiveSource;
use crate::{GpuError, RenderRun};

/// Source of samples on demand for integrators that run the stages of the path tracer.
#[derive(Debug)]
struct LivePaths {
    streams: PathStreams,
    /// Number of the first sample.
    first: u32,
    /// Number of rays so far.
    rays: RayCount,
}

impl LivePaths {
    /// Creates a source without samples.
    ///
    /// * `streams` — streams whose jobs have one sample of each pixel.
    fn new(mut streams: PathStreams, first: u32) -> Self {
        streams.set_wanted_samples(0);
        Self { streams, first, rays: RayCount::default() }
    }
}

impl LiveSource for LivePaths {
    fn sums(&self) -> Vec<&FilmSums> {
        vec![&self.streams.film]
    }

    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        let Self { streams, first, rays } = self;
        let (before, first) = (*rays, *first);
        // Samples that had begun when the last call was cancelled are still completed
        let wanted = stop.target().saturating_sub(first);
        streams.set_wanted_samples(wanted.max(streams.wanted_samples()));
        let count = |rays: RayCount| RayCount {
            intersect: rays.intersect - before.intersect,
            occluded: rays.occluded - before.occluded,
        };
        let tell = |status: &RenderProgress| {
            let samples = first + status.samples;
            observer.tile(&RenderProgress { samples, rays: status.rays - before.total(), ..*status });
        };
        let outcome = streams.run(None, stop, cancel, &tell, None)?;
        *rays = outcome.rays;
        let samples = first + outcome.samples;
        Ok(RenderOutcome { rays: count(outcome.rays), samples, next: samples, ..outcome })
    }
}

impl PathStages {
    /// Renders the samples of a request into a film.
    pub(crate) fn render(
        &self,
        request: &StreamRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        PathStreams::new(self, request)?.render_film(film, run.stop, run.cancel, run.observer, run.supply)
    }

    /// Starts an image to which samples are added on demand, beginning with the first sample of the request.
    pub(crate) fn live(&self, request: StreamRequest<'_>) -> Result<Box<dyn LiveSource>, GpuError> {
        let first = request.samples.start;
        let streams = PathStreams::new(self, &StreamRequest { single_sample_jobs: true, ..request })?;
        Ok(Box::new(LivePaths::new(streams, first)))
    }
}
