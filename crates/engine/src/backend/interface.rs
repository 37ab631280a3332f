use std::fmt;
use std::sync::Arc;

use sunfleck_gpu::GpuError;
use sunfleck_integrators::{Algorithm, World};

use crate::canvas::Work;
use crate::frame::Frame;
use crate::job::Job;
use crate::ticket::Shot;

/// Somebody who renders frames.
pub(crate) trait Backend: fmt::Debug + Send {
    /// The GPU that it renders on, as its driver calls it; `None`: none.
    fn gpu(&self) -> Option<Arc<str>>;

    /// Whether it can render such frames of any world, by `algorithm` in place of their own. Errors: why not.
    fn check(&self, frame: &Frame, algorithm: &Algorithm) -> Result<(), BackendError>;

    /// Makes what it holds of the world before that of this one. Errors: it cannot render such a world, or fails.
    fn prepare(&mut self, world: &Arc<World>) -> Result<(), BackendError>;

    /// Adds the samples that the budget of the frame allows to those that the canvas has of the same view, and shows them. What is to be rendered was
    /// checked, and its world prepared. Errors: it fails; then the canvas has what it had before, or some of the samples more.
    fn render(&mut self, job: &Job, work: &mut Work, algorithm: &Algorithm) -> Result<Shot, BackendError>;

    /// Gives memory back that it keeps for what may come; whether there was any.
    fn forget(&mut self) -> bool {
        false
    }
}

/// Why a backend cannot render a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// See [`GpuError`].
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// It has nothing to do it with.
    #[error("{what} cannot be done there")]
    Unsupported {
        /// What it lacks.
        what: &'static str,
    },
}

impl BackendError {
    /// Whether the backend can render nothing else, either.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::Gpu(GpuError::Lost { .. } | GpuError::Shader { .. }))
    }
}
