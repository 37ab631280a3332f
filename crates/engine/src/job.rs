use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, Schedule, Status, View, World, render};

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
        let Self { world, frame, canvas, ticket } = self;
        let mut work = canvas.work();
        work.turn_to(world, frame);
        let (pace, first) = (work.pace, work.samples);
        let Work { film: Some(film), memory, .. } = &mut *work else { return };
        let pixels = u64::from(film.width()) * u64::from(film.height());
        let algorithm = pace.fit(&frame.algorithm, pixels, frame.budget.time);
        let view = View::new(world, frame.view());
        let view = if frame.steady { view.with_memory(memory) } else { view };
        let rules = frame.budget.rules(first);
        let outcome =
            render(&view, &algorithm, film, first, &rules, schedule, &ticket.cancel, &Audience(self));
        work.samples = outcome.samples;
        work.pace.learn(&algorithm, pixels, outcome.samples - first, outcome.elapsed);
        drop(work);
        let (ended, samples) = (outcome.ended, outcome.samples);
        ticket.finish(Shot { ended, samples, rays: outcome.rays, elapsed: outcome.elapsed });
    }
}
