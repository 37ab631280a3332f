//! What a renderer needs of an algorithm that a GPU can compute, and the rows of the table of those that there are.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Observer, Outcome, StopRules, ViewSpec, World};

use crate::frames::FrameSequence;
use crate::live::Live;
use crate::{Gpu, GpuError, SampleSupply, SceneMirror};

/// What is to be seen, in which world, by which algorithm.
#[derive(Clone, Copy)]
pub(crate) struct RenderRequest<'a> {
    /// The mirror of `world`.
    pub(crate) scene: &'a SceneMirror,
    pub(crate) world: &'a World,
    pub(crate) spec: &'a ViewSpec,
    pub(crate) algorithm: &'a Algorithm,
    /// Of what the processor finds out before.
    pub(crate) level: Level,
}

impl<'a> RenderRequest<'a> {
    /// The parameters of the algorithm. Errors: it is another one.
    pub(crate) fn parameters<P: 'static>(&self) -> Result<&'a P, GpuError> {
        self.algorithm.get().ok_or_else(|| unsupported(self.algorithm))
    }
}

/// Which samples of a picture are to be rendered, and until when.
#[derive(Clone)]
pub struct RenderRun<'a> {
    /// Their numbers.
    pub samples: Range<u32>,
    /// When it is enough; about these samples.
    pub stop: &'a StopRules,
    /// Ends it early.
    pub cancel: &'a AtomicBool,
    /// Hears how it goes on.
    pub observer: &'a dyn Observer,
    /// Limits the samples if others render the rest.
    pub supply: Option<&'a dyn SampleSupply>,
}

impl fmt::Debug for RenderRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderRun")
            .field("samples", &self.samples)
            .field("stop", self.stop)
            .finish_non_exhaustive()
    }
}

/// The kernels of an algorithm, compiled for worlds of some kind. Asked for another algorithm, they refuse.
pub(crate) trait GpuIntegrator: fmt::Debug + Send {
    /// Whether they are for such a world.
    fn serves(&self, scene: &SceneMirror) -> bool;

    /// Renders samples into a film. What the film held is replaced.
    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError>;

    /// A picture that gains samples, with the channels of the request.
    ///
    /// * `first` — number of its first sample.
    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn Live>, GpuError>;

    /// Frames that follow a camera, each a mean of some; `None` if this algorithm has no such.
    fn sequence(
        &self,
        _request: &RenderRequest<'_>,
        _frames: u32,
    ) -> Result<Option<Box<dyn FrameSequence>>, GpuError> {
        Ok(None)
    }
}

/// There are no kernels of an algorithm.
pub(crate) fn unsupported(algorithm: &Algorithm) -> GpuError {
    GpuError::Unsupported { what: algorithm.name() }
}

/// Compiles an algorithm's kernels for the world of a mirror, and those that have nothing that it has not.
type Compile = fn(&Arc<Gpu>, &SceneMirror) -> Result<Box<dyn GpuIntegrator>, GpuError>;

/// A row of the table of algorithms.
pub(crate) struct Row {
    pub(crate) is_of: fn(&Algorithm) -> bool,
    pub(crate) compile: Compile,
}

/// The row of the algorithm with such parameters.
pub(crate) const fn row<P: 'static>(compile: Compile) -> Row {
    Row { is_of: |algorithm| algorithm.get::<P>().is_some(), compile }
}
