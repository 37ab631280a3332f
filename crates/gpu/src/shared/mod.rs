//! One picture by the GPU and the processor together: each takes samples of all pixels, and both films are added up.
//!
//! Samples are the unit since they need nothing of each other: whoever does one makes it of the same random numbers. A GPU agrees with the processor
//! within the rounding of its arithmetic, so that a picture depends by as much on who did what.

mod share;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use sunfleck_image::Film;
use sunfleck_integrators::{
    Algorithm, Ended, Observer, Outcome, RayCount, Schedule, Status, StopRules, View, ViewSpec, render,
};
use sunfleck_math::Vec3;

use crate::{Gpu, GpuError, IgiRenderer, PathRenderer, SceneMirror, WhittedRenderer};
use share::Share;

/// Rendering by both.
#[derive(Debug)]
pub struct SharedRenderer<'a> {
    scene: &'a SceneMirror,
    view: View<'a>,
    algorithm: Algorithm,
    schedule: Schedule,
    twin: Twin,
}

/// What the GPU does it with.
#[derive(Debug)]
enum Twin {
    Path(Box<PathRenderer>),
    Whitted(Box<WhittedRenderer>, Vec3),
    Igi(Box<IgiRenderer>),
}

/// Who has done what.
#[derive(Clone, Debug)]
pub struct SharedOutcome {
    /// Of both.
    pub outcome: Outcome,
    /// Samples of each pixel that the GPU did.
    pub on_gpu: u32,
    /// Those that the processor did.
    pub on_processor: u32,
    /// Why the GPU gave up, if it did: the processor has done the rest.
    pub trouble: Option<GpuError>,
}

/// Where it is not known how many samples there will be, they are shared by rounds of so many, then twice as many, up to a limit.
const FIRST_ROUND: u32 = 32;
const LONGEST_ROUND: u32 = 1024;

impl<'a> SharedRenderer<'a> {
    /// * `scene` — the mirror of the world of `view`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(
        gpu: &Arc<Gpu>,
        scene: &'a SceneMirror,
        view: View<'a>,
        algorithm: &Algorithm,
        schedule: Schedule,
    ) -> Result<Self, GpuError> {
        let twin = match algorithm {
            Algorithm::Path(_) => Twin::Path(PathRenderer::new(gpu, scene)?.into()),
            Algorithm::Whitted(whitted) => {
                let ambient = whitted.ambient_light(schedule.level, &view);
                Twin::Whitted(WhittedRenderer::new(gpu, scene)?.into(), ambient)
            }
            Algorithm::Igi(_) => Twin::Igi(IgiRenderer::new(gpu, scene)?.into()),
        };
        Ok(Self { scene, view, algorithm: *algorithm, schedule, twin })
    }

    /// Renders into a film of the size and the channels of the view until a stop rule or `cancel` says enough. What the film held is replaced. Runs in
    /// the current rayon pool. If the GPU fails the processor goes on alone.
    pub fn render(
        &self,
        film: &mut Film,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> SharedOutcome {
        let start = Instant::now();
        film.clear();
        let is_counted = stop.noise.is_none() && stop.time.is_none();
        let (mut round, mut noise) = (if is_counted { stop.target() } else { FIRST_ROUND }, None);
        let mut done = Done::default();
        while done.samples() < stop.target() && !cancel.load(Ordering::Relaxed) {
            let count = round.min(stop.target() - done.samples());
            let watch = Watch { observer, cancel, stop, start, noise, before: &done, now: Now::default() };
            let (parts, of_round) = self.round(film, count, &watch);
            parts.iter().for_each(|part| film.add(part));
            done = done.and(of_round);
            observer.pass(film, done.samples());
            if stop.noise.is_some() && done.samples() >= StopRules::LEAST_SAMPLES_FOR_NOISE {
                noise = Some(film.noise());
            }
            if stop.clean(noise) || stop.out_of_time(start.elapsed()) {
                break;
            }
            round = (2 * round).min(LONGEST_ROUND);
        }
        let ended = if cancel.load(Ordering::Relaxed) { Ended::Cancelled } else { Ended::Done };
        let outcome = Outcome::new(ended, start.elapsed(), done.rays, done.samples());
        SharedOutcome { outcome, on_gpu: done.gpu, on_processor: done.processor, trouble: done.trouble }
    }

    /// So many more samples: films with them, and who did how many.
    fn round(&self, film: &Film, count: u32, watch: &Watch<'_>) -> (Vec<Film>, Done) {
        let first = watch.before.samples();
        let empty = || Film::new(film.width(), film.height(), film.aovs());
        let (share, mut of_gpu, mut of_processor) = (Share::new(count), empty(), empty());
        let mut done = Done::default();
        let gpu = if watch.before.trouble.is_some() {
            None
        } else {
            std::thread::scope(|scope| {
                let gpu = scope.spawn(|| self.on_gpu(&mut of_gpu, first..first + count, watch, &share));
                self.take(&share, first, &mut of_processor, watch, &mut done);
                Some(gpu.join().unwrap_or_else(|_| Err(GpuError::lost("its thread has ended"))))
            })
        };
        match gpu {
            Some(Ok(outcome)) => {
                done.gpu = outcome.samples;
                done.rays += outcome.rays;
                return (vec![of_gpu, of_processor], done);
            }
            Some(Err(error)) => done.trouble = Some(error),
            None => {}
        }
        // What the GPU has not done
        let left = if done.trouble.is_some() { share.of_processor() } else { count };
        let mut rest = empty();
        let outcome = self.on_processor(&mut rest, first..first + left, watch);
        done.processor += outcome.samples - first;
        done.rays += outcome.rays;
        (vec![rest, of_processor], done)
    }

    /// The processor's samples, one after the other.
    fn take(&self, share: &Share, first: u32, film: &mut Film, watch: &Watch<'_>, done: &mut Done) {
        let mut took = None;
        while !watch.now.halt.load(Ordering::Relaxed)
            && let Some(sample) = share.take(took)
        {
            let begun = Instant::now();
            let number = first + sample;
            let outcome = self.on_processor(film, number..number + 1, watch);
            done.rays += outcome.rays;
            done.processor += outcome.samples - number;
            watch.now.processor.store(done.processor, Ordering::Relaxed);
            watch.now.processor_rays.store(done.rays.total(), Ordering::Relaxed);
            took = Some(begun.elapsed());
        }
    }

    fn on_processor(&self, film: &mut Film, samples: Range<u32>, watch: &Watch<'_>) -> Outcome {
        let stop = StopRules { samples: Some(samples.end), ..StopRules::default() };
        let tile = |_: &Status| watch.look();
        let (view, halt) = (&self.view, &watch.now.halt);
        render(view, &self.algorithm, film, samples.start, &stop, &self.schedule, halt, &tile)
    }

    /// Those of some samples that the share gives out.
    fn on_gpu(
        &self,
        film: &mut Film,
        samples: Range<u32>,
        watch: &Watch<'_>,
        share: &Share,
    ) -> Result<Outcome, GpuError> {
        let Self { scene, view, twin, .. } = self;
        let spec = ViewSpec { aovs: film.aovs(), ..*view.spec() };
        let stop = StopRules { samples: Some(samples.end - samples.start), ..StopRules::default() };
        let (halt, heard) = (&watch.now.halt, &OfGpu(watch));
        match (twin, &self.algorithm) {
            (Twin::Path(renderer), Algorithm::Path(path)) => {
                renderer.picture(scene, &spec, path, samples)?.drive(film, &stop, halt, heard, Some(share))
            }
            (Twin::Whitted(renderer, ambient), Algorithm::Whitted(whitted)) => renderer
                .picture(scene, &spec, whitted, *ambient, samples)?
                .drive(film, &stop, halt, heard, Some(share)),
            (Twin::Igi(renderer), Algorithm::Igi(igi)) => {
                let (world, first) = (view.world(), samples.start);
                renderer.render_some(scene, world, &spec, igi, film, first, &stop, halt, heard, Some(share))
            }
            _ => Err(GpuError::Unsupported { what: "this algorithm" }),
        }
    }
}

/// What has been done.
#[derive(Clone, Debug, Default)]
struct Done {
    gpu: u32,
    processor: u32,
    rays: RayCount,
    trouble: Option<GpuError>,
}

impl Done {
    fn samples(&self) -> u32 {
        self.gpu + self.processor
    }

    fn and(mut self, more: Self) -> Self {
        self.gpu += more.gpu;
        self.processor += more.processor;
        self.rays += more.rays;
        Self { trouble: self.trouble.or(more.trouble), ..self }
    }
}

/// Tells the observer of both, and both when it is enough.
struct Watch<'a> {
    observer: &'a dyn Observer,
    cancel: &'a AtomicBool,
    stop: &'a StopRules,
    start: Instant,
    noise: Option<f32>,
    before: &'a Done,
    now: Now,
}

/// What both have done in this round.
#[derive(Default)]
struct Now {
    halt: AtomicBool,
    gpu: AtomicU32,
    gpu_rays: AtomicU64,
    processor: AtomicU32,
    processor_rays: AtomicU64,
}

impl Watch<'_> {
    fn look(&self) {
        let (now, load) = (&self.now, |count: &AtomicU32| count.load(Ordering::Relaxed));
        let measured_at = self.before.samples();
        let samples = measured_at + load(&now.gpu) + load(&now.processor);
        let elapsed = self.start.elapsed();
        if self.cancel.load(Ordering::Relaxed) || samples > 0 && self.stop.out_of_time(elapsed) {
            now.halt.store(true, Ordering::Relaxed);
        }
        let done = self.stop.share_done(samples as f32, elapsed, measured_at.max(1), self.noise);
        let traced = now.gpu_rays.load(Ordering::Relaxed) + now.processor_rays.load(Ordering::Relaxed);
        let rays = self.before.rays.total() + traced;
        self.observer.tile(&Status { elapsed, done, samples, noise: self.noise, rays });
    }
}

/// Hears of the GPU.
struct OfGpu<'a>(&'a Watch<'a>);

impl Observer for OfGpu<'_> {
    fn tile(&self, status: &Status) {
        self.0.now.gpu.store(status.samples, Ordering::Relaxed);
        self.0.now.gpu_rays.store(status.rays, Ordering::Relaxed);
        self.0.look();
    }

    fn looks(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Which;
    use sunfleck_integrators::path::PathTracer;
    use sunfleck_integrators::{ViewSpec, World};

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn the_processor_goes_on_without_a_gpu_that_fails() {
        let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
        let spec = ViewSpec::new(&world.cameras()[0].clone(), 16, 12);
        let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
        let scene = SceneMirror::new(&gpu, &world).unwrap();
        let (algorithm, schedule) = (Algorithm::Path(PathTracer::DEFAULT), Schedule::default());
        let view = View::new(&world, spec);
        let renderer = SharedRenderer::new(&gpu, &scene, view, &algorithm, schedule).unwrap();
        gpu.device.destroy();
        let (mut film, mut expected) = (Film::new(16, 12, spec.aovs), Film::new(16, 12, spec.aovs));
        let (go_on, nobody) = (AtomicBool::new(false), |_: &Status| ());
        let stop = StopRules { samples: Some(9), ..StopRules::default() };
        let done = renderer.render(&mut film, &stop, &go_on, &nobody);
        assert!(matches!(done.trouble, Some(GpuError::Lost { .. })), "{done:?}");
        assert_eq!((done.on_gpu, done.on_processor, done.outcome.samples), (0, 9, 9));
        render(&View::new(&world, spec), &algorithm, &mut expected, 0, &stop, &schedule, &go_on, &nobody);
        let (found, expected) = (film.radiance(), expected.radiance());
        for (found, expected) in found.pixels().iter().zip(expected.pixels()) {
            assert!(
                (*found - *expected).abs().max_element() <= 1e-6 * expected.max_element(),
                "{found} {expected}"
            );
        }
    }
}
