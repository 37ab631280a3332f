//! The interface between the [`Renderer`](crate::Renderer) and the integrators that have kernels, and the entries of
//! the table of integrators.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Observer, RenderOutcome, StopRules, ViewSpec, World};

use crate::frames::FrameSequence;
use crate::live::LiveSource;
use crate::{Gpu, GpuError, SampleSupply, SceneMirror};

/// Request to render a view of a world with an algorithm.
#[derive(Clone, Copy)]
pub(crate) struct RenderRequest<'a> {
    /// Mirror of `world`.
    pub(crate) scene: &'a SceneMirror,
    pub(crate) world: &'a Arc<World>,
    pub(crate) spec: &'a ViewSpec,
    pub(crate) algorithm: &'a Algorithm,
    /// SIMD level of the computations that run on the CPU before rendering.
    pub(crate) level: Level,
}

impl<'a> RenderRequest<'a> {
    /// Returns the parameters of the algorithm, or an error if it is another one than expected.
    pub(crate) fn parameters<P: 'static>(&self) -> Result<&'a P, GpuError> {
        self.algorithm.get().ok_or_else(|| unsupported(self.algorithm))
    }
}

/// Range of samples to render, and conditions to stop.
#[derive(Clone)]
pub struct RenderRun<'a> {
    /// Numbers of the samples.
    pub samples: Range<u32>,
    /// Stop rules that apply to these samples.
    pub stop: &'a StopRules,
    /// Cancels the run when set.
    pub cancel: &'a AtomicBool,
    /// Receives progress, and intermediate images.
    pub observer: &'a dyn Observer,
    /// Limits the number of samples, if other backends render the rest.
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

/// Kernels of an integrator, compiled for the features of a world. Requests for other algorithms are refused.
pub(crate) trait GpuIntegrator: fmt::Debug + Send {
    /// Returns whether the kernels can render a world.
    fn supports(&self, scene: &SceneMirror) -> bool;

    /// Renders samples into a film, whose content is replaced.
    fn render(
        &self,
        request: &RenderRequest<'_>,
        film: &mut Film,
        run: &RenderRun<'_>,
    ) -> Result<RenderOutcome, GpuError>;

    /// Starts an image to which samples are added on demand, with the channels of the request.
    ///
    /// * `first` — number of its first sample.
    fn live(&self, request: &RenderRequest<'_>, first: u32) -> Result<Box<dyn LiveSource>, GpuError>;

    /// Starts a temporal sequence; `None` if this integrator has none.
    ///
    /// * `_frames` — number of frames over which an image is averaged.
    fn sequence(
        &self,
        _request: &RenderRequest<'_>,
        _frames: u32,
    ) -> Result<Option<Box<dyn FrameSequence>>, GpuError> {
        Ok(None)
    }
}

/// Returns the error for an algorithm that has no kernels.
pub(crate) fn unsupported(algorithm: &Algorithm) -> GpuError {
    GpuError::Unsupported { what: algorithm.name() }
}

/// Compiles the kernels of an integrator for the features of a world.
type Compile = fn(&Arc<Gpu>, &SceneMirror) -> Result<Box<dyn GpuIntegrator>, GpuError>;

/// Entry of the table of integrators that have kernels.
pub(crate) struct IntegratorEntry {
    pub(crate) accepts: fn(&Algorithm) -> bool,
    pub(crate) compile: Compile,
}

/// Entry of the integrator with parameters of type `P`.
pub(crate) const fn entry<P: 'static>(compile: Compile) -> IntegratorEntry {
    IntegratorEntry { accepts: |algorithm| algorithm.get::<P>().is_some(), compile }
}
