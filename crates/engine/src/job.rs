use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use sunfleck_image::Film;
use sunfleck_integrators::{
    Ended, Observer, Outcome, RayCount, Schedule, StageTimes, Status, View, World, render,
};

use crate::canvas::{Canvas, Work};
use crate::frame::Frame;
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
struct Audience<'a>(&'a Job);

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
    pub(crate) fn run(&self, schedule: &Schedule) {
        self.guard(|| self.render(schedule));
    }

    /// Whatever becomes of the frame, the ticket hears of it: who waits for one would wait for ever otherwise.
    fn guard(&self, render: impl FnOnce() -> Option<Shot>) {
        // What a panic leaves half done is thrown away below, so nobody sees it
        let shot = catch_unwind(AssertUnwindSafe(render)).ok().flatten().unwrap_or_else(|| {
            *self.canvas.work() = Work::default();
            Shot {
                ended: Ended::Failed,
                samples: 0,
                rays: RayCount::default(),
                elapsed: Duration::ZERO,
                stages: StageTimes::default(),
                vpls: 0,
            }
        });
        self.ticket.finish(shot);
    }

    fn render(&self, schedule: &Schedule) -> Option<Shot> {
        let Self { world, frame, canvas, ticket } = self;
        let mut work = canvas.work();
        work.turn_to(world, frame);
        let (pace, first) = (work.pace, work.samples);
        let Work { film: Some(film), memory, .. } = &mut *work else { return None };
        let pixels = u64::from(film.width()) * u64::from(film.height());
        let algorithm = pace.fit(&frame.algorithm, pixels, frame.budget.time);
        let view = View::new(world, frame.view());
        let view = if frame.steady { view.with_memory(memory) } else { view };
        let rules = frame.budget.rules(first);
        let outcome =
            render(&view, &algorithm, film, first, &rules, schedule, &ticket.cancel, &Audience(self));
        work.samples = outcome.samples;
        work.pace.learn(&algorithm, pixels, outcome.samples - first, outcome.elapsed);
        let Outcome { ended, samples, rays, elapsed, stages, vpls, .. } = outcome;
        Some(Shot { ended, samples, rays, elapsed, stages, vpls })
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;
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
        let (ticket, first) = job();
        first.run(&schedule);
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
        again.run(&schedule);
        assert_eq!((ticket.wait().ended, ticket.wait().samples), (Ended::Done, 1), "the next one is as good");
    }
}
