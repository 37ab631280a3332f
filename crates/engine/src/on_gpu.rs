use std::sync::{Arc, Weak};

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, GpuError, Renderer};
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, World};

use crate::canvas::Work;
use crate::device::{Health, Who};
use crate::job::{Audience, Job};
use crate::ticket::Shot;
use crate::walk::Walks;

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
        Self { renderer: gpu.map(Renderer::new), walks: Walks::default(), health, refused: None }
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
    let Job { world, frame, ticket, .. } = job;
    if let (Algorithm::Igi(igi), true, AovSet::EMPTY) = (algorithm, frame.steady, frame.aovs) {
        return walks.show(renderer, job, work, igi);
    }
    let mut film = work.film_for(world, frame);
    let (first, spec, cancel) = (work.samples, frame.view(), &ticket.cancel);
    let rules = frame.budget.rules(first);
    let audience = Audience(job);
    let done = renderer.render(world, &spec, algorithm, level, &mut film, first, &rules, cancel, &audience);
    match done {
        Ok(outcome) => Ok(work.landed(film, algorithm, &outcome, Who::Gpu)),
        Err(error) => {
            work.keep(film);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use sunfleck_gpu::Which;
    use sunfleck_integrators::{Ended, Schedule};

    use super::*;
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
            (false, 2, Who::Processor),
            (false, 3, Who::Processor),
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
}
