//! A pass: a few more samples of every pixel. [`Pass`] is the order, plain data that may travel; a [`PreparedPass`] is what a
//! machine makes of it before the first tile; its [`Worker`]s turn [`TileJob`]s into [`TileResult`]s.
//!
//! What a tile becomes is a function of its job and the world of that revision. So it does not matter who computes it.

use fearless_simd::{Level, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmTile, TileRect};
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use crate::algorithm::Algorithm;
use crate::igi::{Frame, Scratch};
use crate::path::PathTracer;
use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::tile::{Content, TileError, TileJob, TileResult};
use crate::tiling::Tiling;
use crate::view::{TileSamples, View, ViewSpec};
use crate::whitted::{Whitted, ambient};

/// A pass adds at most this many samples per pixel: 32 × 32 pixels make a stream of 4096 paths, which stays in cache.
const MOST_SAMPLES: u32 = 4;
/// A film that somebody else asks for has no longer edge, pixels.
const LONGEST_EDGE: u32 = 1 << 16;
/// The largest tile of the command line has so many paths.
const MOST_PATHS: u64 = 1 << 26;

/// Which samples of what are to be added to a picture. Says all that a machine needs which has the same world, but what a
/// [`Memory`](crate::igi::Memory) knows: passes of a view that has one are for this machine.
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
    /// How many are added, at least 1; just 1 for instant global illumination, whose samples are frames.
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
        let samples = match algorithm {
            Algorithm::Igi(_) => 1,
            Algorithm::Path(_) | Algorithm::Whitted(_) => first_sample.clamp(1, MOST_SAMPLES),
        };
        let samples = samples.min(target.saturating_sub(first_sample)).max(1);
        Self { revision: world.revision(), view: *view, algorithm: *algorithm, first_sample, samples }
    }

    /// Its tiles. Those of instant global illumination have a size of their own, so that each set of VPLs lights whole packets.
    ///
    /// * `size` — edge of the others, pixels.
    pub(crate) fn tiling(&self, size: u32) -> Tiling {
        let size = match self.algorithm {
            Algorithm::Igi(igi) => igi.tile_size(),
            Algorithm::Path(_) | Algorithm::Whitted(_) => size.max(1),
        };
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
        let most = if matches!(self.algorithm, Algorithm::Igi(_)) { 1 } else { u32::MAX };
        if !(1..=most).contains(&count) || first.checked_add(count).is_none() {
            return Err(TileError::Samples { first, count });
        }
        Ok(self.algorithm.check()?)
    }

    /// Refuses what is no tile of this pass. Errors: [`TileError::Rect`].
    fn check_rect(&self, rect: TileRect) -> Result<(), TileError> {
        let ViewSpec { width, height, .. } = self.view;
        let film = TileRect { x0: 0, y0: 0, x1: width, y1: height };
        let fits = match self.algorithm {
            Algorithm::Igi(igi) => self.tiling(igi.tile_size()).index_of(rect).is_some(),
            Algorithm::Path(_) | Algorithm::Whitted(_) => {
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
    level: Level,
    view: &'a View<'a>,
    pass: Pass,
    shared: Shared<'a>,
}

#[derive(Debug)]
enum Shared<'a> {
    Path(PathTracer),
    /// With the ambient constant.
    Whitted(Whitted, Vec3),
    /// With the VPLs.
    Igi(Box<Frame<'a>>),
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
        let shared = match pass.algorithm {
            Algorithm::Path(path) => Shared::Path(path),
            Algorithm::Whitted(whitted) => Shared::Whitted(whitted, ambient::constant(level, view)),
            Algorithm::Igi(igi) => Shared::Igi(Box::new(Frame::begin(level, view, igi, pass.first_sample))),
        };
        Self { level, view, pass, shared }
    }

    /// Somebody who does one tile after the other.
    pub fn worker(&self) -> Worker<'_> {
        Worker { prepared: self, scratch: Scratch::default(), times: StageTimes::default() }
    }

    /// How many virtual point lights there are.
    pub(crate) fn vpl_count(&self) -> usize {
        match &self.shared {
            Shared::Igi(frame) => frame.vpl_count(),
            Shared::Path(_) | Shared::Whitted(..) => 0,
        }
    }
}

/// Computes tiles; keeps memory from one for the next.
#[derive(Debug)]
pub struct Worker<'a> {
    prepared: &'a PreparedPass<'a>,
    scratch: Scratch,
    /// Of all its tiles.
    times: StageTimes,
}

impl Worker<'_> {
    /// Computes a tile. Errors: [`TileError`] if the job is of another pass, is no tile of it, or goes on with sums of something
    /// else.
    pub fn compute(&mut self, job: TileJob) -> Result<TileResult, TileError> {
        let PreparedPass { level, view, pass, shared } = self.prepared;
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
        let content = match shared {
            Shared::Igi(frame) => Content::Light(frame.tile(*level, rect, &mut self.scratch, times)),
            Shared::Path(path) => {
                let rays = dispatch!(*level, simd => path.render(simd, view, &samples, &mut tile, times));
                Content::Sums(tile, rays)
            }
            Shared::Whitted(whitted, ambient) => {
                let mut lap = Lap::start(times);
                let rays =
                    dispatch!(*level, simd => whitted.render(simd, view, *ambient, &samples, &mut tile));
                lap.end(RenderStage::TraceAndShade);
                Content::Sums(tile, rays)
            }
        };
        Ok(TileResult { pass: *pass, content })
    }

    /// Where its time went since it was asked the last time.
    pub(crate) fn take_times(&mut self) -> StageTimes {
        std::mem::take(&mut self.times)
    }
}
