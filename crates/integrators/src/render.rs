//! The driver: renders passes until a stop rule is met.
//!
//! A pass adds a few samples to every pixel, or, with a noise goal, some of the samples that each pixel lacks. Within a
//! pass, tiles are rendered in parallel and in any order. The sums of a tile are a function of its samples, so the
//! image depends only on their numbers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_image::{Film, TileRect};

use crate::Algorithm;
use crate::assembly::Assembly;
use crate::pass::{Pass, PreparedPass, Worker};
use crate::render_state::{RenderStart, RenderState};
use crate::stage_times::{RenderStage, StageTimes};
use crate::stop::StopRules;
use crate::view::{RayCount, View};

/// Organisation of the work. The image has the same bits for every schedule.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Edge length of the square tiles, pixels.
    pub tile_size: u32,
    /// SIMD instruction set.
    pub level: Level,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { tile_size: 32, level: Level::new() }
    }
}

/// Progress of a rendering, reported to the observer after every tile.
#[derive(Clone, Copy, Debug)]
pub struct RenderProgress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Estimated share of the work done, 0 … 1, by the stop rule that is expected to be met first.
    pub done: f32,
    /// Samples per pixel of the completed passes.
    pub samples: u32,
    /// Mean relative standard error after the last pass; `None` while there are too few samples.
    pub noise: Option<f32>,
    /// Number of rays traced.
    pub rays: u64,
}

/// Reason why a rendering ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A stop rule was met.
    Done,
    /// Cancelled by the caller: some pixels may have fewer samples than others, or none.
    Cancelled,
    /// The renderer panicked, or no backend could render the image. [`render()`] never returns this.
    Failed,
}

/// Result of a rendering, beside the film.
#[derive(Clone, Copy, Debug)]
pub struct RenderOutcome {
    /// Reason why the rendering ended.
    pub ended: StopReason,
    /// Wall-clock time of the rendering.
    pub elapsed: Duration,
    /// Number of rays traced.
    pub rays: RayCount,
    /// Samples per pixel of the completed passes; the mean if pixels have different numbers.
    pub samples: u32,
    /// Index of the first sample that was not begun. If the last pass was interrupted, some pixels already
    /// have samples with indices from [`RenderOutcome::samples`] up to this one, so a later rendering that
    /// adds samples to the same film starts at this index.
    pub next: u32,
    /// Portions of [`RenderOutcome::elapsed`] by stage. Stages that run tile by tile in parallel share the
    /// wall-clock time in proportion to their times summed over all threads. All zero if stages are not
    /// measured.
    pub stages: StageTimes,
    /// Number of virtual point lights of the last pass; 0 for algorithms that use none.
    pub vpls: usize,
}

impl RenderOutcome {
    /// Makes the result of a rendering whose stages are not measured.
    pub fn new(ended: StopReason, elapsed: Duration, rays: RayCount, samples: u32) -> Self {
        Self { ended, elapsed, rays, samples, next: samples, stages: StageTimes::default(), vpls: 0 }
    }
}

/// Receiver of progress reports. Closures that take a [`RenderProgress`] are observers of tiles.
pub trait Observer: Sync {
    /// Called after every tile.
    fn tile(&self, status: &RenderProgress);
    /// Called after every pass.
    ///
    /// * `film` — all samples so far.
    /// * `samples` — their number per pixel, or the mean if pixels have different numbers.
    fn pass(&self, _film: &Film, _samples: u32) {}
    /// Returns whether [`pass`](Self::pass) shall be called. A film in GPU memory is read back only if this
    /// is true.
    fn wants_passes(&self) -> bool {
        true
    }
    /// Returns whether the observer wants the state of the rendering now; asked after every tile.
    fn wants_state(&self) -> bool {
        false
    }
    /// Returns whether the observer wants the state at the end.
    fn wants_last_state(&self) -> bool {
        false
    }
    /// Called with a state that the observer wants.
    fn state(&self, _state: RenderState) {}
}

impl<F: Fn(&RenderProgress) + Sync> Observer for F {
    fn tile(&self, status: &RenderProgress) {
        self(status);
    }

    fn wants_passes(&self) -> bool {
        false
    }
}

/// Renders into `film`, which already holds the samples of the same view before `start`, usually none; `stop` counts
/// these, too. A film of a window of the image gets the pixels of the whole image there, bit for bit; algorithms whose
/// samples are frames need a film of the whole image. A film that is not in the view, or has other channels, is left
/// unchanged.
///
/// Runs in the current rayon pool. `cancel` is read before every tile.
pub fn render(
    view: &View<'_>,
    algorithm: &Algorithm,
    film: &mut Film,
    start: impl Into<RenderStart>,
    stop: &StopRules,
    schedule: &Schedule,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> RenderOutcome {
    let (start, started) = (start.into(), Instant::now());
    let first_sample = start.samples;
    let target = stop.target();
    let rays = Mutex::new(RayCount::default());
    let (mut samples, mut next) = (first_sample, first_sample);
    let mut noise = None;
    let mut stages = StageTimes::default();
    let mut vpls = 0;
    let goal = stop.noise.filter(|_| !algorithm.samples_are_frames());
    let mut adaptive = goal.and_then(|goal| start.plan(film, goal, target));

    while samples < target && !cancel.load(Ordering::Relaxed) {
        // Prepare the data that all tiles of the pass share
        let begun = Instant::now();
        let targets = adaptive.as_mut().and_then(|adaptive| adaptive.targets(film));
        if adaptive.as_ref().is_some_and(|adaptive| targets.is_some() && !adaptive.in_step(film)) {
            // No pixel may have more samples
            break;
        }
        let pass = Pass::next(view.world, &view.spec, algorithm, samples, target);
        let targets = targets.or_else(|| start.rest_of_pass(film, samples, samples + pass.samples));
        let prepared = PreparedPass::begin(schedule.level, view, pass);
        let Ok(assembly) = Assembly::new(pass, film, schedule.tile_size) else { break };
        let assembly = assembly.with_targets(targets.as_deref());
        // Samples per pixel after the pass: mean and maximum
        let (after, most) = match &targets {
            Some(targets) => mean_and_maximum(targets),
            None => (samples + pass.samples, samples + pass.samples),
        };
        let tiles: Vec<TileRect> = assembly.tiles().collect();
        let assembly = Mutex::new(assembly);
        vpls = prepared.vpl_count();
        stages.add(RenderStage::Lights, begun.elapsed());

        // Render tiles in any order; the time limit does not apply to the first pass
        let late = || samples > first_sample && stop.out_of_time(started.elapsed());
        let in_pass = AtomicU64::new(0);
        let (in_tiles, of_threads) = (Instant::now(), Mutex::new(StageTimes::default()));
        let note = |traced: RayCount| {
            let rays = {
                let mut rays = lock(&rays);
                *rays += traced;
                rays.total()
            };
            let part = (in_pass.fetch_add(1, Ordering::Relaxed) + 1) as f32 / tiles.len() as f32;
            let elapsed = started.elapsed();
            let reached = samples as f32 + part * (after - samples) as f32;
            let done = stop.share_done(reached, elapsed, samples, noise);
            observer.tile(&RenderProgress { elapsed, done, samples, noise, rays });
        };
        let compute = |worker: &mut Worker<'_>, &rect: &TileRect| -> Option<()> {
            if cancel.load(Ordering::Relaxed) || late() {
                return None;
            }
            let job = lock(&assembly).job(rect);
            let result = worker.compute(job).ok()?;
            *lock(&of_threads) += worker.take_times();
            note(result.rays());
            let mut assembly = lock(&assembly);
            assembly.add(result).ok()?;
            if observer.wants_state() {
                let start = RenderStart::within_pass(samples, adaptive.clone());
                let rays = *lock(&rays);
                observer.state(RenderState { film: assembly.film().clone(), start, rays });
            }
            Some(())
        };
        let computed = tiles.par_iter().map_init(|| prepared.worker(), compute);
        let complete = computed.all(|done| done.is_some());

        // Complete the film
        stages.add_parallel(&lock(&of_threads), in_tiles.elapsed());
        let ended = Instant::now();
        let assembly = assembly.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !complete || assembly.finish(schedule.level).is_err() {
            // If samples are frames, an incomplete frame adds nothing to the film; otherwise the finished
            // tiles are already in the film
            next = if algorithm.samples_are_frames() { samples } else { next.max(most) };
            break;
        }
        stages.add(RenderStage::Film, ended.elapsed());
        (samples, next) = (after, next.max(most));
        observer.pass(film, samples);
        let in_step = adaptive.as_ref().is_some_and(|adaptive| adaptive.in_step(film));
        if samples >= StopRules::LEAST_SAMPLES_FOR_NOISE && !in_step {
            noise = Some(film.noise());
        }
        if stop.clean(noise) || stop.out_of_time(started.elapsed()) {
            break;
        }
    }
    let ended = if cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
    let rays = *lock(&rays);
    if observer.wants_last_state() {
        let start = RenderStart::within_pass(samples, adaptive);
        observer.state(RenderState { film: film.clone(), start, rays });
    }
    RenderOutcome { ended, elapsed: started.elapsed(), rays, samples, next, stages, vpls }
}

/// Returns mean, rounded down, and maximum of numbers of samples.
fn mean_and_maximum(targets: &[u32]) -> (u32, u32) {
    let sum: u64 = targets.iter().map(|&n| u64::from(n)).sum();
    let mean = sum / targets.len().max(1) as u64;
    (u32::try_from(mean).unwrap_or(u32::MAX), targets.iter().copied().max().unwrap_or(0))
}

/// Locks a mutex and ignores poisoning: no holder of these locks panics, and the counts would still be valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
