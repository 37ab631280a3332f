//! The driver: passes over tiles until a stop rule says enough.
//!
//! A pass adds a few samples to every pixel; within a pass, tiles are rendered in parallel and in any order. A tile's
//! sums are a function of the samples added to it, so the picture depends on the number of samples alone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_image::{Film, TileRect};

use crate::Algorithm;
use crate::assembly::Assembly;
use crate::pass::{Pass, PreparedPass, Worker};
use crate::stage_times::{RenderStage, StageTimes};
use crate::stop::StopRules;
use crate::view::{RayCount, View};

/// How the work is organised; nothing here changes a bit of the picture.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Edge of the square tiles, pixels.
    pub tile_size: u32,
    /// Instruction set.
    pub level: Level,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { tile_size: 32, level: Level::new() }
    }
}

/// How far a rendering is; given to the observer after every tile.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Since the start.
    pub elapsed: Duration,
    /// Estimated share of the work done, 0 … 1, by the stop rule that comes first.
    pub done: f32,
    /// Samples per pixel of the passes completed.
    pub samples: u32,
    /// Mean relative standard error after the last pass, once it can be told.
    pub noise: Option<f32>,
    /// Rays traced.
    pub rays: u64,
}

/// Why a rendering ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A stop rule was met.
    Done,
    /// Cancelled from outside: some pixels may have fewer samples than others, or none.
    Cancelled,
    /// The renderer panicked, or nobody could render it. [`render()`] never says so.
    Failed,
}

/// What a rendering did.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ended: StopReason,
    /// Of the rendering itself.
    pub elapsed: Duration,
    /// Rays traced.
    pub rays: RayCount,
    /// Samples per pixel of the completed passes.
    pub samples: u32,
    /// Number of the first sample that was not begun. Where a pass was broken off, some pixels have samples of numbers before it beside the completed ones: whoever goes
    /// on from there begins none twice.
    pub next: u32,
    /// Of [`Outcome::elapsed`], what each stage took: those of tiles by their part of the work of all threads. Nothing where that is not
    /// measured.
    pub stages: StageTimes,
    /// Virtual point lights of the last pass; 0 where there are none.
    pub vpls: usize,
}

impl Outcome {
    /// Of a rendering whose stages are not measured.
    pub fn new(ended: StopReason, elapsed: Duration, rays: RayCount, samples: u32) -> Self {
        Self { ended, elapsed, rays, samples, next: samples, stages: StageTimes::default(), vpls: 0 }
    }
}

/// Who wants to know how a rendering goes on. Closures that take a [`Status`] are observers of tiles.
pub trait Observer: Sync {
    /// After every tile.
    fn tile(&self, status: &Status);
    /// After every pass, with all samples so far.
    fn pass(&self, _film: &Film, _samples: u32) {}
    /// Whether [`pass`](Self::pass) is wanted: where the film is far away, it is fetched for it.
    fn looks(&self) -> bool {
        true
    }
}

impl<F: Fn(&Status) + Sync> Observer for F {
    fn tile(&self, status: &Status) {
        self(status);
    }

    fn looks(&self) -> bool {
        false
    }
}

/// Renders into `film`, which already holds `first_sample` samples of the same view, usually none; `stop` is about all of
/// them. A film of another size, or with other channels than the view has, stays as it is.
///
/// Runs in the current rayon pool. `cancel` is looked at before every tile.
pub fn render(
    view: &View<'_>,
    algorithm: &Algorithm,
    film: &mut Film,
    first_sample: u32,
    stop: &StopRules,
    schedule: &Schedule,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Outcome {
    let start = Instant::now();
    let target = stop.target();
    let rays = Mutex::new(RayCount::default());
    let (mut samples, mut next) = (first_sample, first_sample);
    let mut noise = None;
    let mut stages = StageTimes::default();
    let mut vpls = 0;

    while samples < target && !cancel.load(Ordering::Relaxed) {
        // What all tiles of the pass share
        let begun = Instant::now();
        let pass = Pass::next(view.world, &view.spec, algorithm, samples, target);
        let prepared = PreparedPass::begin(schedule.level, view, pass);
        let Ok(assembly) = Assembly::new(pass, film, schedule.tile_size) else { break };
        let tiles: Vec<TileRect> = assembly.tiles().collect();
        let assembly = Mutex::new(assembly);
        vpls = prepared.vpl_count();
        stages.add(RenderStage::Lights, begun.elapsed());

        // Tiles, in any order; the first pass is not stopped by time
        let late = || samples > first_sample && stop.out_of_time(start.elapsed());
        let in_pass = AtomicU64::new(0);
        let (in_tiles, of_threads) = (Instant::now(), Mutex::new(StageTimes::default()));
        let note = |traced: RayCount| {
            let rays = {
                let mut rays = lock(&rays);
                *rays += traced;
                rays.total()
            };
            let part = (in_pass.fetch_add(1, Ordering::Relaxed) + 1) as f32 / tiles.len() as f32;
            let elapsed = start.elapsed();
            let reached = samples as f32 + part * pass.samples as f32;
            let done = stop.share_done(reached, elapsed, samples, noise);
            observer.tile(&Status { elapsed, done, samples, noise, rays });
        };
        let compute = |worker: &mut Worker<'_>, &rect: &TileRect| -> Option<()> {
            if cancel.load(Ordering::Relaxed) || late() {
                return None;
            }
            let job = lock(&assembly).job(rect);
            let result = worker.compute(job).ok()?;
            *lock(&of_threads) += worker.take_times();
            note(result.rays());
            lock(&assembly).add(result).ok()
        };
        let computed = tiles.par_iter().map_init(|| prepared.worker(), compute);
        let complete = computed.all(|done| done.is_some());

        // The picture
        stages.add_parallel(&lock(&of_threads), in_tiles.elapsed());
        let ended = Instant::now();
        let assembly = assembly.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !complete || assembly.finish(schedule.level).is_err() {
            // Tiles of a frame wait for each other, others are on the film
            next = if algorithm.samples_are_frames() { samples } else { samples + pass.samples };
            break;
        }
        stages.add(RenderStage::Film, ended.elapsed());
        samples += pass.samples;
        next = samples;
        observer.pass(film, samples);
        if samples >= StopRules::LEAST_SAMPLES_FOR_NOISE {
            noise = Some(film.noise());
        }
        if stop.clean(noise) || stop.out_of_time(start.elapsed()) {
            break;
        }
    }
    let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
    let rays = *lock(&rays);
    Outcome { ended, elapsed: start.elapsed(), rays, samples, next, stages, vpls }
}

/// Nothing that holds these locks panics; if it did, the counts are still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
