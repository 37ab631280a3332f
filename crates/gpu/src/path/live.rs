use std::sync::atomic::AtomicBool;

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, Outcome, RayCount, Status, StopRules};

use super::{Order, Picture, Stages};
use crate::film::FilmSums;
use crate::live::Live;
use crate::{GpuError, RenderRun};

/// Samples of paths, or of trees of rays, that are added up as they are wanted.
#[derive(Debug)]
struct Waves {
    picture: Picture,
    /// Number of the first sample.
    first: u32,
    /// So far.
    rays: RayCount,
}

impl Waves {
    /// * `picture` — one whose jobs have one sample of each pixel; nothing of it is wanted yet.
    fn new(mut picture: Picture, first: u32) -> Self {
        picture.want(0);
        Self { picture, first, rays: RayCount::default() }
    }
}

impl Live for Waves {
    fn sums(&self) -> Vec<&FilmSums> {
        vec![&self.picture.film]
    }

    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let Self { picture, first, rays } = self;
        let (before, first) = (*rays, *first);
        // Those that were begun when it was given up last are wanted all the same
        let wanted = stop.target().saturating_sub(first);
        picture.want(wanted.max(picture.wanted()));
        let count = |rays: RayCount| RayCount {
            intersect: rays.intersect - before.intersect,
            occluded: rays.occluded - before.occluded,
        };
        let tell = |status: &Status| {
            let samples = first + status.samples;
            observer.tile(&Status { samples, rays: status.rays - before.total(), ..*status });
        };
        let outcome = picture.run(None, stop, cancel, &tell, None)?;
        *rays = outcome.rays;
        let samples = first + outcome.samples;
        Ok(Outcome { rays: count(outcome.rays), samples, next: samples, ..outcome })
    }
}

impl Stages {
    /// Renders the samples of an order into a film.
    pub(crate) fn render(
        &self,
        order: &Order<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError> {
        Picture::new(self, order)?.drive(film, run.stop, run.cancel, run.observer, run.supply)
    }

    /// A picture that gains samples, the first of which is the first of the order.
    pub(crate) fn live(&self, order: Order<'_>) -> Result<Box<dyn Live>, GpuError> {
        let first = order.samples.start;
        let picture = Picture::new(self, &Order { one_by_one: true, ..order })?;
        Ok(Box::new(Waves::new(picture, first)))
    }
}
