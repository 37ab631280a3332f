use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::GpuError;
use sunfleck_integrators::{Algorithm, StopRules, World};

use crate::canvas::Work;
use crate::job::Job;
use crate::ticket::FrameResult;

/// Somebody who renders frames.
pub(crate) trait Backend: fmt::Debug + Send {
    /// The GPU that it renders on, as its driver calls it; `None`: none.
    fn gpu(&self) -> Option<Arc<str>>;

    /// Whether it can render by an algorithm. Errors: why not.
    fn check(&self, algorithm: &Algorithm) -> Result<(), GpuError>;

    /// Brings what it holds of a world up to date with `world`. Errors: it cannot render such a world, or fails.
    fn prepare(&mut self, world: &Arc<World>) -> Result<(), GpuError>;

    /// Adds samples to those that the canvas has of the same view until its rules say enough, and shows them. What is to be rendered was checked, and its world
    /// prepared. Errors: it fails; then the canvas has what it had before, or some of the samples more.
    fn render(&mut self, order: &Order<'_>, work: &mut Work) -> Result<FrameResult, GpuError>;

    /// Gives memory back that it keeps for what may come; whether there was any.
    fn forget(&mut self) -> bool {
        false
    }
}

/// A frame that is to be rendered now.
#[derive(Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) job: &'a Job,
    /// In place of the frame's own, to keep its time.
    pub(crate) algorithm: &'a Algorithm,
    /// When it was begun, and the number of its first sample then.
    pub(crate) begun: Instant,
    pub(crate) first: u32,
}

impl Order<'_> {
    /// When it is enough: of what is left, if another backend has begun it and failed.
    ///
    /// * `next` — number of the next sample.
    pub(crate) fn rules(&self, next: u32) -> StopRules {
        // Samples on a GPU that is lost are lost
        let rules = self.job.frame.budget.rules(self.first.min(next));
        StopRules { time: rules.time.map(|time| time.saturating_sub(self.begun.elapsed())), ..rules }
    }
}
