use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, RenderProgress, RenderState, World};

use crate::canvas::Canvas;
use crate::frame::FrameRequest;
use crate::ticket::{Shared, Ticket};

/// Queued frame.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) world: Arc<World>,
    pub(crate) frame: FrameRequest,
    pub(crate) canvas: Canvas,
    pub(crate) ticket: Arc<Shared>,
}

impl Job {
    /// Returns the job of a frame, and its ticket for the caller.
    pub(crate) fn new(world: &Arc<World>, frame: &FrameRequest, canvas: &Canvas) -> (Ticket, Self) {
        let (ticket, shared) = Ticket::new();
        let (world, frame, canvas) = (world.clone(), frame.clone(), canvas.clone());
        (ticket, Self { world, frame, canvas, ticket: shared })
    }
}

/// Observer that reports progress to the ticket, and shows complete passes on the canvas.
pub(crate) struct FrameObservers<'a>(pub(crate) &'a Job);

impl Observer for FrameObservers<'_> {
    fn tile(&self, status: &RenderProgress) {
        self.0.ticket.report(status);
    }

    fn pass(&self, film: &Film, samples: u32) {
        tracing::debug!(samples, "pass complete");
        self.0.canvas.show(film, samples);
    }

    fn wants_state(&self) -> bool {
        self.0.ticket.wants_state()
    }

    fn wants_last_state(&self) -> bool {
        self.0.ticket.wants_last_state()
    }

    fn state(&self, state: RenderState) {
        self.0.ticket.put_state(state);
    }
}
