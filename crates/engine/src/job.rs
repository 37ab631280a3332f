use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use sunfleck_image::Film;
use sunfleck_integrators::{
    Algorithm, Ended, Observer, RayCount, Schedule, StageTimes, Status, View, World, render,
};

use crate::canvas::{Canvas, Work};
use crate::device::Who;
use crate::frame::Frame;
use crate::on_gpu::OnGpu;
use crate::ticket::{Shared, Shot};

/// A frame that waits for its turn.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) world: Arc<World>,
    pub(crate) frame: Frame,
    pub(crate) canvas: Canvas,
    pub(crate) ticket: Arc<Shared>,
}

/// Tells the ticket and the canvas.
pub(crate) struct Audience<'a>(pub(crate) &'a Job);

impl Observer for Audience<'_> {
    fn tile(&self, status: &Status) {
        self.0.ticket.note(status);
    }

    fn pass(&self, film: &Film, samples: u32) {
        self.0.canvas.show(film, samples);
    }
}

impl Job {
    /// Renders. Runs in the current rayon pool.
    pub(crate) fn run(&self, schedule: &Schedule, gpu: &mut OnGpu) {
        self.guard(|| self.render(schedule, gpu));
    }

    /// Whatever becomes of the frame, the ticket hears of it: who waits for one would wait for ever otherwise.
    fn guard(&self, render: impl FnOnce() -> Shot) {
        // What a panic leaves half done is thrown away below, so nobody sees it
        let shot = catch_unwind(AssertUnwindSafe(render)).unwrap_or_else(|_| {
            *self.canvas.work() = Work::default();
            Shot {
                ended: Ended::Failed,
                samples: 0,
                rays: RayCount::default(),
                elapsed: Duration::ZERO,
                stages: StageTimes::default(),
                vpls: 0,
                by: Who::Processor,
            }
        });
        self.ticket.finish(shot);
    }

    fn render(&self, schedule: &Schedule, gpu: &mut OnGpu) -> Shot {
        let Self { frame, canvas, .. } = self;
        let mut work = canvas.work();
        let pixels = u64::from(frame.width) * u64::from(frame.height);
        let algorithm = work.pace.fit(&frame.algorithm, pixels, frame.budget.time);
        match gpu.render(self, &mut work, &algorithm, schedule.level) {
            Some(shot) => shot,
            None => self.on_processor(&mut work, &algorithm, schedule),
        }
    }

    fn on_processor(&self, work: &mut Work, algorithm: &Algorithm, schedule: &Schedule) -> Shot {
        let Self { world, frame, ticket, .. } = self;
        let mut film = work.film_for(world, frame);
        let (first, cancel) = (work.samples, &ticket.cancel);
        let rules = frame.budget.rules(first);
        let view = View::new(world, frame.view());
        let view = if frame.steady { view.with_memory(&work.memory) } else { view };
        let outcome = render(&view, algorithm, &mut film, first, &rules, schedule, cancel, &Audience(self));
        work.landed(film, algorithm, &outcome)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;
    use crate::device::Health;
    use crate::ticket::Ticket;

    #[test]
    fn a_renderer_that_panics_leaves_no_ticket_waiting_and_no_half_picture() {
        let world = crate::World::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let frame = Frame::new(world.cameras()[0].clone(), 16, 16);
        let canvas = Canvas::new();
        let job = || {
            let (ticket, shared) = Ticket::new();
            let job = Job {
                world: world.committed().clone(),
                frame: frame.clone(),
                canvas: canvas.clone(),
                ticket: shared,
            };
            (ticket, job)
        };
        let schedule = Schedule { tile_size: 32, level: Level::new() };
        let mut nobody = OnGpu::new(None, Health::default());
        let (ticket, first) = job();
        first.run(&schedule, &mut nobody);
        assert_eq!((ticket.wait().ended, canvas.film().is_some()), (Ended::Done, true));

        let (ticket, broken) = job();
        broken.guard(|| {
            // As it is while a frame is rendered: the canvas is locked
            let _work = broken.canvas.work();
            panic!("a test of what happens then");
        });
        assert_eq!(ticket.wait().ended, Ended::Failed);
        assert!(canvas.film().is_none(), "sums that may be half of a pass are gone");

        let (ticket, again) = job();
        again.run(&schedule, &mut nobody);
        assert_eq!((ticket.wait().ended, ticket.wait().samples), (Ended::Done, 1), "the next one is as good");
    }
}
