//! A pass: a few more samples of every pixel. [`Pass`] is the order, plain data that may travel; a [`PreparedPass`] is what a
//! machine makes of it before the first tile; its [`Worker`]s turn [`TileJob`]s into [`TileResult`]s.
//!
//! What a tile becomes is a function of its job and the world of that revision. So it does not matter who computes it.

use fearless_simd::Level;
use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmTile, TileRect};
use sunfleck_transport::World;

use crate::Algorithm;
use crate::integrator::{AddSamples, LightWorker, Prepared};
use crate::stage_times::StageTimes;
use crate::tile::{Content, TileError, TileJob, TileResult};
use crate::tiling::Tiling;
use crate::view::{TileSamples, View, ViewSpec};

/// A pass adds at most this many samples per pixel: 32 × 32 pixels make a stream of 4096 paths, which stays in cache.
const MOST_SAMPLES: u32 = 4;
/// A film that somebody else asks for has no longer edge, pixels.
const LONGEST_EDGE: u32 = 1 << 16;
/// The largest tile of the command line has so many paths.
const MOST_PATHS: u64 = 1 << 26;

/// Which samples of what are to be added to a picture. Says all that a machine needs which has the same world, but what a
/// [`Memory`](crate::Memory) knows: passes of a view that has one are for this machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// [`World::revision`].
    pub revision: u64,
    /// What is seen.
    pub view: ViewSpec,
    /// How light is computed.
    pub algorithm: Algorithm,
    /// How many samples each pixel already has.
    pub first_sample: u32,
    /// How many are added, at least 1; just 1 of an algorithm whose samples are frames, such as instant global illumination.
    pub samples: u32,
}

impl Pass {
    /// The pass that brings a picture with `first_sample` samples of each pixel nearer to `target`, which is more.
    pub fn next(
        world: &World,
        view: &ViewSpec,
        algorithm: &Algorithm,
        first_sample: u32,
        target: u32,
    ) -> Self {
        // The first passes are short, so that something is seen soon
        let is_frame = algorithm.frame_filter().is_some();
        let samples = if is_frame { 1 } else { first_sample.clamp(1, MOST_SAMPLES) };
        let samples = samples.min(target.saturating_sub(first_sample)).max(1);
        Self { revision: world.revision(), view: *view, algorithm: *algorithm, first_sample, samples }
    }

    /// Its tiles. Those of frames have a size of their own: their filter needs whole ones.
    ///
    /// * `size` — edge of the others, pixels.
    pub(crate) fn tiling(&self, size: u32) -> Tiling {
        let filter = self.algorithm.frame_filter();
        let size = filter.map_or(size.max(1), |filter| filter.tile_size());
        Tiling { width: self.view.width, height: self.view.height, size }
    }

    /// Refuses what is about another world or view, or makes no sense. Errors: [`TileError`].
    fn check(&self, view: &View<'_>) -> Result<(), TileError> {
        let Self { first_sample: first, samples: count, view: ViewSpec { width, height, .. }, .. } = *self;
        let found = view.world.revision();
        if self.revision != found {
            return Err(TileError::OtherWorld { wanted: self.revision, found });
        }
        if self.view != view.spec {
            return Err(TileError::OtherPass);
        }
        if !(1..=LONGEST_EDGE).contains(&width) || !(1..=LONGEST_EDGE).contains(&height) {
            return Err(TileError::Size { width, height });
        }
        let is_frame = self.algorithm.frame_filter().is_some();
        let most = if is_frame { 1 } else { u32::MAX };
        if !(1..=most).contains(&count) || first.checked_add(count).is_none() {
            return Err(TileError::Samples { first, count });
        }
        Ok(self.algorithm.check()?)
    }

    /// Refuses what is no tile of this pass. Errors: [`TileError::Rect`].
    fn check_rect(&self, rect: TileRect) -> Result<(), TileError> {
        let ViewSpec { width, height, .. } = self.view;
        let film = TileRect { x0: 0, y0: 0, x1: width, y1: height };
        let fits = match self.algorithm.frame_filter() {
            Some(filter) => self.tiling(filter.tile_size()).index_of(rect).is_some(),
            None => {
                let paths = (rect.area() as u64).saturating_mul(self.samples.into());
                film.intersection(rect) == rect && (1..=MOST_PATHS).contains(&paths)
            }
        };
        if fits { Ok(()) } else { Err(TileError::Rect(rect)) }
    }
}

/// A pass on a machine: what all tiles share is computed. Every machine computes the same.
#[derive(Debug)]
pub struct PreparedPass<'a> {
    view: &'a View<'a>,
    pass: Pass,
    prepared: Prepared<'a>,
}

impl<'a> PreparedPass<'a> {
    /// Makes a pass that came from elsewhere ready.
    ///
    /// * `view` — of this machine's world, as [`Pass::view`] says.
    ///
    /// Errors: [`TileError`] if the pass is about another world or view, or has values out of range.
    pub fn new(level: Level, view: &'a View<'a>, pass: &Pass) -> Result<Self, TileError> {
        pass.check(view)?;
        Ok(Self::begin(level, view, *pass))
    }

    /// Makes one of our own ready.
    pub(crate) fn begin(level: Level, view: &'a View<'a>, pass: Pass) -> Self {
        let prepared = pass.algorithm.integrator().prepare(level, view, pass.first_sample);
        Self { view, pass, prepared }
    }

    /// A worker, which computes one tile after another.
    pub fn worker(&self) -> Worker<'_> {
        let by = match &self.prepared {
            Prepared::Sums(integrator) => TileIntegrator::Sums(&**integrator),
            Prepared::Light(frame) => TileIntegrator::Light(frame.worker()),
        };
        Worker { prepared: self, by, times: StageTimes::default() }
    }

    /// How many virtual point lights there are.
    pub(crate) fn vpl_count(&self) -> usize {
        match &self.prepared {
            Prepared::Sums(_) => 0,
            Prepared::Light(frame) => frame.vpl_count(),
        }
    }
}

/// Computes tiles; keeps memory from one for the next.
#[derive(Debug)]
pub struct Worker<'a> {
    prepared: &'a PreparedPass<'a>,
    by: TileIntegrator<'a>,
    /// Of all its tiles.
    times: StageTimes,
}

/// What computes the tiles of a worker.
#[derive(Debug)]
enum TileIntegrator<'a> {
    Sums(&'a dyn AddSamples),
    Light(Box<dyn LightWorker + 'a>),
}

impl Worker<'_> {
    /// Computes a tile. Errors: [`TileError`] if the job is of another pass, is no tile of it, or goes on with sums of something
    /// else.
    pub fn compute(&mut self, job: TileJob) -> Result<TileResult, TileError> {
        let PreparedPass { view, pass, .. } = self.prepared;
        let times = &mut self.times;
        let TileJob { rect, before, .. } = job;
        if job.pass != *pass {
            return Err(TileError::OtherPass);
        }
        pass.check_rect(rect)?;
        let mut tile = before.unwrap_or_else(|| FilmTile::new(rect, view.aovs));
        if tile.rect() != rect || tile.aovs() != view.aovs {
            return Err(TileError::OtherContent);
        }
        let samples = TileSamples { rect, samples: pass.first_sample..pass.first_sample + pass.samples };
        let content = match &mut self.by {
            TileIntegrator::Sums(integrator) => {
                let rays = integrator.add(&samples, &mut tile, times);
                Content::Sums(tile, rays)
            }
            TileIntegrator::Light(worker) => Content::Light(worker.tile(rect, times)),
        };
        Ok(TileResult { pass: *pass, content })
    }

    /// Where its time went since it was asked the last time.
    pub(crate) fn take_times(&mut self) -> StageTimes {
        std::mem::take(&mut self.times)
    }
}
