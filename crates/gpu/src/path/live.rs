use std::sync::atomic::AtomicBool;

use sunfleck_integrators::{Observer, Outcome, RayCount, Status, StopRules};

use super::Picture;
use crate::GpuError;
use crate::film::FilmSums;
use crate::live::Live;

/// Samples of paths, or of trees of rays, that are added up as they are wanted.
#[derive(Debug)]
pub(crate) struct Waves {
    picture: Picture,
    /// Number of the first sample.
    first: u32,
    /// So far.
    rays: RayCount,
}

impl Waves {
    /// * `picture` — one whose jobs have one sample of each pixel; nothing of it is wanted yet.
    pub(crate) fn new(mut picture: Picture, first: u32) -> Self {
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
        Ok(Outcome { rays: count(outcome.rays), samples: first + outcome.samples, ..outcome })
    }
}
