use std::sync::Arc;

use sunfleck_integrators::{Algorithm, Schedule, View, World, render};

use super::interface::{Backend, BackendError};
use crate::canvas::Work;
use crate::frame::Frame;
use crate::job::{Audience, Job};
use crate::ticket::{Shot, Who};

/// The processor, on all threads of the current rayon pool. It can do everything.
#[derive(Debug)]
pub(super) struct Processor {
    schedule: Schedule,
}

impl Processor {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { schedule }
    }
}

impl Backend for Processor {
    fn gpu(&self) -> Option<Arc<str>> {
        None
    }

    fn check(&self, _frame: &Frame, _algorithm: &Algorithm) -> Result<(), BackendError> {
        Ok(())
    }

    fn prepare(&mut self, _world: &Arc<World>) -> Result<(), BackendError> {
        Ok(())
    }

    fn render(&mut self, job: &Job, work: &mut Work, algorithm: &Algorithm) -> Result<Shot, BackendError> {
        let Job { world, frame, ticket, .. } = job;
        let mut film = work.film_for(world, frame);
        let (first, cancel) = (work.samples, &ticket.cancel);
        let rules = frame.budget.rules(first);
        let view = View::new(world, frame.view());
        let view = if frame.steady { view.with_memory(&work.memory) } else { view };
        let outcome =
            render(&view, algorithm, &mut film, first, &rules, &self.schedule, cancel, &Audience(job));
        Ok(work.landed(film, algorithm, &outcome, Who::Processor))
    }
}
