//! A pass adds a few samples to every pixel, or those that each pixel lacks. [`Pass`] describes it as plain data that
//! can be serialised; a [`PreparedPass`] adds the data that all its tiles share; its [`Worker`]s compute a
//! [`TileResult`] for each [`TileJob`].
//!
//! A result is a function of its job and of the world of that revision, so any thread or machine may compute it.

use std::ops::Range;

use fearless_simd::Level;
use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmTile, TileRect};
use sunfleck_transport::World;

use crate::Algorithm;
use crate::integrator::{AddSamples, LightWorker, PreparedIntegrator};
use crate::stage_times::StageTimes;
use crate::tile::{TileContent, TileError, TileJob, TileResult};
use crate::tiling::Tiling;
use crate::view::{RayCount, SampleId, View, ViewSpec};

/// Largest number of paths that are computed together, whose data stay in cache.
const STREAM: usize = 4096;
/// Largest number of samples per pixel of a pass: 32 × 32 pixels make a [`STREAM`].
const MAX_SAMPLES: u32 = 4;
/// Largest width and height of a film that a received pass may have, pixels.
const MAX_EDGE: u32 = 1 << 16;
/// Largest number of paths of a tile: that of the largest tile size of the command line.
const MAX_PATHS: u64 = 1 << 26;

/// Description of the samples that are added to an image, which is all that a machine with the same world needs. A
/// [`TemporalHistory`](crate::TemporalHistory) is not part of it, so passes of a view that has one cannot be computed
/// elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// [`World::revision`] of the world.
    pub revision: u64,
    /// Camera, film and sampler.
    pub view: ViewSpec,
    /// Light transport algorithm.
    pub algorithm: Algorithm,
    /// Number of samples that each pixel already has; with [`TileJob::targets`] the mean.
    pub first_sample: u32,
    /// Number of samples added to each pixel, at least 1, unless the job has [targets](TileJob::targets); exactly 1 if
    /// the samples of the algorithm are frames, as those of instant global illumination are.
    pub samples: u32,
}

impl Pass {
    /// Returns the next pass of an image that has `first_sample` samples per pixel and shall have `target`, a larger
    /// number.
    pub fn next(
        world: &World,
        view: &ViewSpec,
        algorithm: &Algorithm,
        first_sample: u32,
        target: u32,
    ) -> Self {
        // The first passes are short, so that an image is visible early
        let is_frame = algorithm.frame_filter().is_some();
        let samples = if is_frame { 1 } else { first_sample.clamp(1, MAX_SAMPLES) };
        let samples = samples.min(target.saturating_sub(first_sample)).max(1);
        Self { revision: world.revision(), view: *view, algorithm: *algorithm, first_sample, samples }
    }

    /// Returns all pixels of the image.
    pub(crate) fn full_window(&self) -> TileRect {
        TileRect { x0: 0, y0: 0, x1: self.view.width, y1: self.view.height }
    }

    /// Returns the tiles of the pass. Tiles of frames have the size that their filter needs.
    ///
    /// * `window` — the pixels to render. * `size` — edge length of other tiles, pixels.
    pub(crate) fn tiling(&self, window: TileRect, size: u32) -> Tiling {
        let filter = self.algorithm.frame_filter();
        let size = filter.map_or(size.max(1), |filter| filter.tile_size());
        Tiling { window, size }
    }

    /// Checks that the pass is of this world and view, and that its values are in range. Errors: [`TileError`].
    fn check(&self, view: &View<'_>) -> Result<(), TileError> {
        let Self { first_sample: first, samples: count, view: ViewSpec { width, height, .. }, .. } = *self;
        let found = view.world.revision();
        if self.revision != found {
            return Err(TileError::OtherWorld { wanted: self.revision, found });
        }
        if self.view != view.spec {
            return Err(TileError::OtherPass);
        }
        if !(1..=MAX_EDGE).contains(&width) || !(1..=MAX_EDGE).contains(&height) {
            return Err(TileError::Size { width, height });
        }
        let is_frame = self.algorithm.frame_filter().is_some();
        let most = if is_frame { 1 } else { u32::MAX };
        if !(1..=most).contains(&count) || first.checked_add(count).is_none() {
            return Err(TileError::Samples { first, count });
        }
        Ok(self.algorithm.check()?)
    }

    /// Checks that a rectangle is a tile of this pass. Errors: [`TileError::Rect`].
    fn check_rect(&self, rect: TileRect) -> Result<(), TileError> {
        let film = self.full_window();
        let fits = match self.algorithm.frame_filter() {
            Some(filter) => self.tiling(film, filter.tile_size()).index_of(rect).is_some(),
            None => {
                let paths = (rect.area() as u64).saturating_mul(self.samples.into());
                film.intersection(rect) == rect && (1..=MAX_PATHS).contains(&paths)
            }
        };
        if fits { Ok(()) } else { Err(TileError::Rect(rect)) }
    }
}

/// A pass with the data that all its tiles share. Every machine computes the same data.
#[derive(Debug)]
pub struct PreparedPass<'a> {
    view: &'a View<'a>,
    pass: Pass,
    prepared: PreparedIntegrator<'a>,
}

impl<'a> PreparedPass<'a> {
    /// Checks and prepares a pass that was received from elsewhere.
    ///
    /// * `view` — view of this machine's world with the specification [`Pass::view`].
    ///
    /// Errors: [`TileError`] if the pass is of another world or view, or has values out of range.
    pub fn new(level: Level, view: &'a View<'a>, pass: &Pass) -> Result<Self, TileError> {
        pass.check(view)?;
        Ok(Self::begin(level, view, *pass))
    }

    /// Prepares a pass that was made here and needs no check.
    pub(crate) fn begin(level: Level, view: &'a View<'a>, pass: Pass) -> Self {
        let prepared = pass.algorithm.integrator().prepare(level, view, pass.first_sample);
        Self { view, pass, prepared }
    }

    /// Makes a worker of one thread.
    pub fn worker(&self) -> Worker<'_> {
        let integrator = match &self.prepared {
            PreparedIntegrator::Sums(integrator) => TileIntegrator::Sums(&**integrator),
            PreparedIntegrator::Light(frame) => TileIntegrator::Light(frame.worker()),
        };
        Worker { prepared: self, integrator, times: StageTimes::default() }
    }

    /// Returns the number of virtual point lights; 0 for algorithms that use none.
    pub(crate) fn vpl_count(&self) -> usize {
        match &self.prepared {
            PreparedIntegrator::Sums(_) => 0,
            PreparedIntegrator::Light(frame) => frame.vpl_count(),
        }
    }
}

/// Returns the samples that a job adds to a tile, pixel by pixel. Errors: [`TileError`] if the targets are not those
/// of its pixels, or too large.
fn tile_samples<'a>(
    pass: &Pass,
    tile: &FilmTile,
    targets: Option<&'a [u32]>,
) -> Result<Box<dyn Iterator<Item = SampleId> + 'a>, TileError> {
    let pixels = tile.rect().pixels();
    let first = pass.first_sample;
    let ids = |((x, y), samples): ((u32, u32), Range<u32>)| {
        samples.map(move |sample| SampleId { pixel: [x, y], sample })
    };
    let Some(targets) = targets else {
        let samples = first..first + pass.samples;
        return Ok(Box::new(pixels.zip(std::iter::repeat(samples)).flat_map(ids)));
    };
    let have: Vec<u32> = tile.attempts().collect();
    if targets.len() != have.len() {
        return Err(TileError::OtherContent);
    }
    let missing = have.into_iter().zip(targets).map(|(have, &want)| have..want);
    if missing.clone().map(|range| range.len() as u64).sum::<u64>() > MAX_PATHS {
        return Err(TileError::Samples { first, count: targets.iter().copied().max().unwrap_or(0) });
    }
    Ok(Box::new(pixels.zip(missing).flat_map(ids)))
}

/// Computes tiles one after another and reuses the allocations.
#[derive(Debug)]
pub struct Worker<'a> {
    prepared: &'a PreparedPass<'a>,
    integrator: TileIntegrator<'a>,
    /// Sum over all tiles since [`Worker::take_times`].
    times: StageTimes,
}

/// Integrator of a worker.
#[derive(Debug)]
enum TileIntegrator<'a> {
    Sums(&'a dyn AddSamples),
    Light(Box<dyn LightWorker + 'a>),
}

impl Worker<'_> {
    /// Computes a tile. Errors: [`TileError`] if the job belongs to another pass, is not a tile of it, or holds sums of
    /// other pixels or channels.
    pub fn compute(&mut self, job: TileJob) -> Result<TileResult, TileError> {
        let PreparedPass { view, pass, .. } = self.prepared;
        let times = &mut self.times;
        let TileJob { rect, before, targets, .. } = job;
        if job.pass != *pass {
            return Err(TileError::OtherPass);
        }
        pass.check_rect(rect)?;
        let mut tile = before.unwrap_or_else(|| FilmTile::new(rect, view.aovs));
        if tile.rect() != rect || tile.aovs() != view.aovs {
            return Err(TileError::OtherContent);
        }
        let content = match &mut self.integrator {
            TileIntegrator::Sums(integrator) => {
                let mut rays = RayCount::default();
                let mut all = tile_samples(pass, &tile, targets.as_deref())?;
                let mut next = || -> Vec<SampleId> { all.by_ref().take(STREAM).collect() };
                let mut samples = next();
                while !samples.is_empty() {
                    rays += integrator.add(&samples, &mut tile, times);
                    samples = next();
                }
                TileContent::Sums(tile, rays)
            }
            TileIntegrator::Light(_) if targets.is_some() => return Err(TileError::OtherContent),
            TileIntegrator::Light(worker) => TileContent::Light(worker.tile(rect, times)),
        };
        Ok(TileResult { pass: *pass, content })
    }

    /// Returns the stage times since the last call.
    pub(crate) fn take_times(&mut self) -> StageTimes {
        std::mem::take(&mut self.times)
    }
}
