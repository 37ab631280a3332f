use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, GpuError, Renderer};
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, Ended, RayCount, StopRules, World};

use crate::canvas::Work;
use crate::device::Health;
use crate::job::{Audience, Job};
use crate::ticket::Shot;
use crate::walk::Walks;

/// Pictures that take long are shown so often.
const LOOK: Duration = Duration::from_millis(250);

/// The GPU's part of an engine.
#[derive(Debug)]
pub(crate) struct OnGpu {
    /// `None`: it has failed for good, or there never was one.
    renderer: Option<Renderer>,
    walks: Walks,
    health: Health,
    /// What it has refused: the same is not asked for again.
    refused: Option<(Weak<World>, Request, GpuError)>,
}

/// What a GPU may refuse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    algorithm: Algorithm,
    aovs: AovSet,
    size: [u32; 2],
}

impl OnGpu {
    pub(crate) fn new(gpu: Option<Arc<Gpu>>, health: Health) -> Self {
        Self { renderer: gpu.map(Renderer::of_changes), walks: Walks::default(), health, refused: None }
    }

    /// Renders a frame; `None`: the processor has to, and what is on the canvas is as it was.
    ///
    /// * `algorithm` — of the frame, within its time.
    pub(crate) fn render(
        &mut self,
        job: &Job,
        work: &mut Work,
        algorithm: &Algorithm,
        level: Level,
    ) -> Option<Shot> {
        let renderer = self.renderer.as_mut()?;
        let Job { world, frame, .. } = job;
        let request = Request { algorithm: *algorithm, aovs: frame.aovs, size: [frame.width, frame.height] };
        let is_refused = |(of, r, _): &&(Weak<World>, Request, GpuError)| {
            of.as_ptr() == Arc::as_ptr(world) && *r == request
        };
        let made = match self.refused.as_ref().filter(is_refused) {
            Some((_, _, why)) => Err(why.clone()),
            None => match render(renderer, &mut self.walks, job, work, algorithm, level) {
                // Memory that is kept for what may come is worth less than this frame
                Err(GpuError::OutOfMemory { .. }) if self.walks.forget() => {
                    render(renderer, &mut self.walks, job, work, algorithm, level)
                }
                made => made,
            },
        };
        match made {
            Ok(shot) => {
                self.health.well();
                Some(shot)
            }
            Err(error) => {
                let gone = matches!(error, GpuError::Lost { .. } | GpuError::Shader { .. });
                if gone {
                    self.renderer = None;
                    self.walks.forget();
                }
                self.health.ill(error.clone(), gone);
                self.refused = Some((Arc::downgrade(world), request, error));
                None
            }
        }
    }
}

fn render(
    renderer: &mut Renderer,
    walks: &mut Walks,
    job: &Job,
    work: &mut Work,
    algorithm: &Algorithm,
    level: Level,
) -> Result<Shot, GpuError> {
    let frame = &job.frame;
    if let (Algorithm::Igi(igi), true, AovSet::EMPTY) = (algorithm, frame.steady, frame.aovs) {
        return walks.show(renderer, job, work, igi);
    }
    add(renderer, job, work, algorithm, level)
}

/// Adds samples to the picture of a canvas, and shows it from time to time.
fn add(
    renderer: &mut Renderer,
    job: &Job,
    work: &mut Work,
    algorithm: &Algorithm,
    level: Level,
) -> Result<Shot, GpuError> {
    let start = Instant::now();
    let Job { world, frame, canvas, ticket } = job;
    let held = renderer.hold(world)?;
    let spec = frame.view();
    work.live_for(world, frame, held, |first| renderer.live(world, &spec, algorithm, level, first))?;
    let rules = frame.budget.rules(work.samples);
    let noise_of = |work: &Work| rules.noise.and_then(|_| work.sums()).map(|film| film.noise());
    let (mut noise, mut rays) = (noise_of(work), RayCount::default());
    loop {
        let left = rules.time.map(|time| time.saturating_sub(start.elapsed()));
        let slice = StopRules {
            samples: Some(rules.next_look(work.samples, noise)),
            time: Some(left.map_or(LOOK, |left| left.min(LOOK))),
            noise: None,
        };
        let begin = |first| renderer.live(world, &spec, algorithm, level, first);
        let live = work.live_for(world, frame, held, begin)?;
        let outcome = live.add(&slice, &ticket.cancel, &Audience(job))?;
        rays += outcome.rays;
        let shot = work.gained(algorithm, &outcome);
        if let Some(picture) = work.picture().filter(|_| shot.samples > 0) {
            canvas.show_picture(Arc::new(picture), shot.samples);
        }
        noise = noise_of(work);
        let is_enough = shot.samples >= rules.target() || rules.out_of_time(start.elapsed());
        if shot.ended == Ended::Cancelled || is_enough || rules.clean(noise) {
            return Ok(Shot { rays, elapsed: start.elapsed(), ..shot });
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use sunfleck_gpu::Which;
    use sunfleck_integrators::Schedule;
    use sunfleck_integrators::path::PathTracer;

    use super::*;
    use crate::device::Who;
    use crate::ticket::Ticket;
    use crate::{Canvas, Frame};

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn the_processor_goes_on_when_the_gpu_is_lost() {
        let world = crate::World::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let frame = Frame::new(world.cameras()[0].clone(), 16, 12);
        let canvas = Canvas::new();
        let schedule = Schedule { tile_size: 32, level: Level::new() };
        let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
        let health = Health::new(Some(&gpu), None);
        let mut on_gpu = OnGpu::new(Some(gpu.clone()), health.clone());
        for (steady, samples, by) in [
            (false, 1, Who::Gpu),
            // Samples on a GPU that is lost are lost
            (false, 1, Who::Processor),
            (false, 2, Who::Processor),
            (true, 1, Who::Processor),
        ] {
            if by == Who::Processor {
                gpu.give_up();
            }
            let (ticket, shared) = Ticket::new();
            let (world, canvas) = (world.committed().clone(), canvas.clone());
            let frame = Frame { steady, ..frame.clone() };
            Job { world, frame, canvas, ticket: shared }.run(&schedule, &mut on_gpu);
            let shot = ticket.wait();
            assert_eq!((shot.ended, shot.samples, shot.by), (Ended::Done, samples, by));
        }
        assert!(matches!(health.trouble(), Some(GpuError::Lost { .. })), "{:?}", health.trouble());
        assert!(health.name().is_none() && canvas.picture().is_some(), "there is no GPU any more");
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn what_a_gpu_refuses_is_left_to_the_processor_and_not_asked_for_again() {
        let world = crate::World::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let small = Frame::new(world.cameras()[0].clone(), 16, 12);
        // Sums of more bytes than a binding has on any GPU
        let huge = Frame { width: 65_535, height: 4096, ..small.clone() };
        let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
        let health = Health::new(Some(&gpu), None);
        let mut on_gpu = OnGpu::new(Some(gpu), health.clone());
        let path = Algorithm::Path(PathTracer::DEFAULT);
        for (frame, refused) in [(&huge, true), (&huge, true), (&small, false), (&huge, true)] {
            let (_ticket, shared) = Ticket::new();
            let (world, canvas) = (world.committed().clone(), Canvas::new());
            let job = Job { world, frame: frame.clone(), canvas: canvas.clone(), ticket: shared };
            let shot = on_gpu.render(&job, &mut canvas.work(), &path, Level::new());
            assert_eq!(shot.is_none(), refused, "{frame:?}");
            let is_too_large = matches!(health.trouble(), Some(GpuError::TooLarge { .. }));
            assert!(is_too_large == refused && health.name().is_some(), "{:?}", health.trouble());
        }
    }
}
