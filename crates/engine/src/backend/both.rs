//! Backend that renders an image on a GPU and the CPU together: each renders some samples of all pixels, and both films
//! are added. This file alone combines devices.
//!
//! Work is divided into samples since they are independent of each other: both devices compute a sample from the same
//! random numbers. The results of GPU and CPU agree up to rounding, and so do images whose samples were divided
//! differently.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use sunfleck_gpu::{GpuError, RenderRun};
use sunfleck_image::Film;
use sunfleck_integrators::{
    Algorithm, Observer, RayCount, RenderOutcome, RenderProgress, Schedule, StopReason, StopRules, View,
    World, render,
};

use super::gpu::OnGpu;
use super::interface::{Backend, FrameOrder};
use super::share::Share;
use crate::FrameRequest;
use crate::canvas::Accumulation;
use crate::job::{FrameObservers, Job};
use crate::ticket::{FrameResult, RenderedBy};

/// Backend of a GPU and the CPU. Steady frames are rendered by the GPU alone, since each reuses the previous one.
#[derive(Debug)]
pub(super) struct Both {
    gpu: OnGpu,
    /// Tile size and SIMD level on the CPU.
    schedule: Schedule,
}

/// Number of samples in the first round, if their total is unknown; each round doubles it, up to [`LONGEST_ROUND`].
const FIRST_ROUND: u32 = 32;
const LONGEST_ROUND: u32 = 1024;
/// Number of samples in a round of `igi`. It is small, so that a round that ends early skips few sample numbers: only
/// the first frames of an image are filtered.
const IGI_ROUND: u32 = 4;

impl Both {
    pub(super) fn new(gpu: OnGpu, schedule: Schedule) -> Self {
        Self { gpu, schedule }
    }

    /// Adds samples to a film, and returns how many each device rendered. Errors: those of the GPU; then the film is
    /// unchanged.
    fn round(
        &mut self,
        order: &FrameOrder<'_>,
        film: &mut Film,
        count: u32,
        watch: &Watch<'_>,
    ) -> Result<Done, GpuError> {
        let first = watch.before.first + watch.before.samples();
        let empty = || Film::new(film.width(), film.height(), film.aovs());
        let (share, mut gpu_film, mut cpu_film) = (Share::new(count), empty(), empty());
        let mut done = Done { first, ..Done::default() };
        let Self { gpu, schedule } = self;
        let outcome = std::thread::scope(|scope| {
            let gpu = scope.spawn(|| {
                let guard = HaltOnFailure(&watch.now.halt);
                let run = RenderRun {
                    samples: first..first + count,
                    stop: &StopRules { samples: Some(count), ..StopRules::default() },
                    cancel: &watch.now.halt,
                    observer: &GpuObserver(watch),
                    supply: Some(&share),
                };
                let outcome = gpu.samples(order, &mut gpu_film, &run)?;
                guard.disarm();
                Ok(outcome)
            });
            on_cpu(order, schedule, &share, first, &mut cpu_film, watch, &mut done);
            gpu.join().unwrap_or_else(|_| Err(GpuError::lost("its thread panicked")))
        })?;
        (done.gpu, done.vpls) = (outcome.samples, outcome.vpls);
        done.rays += outcome.rays;
        film.add(&gpu_film);
        film.add(&cpu_film);
        Ok(done)
    }
}

impl Backend for Both {
    fn gpu(&self) -> Option<Arc<str>> {
        self.gpu.gpu()
    }

    fn check(&self, frame: &FrameRequest, algorithm: &Algorithm) -> Result<(), GpuError> {
        self.gpu.check(frame, algorithm)
    }

    fn prepare(&mut self, world: &Arc<World>) -> Result<(), GpuError> {
        self.gpu.prepare(world)
    }

    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError> {
        let Job { world, frame, canvas, ticket } = order.job;
        if frame.steady {
            return self.gpu.render(order, work);
        }
        let start = Instant::now();
        let mut film = work.film_for(world, frame);
        let (before, stop) = (work.samples, order.rules(work.next));
        let is_counted = stop.noise.is_none() && stop.time.is_none();
        let longest = if order.algorithm.samples_are_frames() { IGI_ROUND } else { LONGEST_ROUND };
        let (mut round, mut noise) = (if is_counted { longest } else { FIRST_ROUND.min(longest) }, None);
        let mut done = Done { first: work.next, ..Done::default() };
        // If a round ends early, the sample numbers between those of both devices are skipped and never rendered
        let (mut failed, mut next) = (None, work.next);
        while done.all() < stop.target() && !ticket.cancel.load(Ordering::Relaxed) {
            let count = round.min(stop.target() - done.all());
            let watch = Watch {
                job: order.job,
                stop: &stop,
                start,
                noise,
                before: &done,
                now: RoundState::default(),
            };
            match self.round(order, &mut film, count, &watch) {
                Ok(added) => done = done.and(&added),
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            }
            next += count;
            canvas.show(&film, before + done.samples());
            if stop.noise.is_some() && done.all() >= StopRules::LEAST_SAMPLES_FOR_NOISE {
                noise = Some(film.noise());
            }
            if stop.clean(noise) || stop.out_of_time(start.elapsed()) {
                break;
            }
            round = round.saturating_mul(2).min(longest);
        }
        let ended =
            if ticket.cancel.load(Ordering::Relaxed) { StopReason::Cancelled } else { StopReason::Done };
        let by = RenderedBy { name: "GPU and CPU", gpu_samples: done.gpu };
        let outcome = RenderOutcome {
            vpls: done.vpls,
            next,
            ..RenderOutcome::new(ended, start.elapsed(), done.rays, done.all())
        };
        let result = work.return_film(film, order.algorithm, &outcome, by);
        failed.map_or(Ok(result), Err)
    }

    fn forget(&mut self) -> bool {
        self.gpu.forget()
    }
}

/// Renders the CPU's samples, one at a time.
fn on_cpu(
    &FrameOrder { job, algorithm, .. }: &FrameOrder<'_>,
    schedule: &Schedule,
    share: &Share,
    first: u32,
    film: &mut Film,
    watch: &Watch<'_>,
    done: &mut Done,
) {
    let view = View::new(&job.world, job.frame.view());
    let mut took = None;
    while !watch.now.halt.load(Ordering::Relaxed)
        && let Some(sample) = share.take(took)
    {
        let (begun, number) = (Instant::now(), first + sample);
        let stop = StopRules { samples: Some(number + 1), ..StopRules::default() };
        let tile = |_: &RenderProgress| watch.update();
        let outcome = render(&view, algorithm, film, number, &stop, schedule, &watch.now.halt, &tile);
        done.rays += outcome.rays;
        done.cpu += outcome.samples - number;
        watch.now.cpu.store(done.cpu, Ordering::Relaxed);
        watch.now.cpu_rays.store(done.rays.total(), Ordering::Relaxed);
        took = Some(begun.elapsed());
    }
}

/// Progress of a frame.
#[derive(Clone, Debug, Default)]
struct Done {
    /// Number of the first sample.
    first: u32,
    /// Samples rendered by the GPU.
    gpu: u32,
    /// Samples rendered by the CPU.
    cpu: u32,
    rays: RayCount,
    /// Virtual point lights per pass.
    vpls: usize,
}

impl Done {
    /// Returns how many samples were rendered.
    fn samples(&self) -> u32 {
        self.gpu + self.cpu
    }

    /// Returns the number after the last sample, not counting skipped ones.
    fn all(&self) -> u32 {
        self.first + self.samples()
    }

    /// Adds the progress of a round.
    fn and(mut self, more: &Self) -> Self {
        self.gpu += more.gpu;
        self.cpu += more.cpu;
        self.rays += more.rays;
        self.vpls = more.vpls;
        self
    }
}

/// Observer of both devices: reports their progress to the ticket, and halts them when a stop rule is met.
struct Watch<'a> {
    job: &'a Job,
    stop: &'a StopRules,
    start: Instant,
    noise: Option<f32>,
    /// Progress before this round.
    before: &'a Done,
    now: RoundState,
}

/// Progress of both devices in this round.
#[derive(Default)]
struct RoundState {
    halt: AtomicBool,
    gpu: AtomicU32,
    gpu_rays: AtomicU64,
    cpu: AtomicU32,
    cpu_rays: AtomicU64,
}

impl Watch<'_> {
    /// Checks the stop rules and reports the progress.
    fn update(&self) {
        let (now, load) = (&self.now, |count: &AtomicU32| count.load(Ordering::Relaxed));
        let measured_at = self.before.all();
        let samples = measured_at + load(&now.gpu) + load(&now.cpu);
        let elapsed = self.start.elapsed();
        let out_of_time = samples > self.before.first && self.stop.out_of_time(elapsed);
        if self.job.ticket.cancel.load(Ordering::Relaxed) || out_of_time {
            now.halt.store(true, Ordering::Relaxed);
        }
        let done = self.stop.share_done(samples as f32, elapsed, measured_at.max(1), self.noise);
        let traced = now.gpu_rays.load(Ordering::Relaxed) + now.cpu_rays.load(Ordering::Relaxed);
        let rays = self.before.rays.total() + traced;
        FrameObservers(self.job).tile(&RenderProgress { elapsed, done, samples, noise: self.noise, rays });
    }
}

/// Guard that halts the CPU if the GPU fails or panics: another backend then renders the frame again, and further
/// samples of the CPU would be wasted.
struct HaltOnFailure<'a>(&'a AtomicBool);

impl HaltOnFailure<'_> {
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for HaltOnFailure<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Observer of the GPU.
struct GpuObserver<'a>(&'a Watch<'a>);

impl Observer for GpuObserver<'_> {
    fn tile(&self, status: &RenderProgress) {
        self.0.now.gpu.store(status.samples, Ordering::Relaxed);
        self.0.now.gpu_rays.store(status.rays, Ordering::Relaxed);
        self.0.update();
    }

    fn wants_passes(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_gpu::{AdapterChoice, Gpu};

    use super::*;
    use crate::backend::InTurn;
    use crate::backend::cpu::OnCpu;
    use crate::{Budget, Canvas};

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn the_cpu_continues_when_the_gpu_fails() {
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let frame = FrameRequest {
            algorithm: Algorithm::ALL[0],
            budget: Budget::samples(9),
            ..FrameRequest::new(world.cameras()[0].clone(), 16, 12)
        };
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let schedule = Schedule::default();
        let both: Box<dyn Backend> =
            Box::new(Both::new(OnGpu::new(gpu.clone(), true, schedule.level), schedule));
        let mut backends = InTurn::new([both, Box::new(OnCpu::new(schedule))], None);
        let mut cpu = InTurn::new([Box::new(OnCpu::new(schedule)) as _], None);
        let render_frame = |backends: &mut InTurn| {
            let canvas = Canvas::new();
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            (ticket.wait(), canvas.film().unwrap().radiance())
        };
        let (result, _) = render_frame(&mut backends);
        assert_eq!((result.ended, result.samples), (StopReason::Done, 9));
        assert!((1..=9).contains(&result.by.gpu_samples), "{result:?}");
        gpu.destroy();
        let (result, found) = render_frame(&mut backends);
        assert_eq!((result.ended, result.samples, result.by), (StopReason::Done, 9, RenderedBy::PROCESSOR));
        let trouble = backends.health().trouble();
        assert!(matches!(trouble, Some(GpuError::Lost { .. })), "{trouble:?}");
        let (_, expected) = render_frame(&mut cpu);
        assert_eq!(found.pixels(), expected.pixels(), "samples of the failed round are not counted");
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn frames_that_end_early_render_no_sample_twice() {
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let camera = world.cameras()[0].clone();
        let schedule = Schedule::default();
        let gpu = OnGpu::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()), true, schedule.level);
        let both: Box<dyn Backend> = Box::new(Both::new(gpu, schedule));
        let mut backends = InTurn::new([both], None);
        let canvas = Canvas::new();
        let mut before = 0;
        for round in 1..=3 {
            // Less time than a sample takes, so that a round of 32 ends early
            let budget = Budget::time(std::time::Duration::from_nanos(1));
            let frame = FrameRequest {
                algorithm: Algorithm::ALL[0],
                budget,
                ..FrameRequest::new(camera.clone(), 64, 64)
            };
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            let (result, work) = (ticket.wait(), canvas.work());
            assert!((before + 1..32 * round).contains(&result.samples), "{result:?}");
            assert_eq!(
                (work.samples, work.next),
                (result.samples, 32 * round),
                "sample numbers that were assigned"
            );
            // A pixel may have one more sample, from a pass that was interrupted
            assert!(work.sums().unwrap().samples(5, 5) >= result.samples, "{result:?}");
            before = result.samples;
        }
    }
}
