use std::sync::Arc;

use sunfleck_gpu::GpuError;
use sunfleck_integrators::{Algorithm, Schedule, View, World, render};

use super::interface::{Backend, Order};
use crate::canvas::Work;
use crate::job::{Audience, Job};
use crate::ticket::{FrameResult, RenderedBy};

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

    fn check(&self, _algorithm: &Algorithm) -> Result<(), GpuError> {
        Ok(())
    }

    fn prepare(&mut self, _world: &Arc<World>) -> Result<(), GpuError> {
        Ok(())
    }

    fn render(&mut self, order: &Order<'_>, work: &mut Work) -> Result<FrameResult, GpuError> {
        let Job { world, frame, ticket, .. } = order.job;
        let mut film = work.film_for(world, frame);
        let (first, cancel, observer) = (work.next, &ticket.cancel, Audience(order.job));
        let view = View::new(world, frame.view());
        let view = if frame.steady { view.with_history(&work.memory) } else { view };
        let (rules, schedule) = (order.rules(first), &self.schedule);
        let outcome = render(&view, order.algorithm, &mut film, first, &rules, schedule, cancel, &observer);
        Ok(work.landed(film, order.algorithm, &outcome, RenderedBy::PROCESSOR))
    }
}
