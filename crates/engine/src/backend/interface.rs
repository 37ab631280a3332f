use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::GpuError;
use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::{Algorithm, StopRules, World};

use crate::FrameRequest;
use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::FrameResult;

/// A backend: a device that renders frames.
pub(crate) trait Backend: fmt::Debug + Send {
    /// Returns the name of the backend's GPU as reported by its driver; `None` for a backend without a GPU.
    fn gpu(&self) -> Option<Arc<str>>;

    /// Checks whether the backend can render a frame by an algorithm, which need not be that of the frame. Errors: the
    /// reason why it cannot.
    fn check(&self, frame: &FrameRequest, algorithm: &Algorithm) -> Result<(), GpuError>;

    /// Updates the backend's copy of the world. Errors: the backend cannot render such a world, or fails.
    fn prepare(&mut self, world: &Arc<World>) -> Result<(), GpuError>;

    /// Adds samples to those of the same view on the canvas until a stop rule is met, and shows the image. The caller
    /// has checked the algorithm and prepared the world. Errors: the backend fails; the canvas then keeps its earlier
    /// samples, and perhaps a few more.
    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError>;

    /// Releases cached memory. Returns whether there was any.
    fn forget(&mut self) -> bool {
        false
    }
}

/// Frame that a backend is to render.
#[derive(Clone, Copy)]
pub(crate) struct FrameOrder<'a> {
    pub(crate) job: &'a Job,
    /// Algorithm, reduced from that of the frame if its time budget needs it.
    pub(crate) algorithm: &'a Algorithm,
    /// Time at which the frame was started.
    pub(crate) begun: Instant,
    /// Number of the first sample to add, as of that time.
    pub(crate) first: u32,
}

impl FrameOrder<'_> {
    /// Returns the AOVs of a steady frame: highlights have a history of their own, so diffuse light is recorded apart
    /// from them by algorithms that can.
    pub(crate) fn steady_aovs(&self) -> AovSet {
        let aovs = self.job.frame.aovs;
        if self.algorithm.channels().contains(Aov::Diffuse) { aovs.with(Aov::Diffuse) } else { aovs }
    }

    /// Returns the stop rules, reduced by the time and the samples that a failed backend has used.
    ///
    /// * `next` — number of the next sample.
    pub(crate) fn rules(&self, next: u32) -> StopRules {
        // `next` is less than `first` if samples were lost with a GPU
        self.steady_rules(self.first.min(next))
    }

    /// Returns the stop rules of a steady frame, reduced by the time that a failed backend has used.
    ///
    /// * `first` — number of its first sample.
    pub(crate) fn steady_rules(&self, first: u32) -> StopRules {
        let rules = self.job.frame.budget.rules(first);
        StopRules { time: rules.time.map(|time| time.saturating_sub(self.begun.elapsed())), ..rules }
    }
}
