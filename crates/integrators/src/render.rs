//! The driver: passes over tiles until a stop rule says enough.
//!
//! A pass adds a few samples to every pixel; within a pass, tiles are rendered in parallel and in any order. A tile's
//! sums are a function of the samples added to it, so the picture depends on the number of samples alone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_image::{Film, TileRect};
use sunfleck_math::{Vec2, Vec3};

use crate::algorithm::Algorithm;
use crate::igi::{Frame, Scratch, TileLight};
use crate::view::{RayCount, TileSamples, View};
use crate::whitted::ambient;

/// When to stop; whichever comes first. Without any, [`StopRules::samples`] counts as [`DEFAULT_SAMPLES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopRules {
    /// After this many samples per pixel.
    pub samples: Option<u32>,
    /// After this much time; the first pass is always completed.
    pub time: Option<Duration>,
    /// When the mean relative standard error of the pixels is at most this (see [`Film::noise`]).
    pub noise: Option<f32>,
}

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
pub enum Ended {
    /// A stop rule was met.
    Done,
    /// Cancelled from outside: some pixels may have fewer samples than others, or none.
    Cancelled,
}

/// What a rendering did.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ended: Ended,
    /// Of the rendering itself.
    pub elapsed: Duration,
    /// Rays traced.
    pub rays: RayCount,
    /// Samples per pixel of the completed passes.
    pub samples: u32,
    /// Of [`Outcome::elapsed`], the part in which no tile was worked on: VPLs, filter, film.
    pub outside: Duration,
}

/// Samples per pixel when no stop rule says otherwise.
pub const DEFAULT_SAMPLES: u32 = 32;
/// Fewer samples than this say too little about their own variance.
const LEAST_SAMPLES_FOR_NOISE: u32 = 16;
/// A pass adds at most this many samples per pixel: 32 × 32 pixels make a stream of 4096 paths, which stays in cache.
const MOST_SAMPLES_PER_PASS: u32 = 4;

/// Who wants to know how a rendering goes on. Closures that take a [`Status`] are observers of tiles.
pub trait Observer: Sync {
    /// After every tile.
    fn tile(&self, status: &Status);
    /// After every pass, with all samples so far.
    fn pass(&self, _film: &Film, _samples: u32) {}
}

impl<F: Fn(&Status) + Sync> Observer for F {
    fn tile(&self, status: &Status) {
        self(status);
    }
}

/// Renders into `film`, which already holds `first_sample` samples of the same view, usually none; `stop` is about all of
/// them.
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
    let size = Vec2::new(film.width() as f32, film.height() as f32);
    let ambient = match algorithm {
        Algorithm::Path(_) | Algorithm::Igi(_) => Vec3::ZERO,
        Algorithm::Whitted(_) => dispatch!(schedule.level, simd => ambient::estimate(simd, view, size)),
    };
    let target = match *stop {
        StopRules { samples: None, time: None, noise: None } => DEFAULT_SAMPLES,
        StopRules { samples, .. } => samples.unwrap_or(u32::MAX),
    };
    let (width, height) = (film.width(), film.height());
    let tiles = tiles(width, height, tile_size(algorithm, schedule));
    let rays = Mutex::new(RayCount::default());
    let mut samples = first_sample;
    let mut noise = None;
    let mut outside = Duration::ZERO;

    while samples < target && !cancel.load(Ordering::Relaxed) {
        let count = match algorithm {
            Algorithm::Igi(_) => 1,
            Algorithm::Path(_) | Algorithm::Whitted(_) => {
                samples.clamp(1, MOST_SAMPLES_PER_PASS).min(target - samples)
            }
        };
        let out_of_time =
            || samples > first_sample && stop.time.is_some_and(|limit| start.elapsed() >= limit);
        let stopped = || cancel.load(Ordering::Relaxed) || out_of_time();
        let in_pass = AtomicU64::new(0);
        let note = |traced: RayCount| {
            let rays = {
                let mut rays = lock(&rays);
                *rays += traced;
                rays.total()
            };
            let part = (in_pass.fetch_add(1, Ordering::Relaxed) + 1) as f32 / tiles.len() as f32;
            let elapsed = start.elapsed();
            let reached = samples as f32 + part * count as f32;
            let done = share_done(stop, target, reached, elapsed, samples, noise);
            observer.tile(&Status { elapsed, done, samples, noise, rays });
        };
        let complete = if let Algorithm::Igi(igi) = algorithm {
            let begun = Instant::now();
            let frame = Frame::begin(schedule.level, view, *igi, samples, [width, height]);
            outside += begun.elapsed();
            let light = |scratch: &mut Scratch, &rect: &TileRect| -> Option<TileLight> {
                if stopped() {
                    return None;
                }
                let light = frame.tile(schedule.level, rect, scratch);
                note(light.rays());
                Some(light)
            };
            let lights: Option<Vec<TileLight>> = tiles.par_iter().map_init(Scratch::default, light).collect();
            let ended = Instant::now();
            let fits = lights.is_some_and(|lights| frame.finish(schedule.level, &lights, film));
            outside += ended.elapsed();
            fits
        } else {
            let shared = Mutex::new(&mut *film);
            let render = |&rect: &TileRect| {
                if stopped() {
                    return false;
                }
                let job = TileSamples { rect, samples: samples..samples + count };
                let mut tile = lock(&shared).tile(rect);
                note(dispatch!(schedule.level, simd => match algorithm {
                    Algorithm::Path(path) => path.render(simd, view, &job, &mut tile),
                    Algorithm::Whitted(whitted) => whitted.render(simd, view, ambient, &job, &mut tile),
                    Algorithm::Igi(_) => RayCount::default(),
                }));
                lock(&shared).put(tile).is_ok()
            };
            tiles.par_iter().map(render).reduce(|| true, |a, b| a & b)
        };
        if !complete {
            break;
        }
        samples += count;
        observer.pass(film, samples);
        if samples >= LEAST_SAMPLES_FOR_NOISE {
            noise = Some(film.noise());
        }
        let clean = stop.noise.zip(noise).is_some_and(|(goal, noise)| noise <= goal);
        let late = stop.time.is_some_and(|limit| start.elapsed() >= limit);
        if clean || late {
            break;
        }
    }
    let ended = if cancel.load(Ordering::Relaxed) { Ended::Cancelled } else { Ended::Done };
    let rays = *lock(&rays);
    Outcome { ended, elapsed: start.elapsed(), rays, samples, outside }
}

/// The largest share over all stop rules. Noise falls with the square root of the samples, so the samples still needed
/// follow from the noise measured.
fn share_done(
    stop: &StopRules,
    target: u32,
    reached: f32,
    elapsed: Duration,
    measured_at: u32,
    noise: Option<f32>,
) -> f32 {
    let by_samples = reached / target as f32;
    let by_time = stop.time.map_or(0.0, |limit| elapsed.as_secs_f32() / limit.as_secs_f32().max(1e-3));
    let by_noise = match (stop.noise, noise) {
        (Some(goal), Some(noise)) => {
            reached / (measured_at as f32 * (noise / goal) * (noise / goal)).max(1.0)
        }
        _ => 0.0,
    };
    by_samples.max(by_time).max(by_noise).clamp(0.0, 1.0)
}

/// Edge of the tiles, pixels.
fn tile_size(algorithm: &Algorithm, schedule: &Schedule) -> u32 {
    match algorithm {
        Algorithm::Igi(igi) => igi.tile_size(),
        Algorithm::Path(_) | Algorithm::Whitted(_) => schedule.tile_size.max(1),
    }
}

/// Squares over the film, row by row; those at the right and lower border are cut.
fn tiles(width: u32, height: u32, size: u32) -> Vec<TileRect> {
    let starts = |extent: u32| (0..extent).step_by(size as usize);
    starts(height)
        .flat_map(|y0| {
            starts(width).map(move |x0| TileRect {
                x0,
                y0,
                x1: x0.saturating_add(size).min(width),
                y1: y0.saturating_add(size).min(height),
            })
        })
        .collect()
}

/// Nothing that holds these locks panics; if it did, the counts are still good.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
