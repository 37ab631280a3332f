use std::sync::Arc;
use std::time::{Duration, Instant};

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, GpuError, RenderRun, Renderer};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::{Algorithm, RayCount, RenderOutcome, StopReason, StopRules, World};

use super::interface::{Backend, FrameOrder};
use super::sequences::TemporalSequences;
use super::steady::render_steady;
use crate::FrameRequest;
use crate::canvas::Accumulation;
use crate::job::{FrameObservers, Job};
use crate::ticket::{FrameResult, RenderedBy};

/// Initial interval at which an interactive engine reads back and shows the image of a long rendering.
const INTERACTIVE_INTERVAL: Duration = Duration::from_millis(250);
/// Initial interval of an engine whose worlds are not edited. It is longer since the GPU is idle during a read-back.
const BATCH_INTERVAL: Duration = Duration::from_secs(4);
/// The interval grows to the elapsed time divided by this number.
const INTERVAL_DIVISOR: u32 = 8;

/// Backend of one GPU. The samples of an image stay on the GPU from frame to frame.
#[derive(Debug)]
pub(super) struct OnGpu {
    renderer: Renderer,
    /// Number under which the renderer holds the world.
    held: u64,
    sequences: TemporalSequences,
    /// Initial interval between read-backs of the image.
    interval: Duration,
    /// SIMD level of computations that prepare frames on the CPU.
    level: Level,
}

impl OnGpu {
    /// Returns a backend of an open GPU.
    ///
    /// * `changes` — whether worlds are edited while they are shown.
    pub(super) fn new(gpu: Arc<Gpu>, changes: bool, level: Level) -> Self {
        let renderer = if changes { Renderer::for_changing_worlds(gpu) } else { Renderer::new(gpu) };
        let interval = if changes { INTERACTIVE_INTERVAL } else { BATCH_INTERVAL };
        Self { renderer, held: 0, sequences: TemporalSequences::default(), interval, level }
    }

    /// Renders samples onto a separate film.
    pub(super) fn samples(
        &mut self,
        &FrameOrder { job, algorithm, .. }: &FrameOrder<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError> {
        self.renderer.render(&job.world, &job.frame.view(), algorithm, self.level, film, run)
    }
}

impl Backend for OnGpu {
    fn gpu(&self) -> Option<Arc<str>> {
        Some(self.renderer.gpu().adapter().name.as_str().into())
    }

    fn check(&self, frame: &FrameRequest, algorithm: &Algorithm) -> Result<(), GpuError> {
        if frame.window.is_some() {
            return Err(GpuError::Unsupported { what: "crop windows" });
        }
        Renderer::check(&frame.view(), algorithm)
    }

    fn prepare(&mut self, world: &Arc<World>) -> Result<(), GpuError> {
        self.held = self.renderer.hold(world)?;
        Ok(())
    }

    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError> {
        let Self { renderer, sequences, held, interval, level } = self;
        let &FrameOrder { job, algorithm, .. } = order;
        if job.frame.steady
            && job.frame.aovs == AovSet::EMPTY
            && let Some(result) = sequences.show(renderer, *held, job, work, algorithm, *level)?
        {
            return Ok(result);
        }
        if job.frame.steady {
            return render_steady(renderer, order, work, *level);
        }
        add(renderer, *held, order, work, *interval, *level)
    }

    fn forget(&mut self) -> bool {
        self.sequences.forget()
    }
}

/// Adds samples to the image of a canvas, and shows it at intervals.
fn add(
    renderer: &mut Renderer,
    held: u64,
    order: &FrameOrder<'_>,
    work: &mut Accumulation,
    interval: Duration,
    level: Level,
) -> Result<FrameResult, GpuError> {
    let &FrameOrder { job, algorithm, .. } = order;
    let Job { world, frame, canvas, ticket } = job;
    let spec = frame.view();
    work.live_for(world, frame, held, |first| renderer.live(world, &spec, algorithm, level, first))?;
    // The time of compiling shaders is not counted
    let start = Instant::now();
    let (first, rules) = (work.next, order.rules(work.next));
    let noise_of = |work: &Accumulation| rules.noise.and_then(|_| work.sums()).map(|film| film.noise());
    let (mut noise, mut rays) = (noise_of(work), RayCount::default());
    loop {
        let interval = interval.max(start.elapsed() / INTERVAL_DIVISOR);
        let left = rules.time.map(|time| time.saturating_sub(start.elapsed()));
        let slice = StopRules {
            samples: Some(rules.next_look(work.next, noise)),
            time: Some(left.map_or(interval, |left| left.min(interval))),
            noise: None,
        };
        let begin = |first| renderer.live(world, &spec, algorithm, level, first);
        let live = work.live_for(world, frame, held, begin)?;
        let outcome = live.add(&slice, &ticket.cancel, &FrameObservers(job))?;
        rays += outcome.rays;
        let result = work.record_live(algorithm, &outcome);
        if let Some(picture) = work.picture().filter(|_| result.samples > 0) {
            canvas.show_picture(Arc::new(picture), result.samples);
        }
        noise = noise_of(work);
        let is_enough = work.next >= rules.target() || rules.out_of_time(start.elapsed());
        if result.ended == StopReason::Cancelled || is_enough || rules.clean(noise) {
            let by = RenderedBy { gpu_samples: work.next - first, ..result.by };
            return Ok(FrameResult { rays, elapsed: start.elapsed(), by, ..result });
        }
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_gpu::AdapterChoice;
    use sunfleck_integrators::Schedule;
    use sunfleck_integrators::path::PathTracer;

    use super::*;
    use crate::Canvas;
    use crate::backend::InTurn;
    use crate::backend::cpu::OnCpu;

    fn backends(gpu: &Arc<Gpu>) -> InTurn {
        let schedule = Schedule::default();
        let gpu: Box<dyn Backend> = Box::new(OnGpu::new(gpu.clone(), true, schedule.level));
        InTurn::new([gpu, Box::new(OnCpu::new(schedule))], None)
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn the_cpu_continues_when_the_gpu_is_lost() {
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let frame = FrameRequest::new(world.cameras()[0].clone(), 16, 12);
        let canvas = Canvas::new();
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let mut backends = backends(&gpu);
        for (steady, samples, by) in [
            (false, 1, "GPU"),
            // The samples on the GPU are lost with it
            (false, 1, "CPU"),
            (false, 2, "CPU"),
            (true, 1, "CPU"),
        ] {
            if by == "CPU" {
                gpu.destroy();
            }
            let frame = FrameRequest { steady, ..frame.clone() };
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            let result = ticket.wait();
            assert_eq!((result.ended, result.samples, result.by.name), (StopReason::Done, samples, by));
        }
        let trouble = backends.health().trouble();
        assert!(matches!(trouble, Some(GpuError::Lost { .. })), "{trouble:?}");
        let name = backends.health().name();
        assert!(name.is_none() && canvas.picture().is_some(), "there is no GPU any more");
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn images_too_large_for_the_gpu_are_refused() {
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let small = FrameRequest {
            algorithm: PathTracer { max_bounces: 0, ..PathTracer::DEFAULT }.into(),
            ..FrameRequest::new(world.cameras()[0].clone(), 16, 12)
        };
        // A film of more bytes than any GPU can bind
        let huge = FrameRequest { width: 65_535, height: 4096, ..small.clone() };
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let mut gpu = OnGpu::new(gpu, true, Schedule::default().level);
        for (frame, refused) in [(&huge, true), (&small, false), (&huge, true)] {
            let canvas = Canvas::new();
            let (_ticket, job) = Job::new(world.committed(), frame, &canvas);
            gpu.prepare(&job.world).unwrap();
            let order =
                FrameOrder { job: &job, algorithm: &frame.algorithm, begun: Instant::now(), first: 0 };
            let result = gpu.render(&order, &mut canvas.work());
            let is_too_large = matches!(result, Err(GpuError::TooLarge { .. }));
            assert_eq!(is_too_large, refused, "{frame:?}: {result:?}");
        }
    }
}
