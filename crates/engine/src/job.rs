use std::sync::Arc;

use sunfleck_image::Film;
use sunfleck_integrators::{Observer, Status, World};

use crate::canvas::Canvas;
use crate::frame::Frame;
use crate::ticket::Shared;

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
