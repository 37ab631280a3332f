use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::GpuError;
use sunfleck_integrators::{Algorithm, StopRules, World};

use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::FrameResult;

/// A backend: a device that renders frames.
pub(crate) trait Backend: fmt::Debug + Send {
    /// Returns the driver's name of the GPU that it renders on; `None` without a GPU.
    fn gpu(&self) -> Option<Arc<str>>;

    /// Checks whether it can render an algorithm. Errors: why it cannot.
    fn check(&self, algorithm: &Algorithm) -> Result<(), GpuError>;

    /// Updates its copy of the world. Errors: it cannot render such a world, or fails.
    fn prepare(&mut self, world: &Arc<World>) -> Result<(), GpuError>;

    /// Adds samples to those of the same view on the canvas until a stop rule is met, and shows them. The algorithm
    /// was checked and the world prepared before. Errors: it fails; then the canvas has its earlier samples, or a few
    /// more.
    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError>;

    /// Releases cached memory. Returns whether there was any.
    fn forget(&mut self) -> bool {
        false
    }
}

/// Frame to be rendered now.
#[derive(Clone, Copy)]
pub(crate) struct FrameOrder<'a> {
    pub(crate) job: &'a Job,
    /// Algorithm, reduced from that of the frame if its time budget needs it.
    pub(crate) algorithm: &'a Algorithm,
    /// Start of the frame, and the number of its first sample at that time.
    pub(crate) begun: Instant,
    pub(crate) first: u32,
}

impl FrameOrder<'_> {
    /// Stop rules, less what a failed backend has already rendered.
    ///
    /// * `next` — number of the next sample.
    pub(crate) fn rules(&self, next: u32) -> StopRules {
        // Samples on a lost GPU are lost
        let rules = self.job.frame.budget.rules(self.first.min(next));
        StopRules { time: rules.time.map(|time| time.saturating_sub(self.begun.elapsed())), ..rules }
    }
}
