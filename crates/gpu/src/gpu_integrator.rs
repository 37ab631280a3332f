//! What a renderer needs of an algorithm that a GPU can compute, and the table of those that there are.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Observer, Outcome, StopRules, ViewSpec, World};

use crate::frames::FrameSequence;
use crate::live::Live;
use crate::{Gpu, GpuError, SceneMirror, Supply};

/// What is to be seen, in which world.
#[derive(Clone, Copy)]
pub(crate) struct RenderRequest<'a> {
    /// The mirror of `world`.
    pub(crate) scene: &'a SceneMirror,
    pub(crate) world: &'a World,
    pub(crate) spec: &'a ViewSpec,
    /// Of what the processor finds out before.
    pub(crate) level: Level,
}

/// The kernels of an algorithm, compiled for worlds of some kind.
pub(crate) trait GpuIntegrator: fmt::Debug + Send + Sized + 'static {
    /// The algorithm by its parameters.
    type Parameters: 'static;

    /// For the world of `scene`, and those that have nothing that it has not.
    fn compile(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError>;

    /// Whether they are for such a world.
    fn serves(&self, scene: &SceneMirror) -> bool;

    /// Renders samples of some numbers, those that `supply` gives out if there is one, into a film until a stop rule, which is about these samples, or
    /// `cancel` says enough. What the film held is replaced.
    fn render(
        &self,
        order: &RenderRequest<'_>,
        parameters: &Self::Parameters,
        film: &mut Film,
        samples: Range<u32>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn Supply>,
    ) -> Result<Outcome, GpuError>;

    /// A picture that gains samples, with the channels of the order.
    ///
    /// * `first` — number of its first sample.
    fn live(
        &self,
        order: &RenderRequest<'_>,
        parameters: &Self::Parameters,
        first: u32,
    ) -> Result<Box<dyn Live>, GpuError>;

    /// Frames that follow a camera, each a mean of some; `None` if this algorithm has no such.
    fn sequence(
        &self,
        _order: &RenderRequest<'_>,
        _parameters: &Self::Parameters,
        _frames: u32,
    ) -> Option<Result<Box<dyn FrameSequence>, GpuError>> {
        None
    }
}

/// A [`GpuIntegrator`] whose algorithm is not known to the compiler; asked for another one, it refuses.
pub(crate) trait DynGpuIntegrator: fmt::Debug + Send {
    fn is_of(&self, algorithm: &Algorithm) -> bool;

    fn serves(&self, scene: &SceneMirror) -> bool;

    fn render(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        film: &mut Film,
        samples: Range<u32>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn Supply>,
    ) -> Result<Outcome, GpuError>;

    fn live(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        first: u32,
    ) -> Result<Box<dyn Live>, GpuError>;

    fn sequence(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        frames: u32,
    ) -> Option<Result<Box<dyn FrameSequence>, GpuError>>;
}

/// The parameters that it takes.
fn parameters<T: GpuIntegrator>(algorithm: &Algorithm) -> Result<&T::Parameters, GpuError> {
    algorithm.get().ok_or_else(|| unsupported(algorithm))
}

/// There are no kernels of an algorithm.
pub(crate) fn unsupported(algorithm: &Algorithm) -> GpuError {
    GpuError::Unsupported { what: algorithm.name() }
}

/// Whether an algorithm has the parameters of an integrator.
fn is_of<T: GpuIntegrator>(algorithm: &Algorithm) -> bool {
    algorithm.get::<T::Parameters>().is_some()
}

impl<T: GpuIntegrator> DynGpuIntegrator for T {
    fn is_of(&self, algorithm: &Algorithm) -> bool {
        is_of::<T>(algorithm)
    }

    fn serves(&self, scene: &SceneMirror) -> bool {
        GpuIntegrator::serves(self, scene)
    }

    fn render(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        film: &mut Film,
        samples: Range<u32>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn Supply>,
    ) -> Result<Outcome, GpuError> {
        let parameters = parameters::<T>(algorithm)?;
        GpuIntegrator::render(self, order, parameters, film, samples, stop, cancel, observer, supply)
    }

    fn live(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        first: u32,
    ) -> Result<Box<dyn Live>, GpuError> {
        GpuIntegrator::live(self, order, parameters::<T>(algorithm)?, first)
    }

    fn sequence(
        &self,
        order: &RenderRequest<'_>,
        algorithm: &Algorithm,
        frames: u32,
    ) -> Option<Result<Box<dyn FrameSequence>, GpuError>> {
        GpuIntegrator::sequence(self, order, algorithm.get()?, frames)
    }
}

/// Compiles an algorithm's kernels for a world.
type Compile = fn(&Arc<Gpu>, &SceneMirror) -> Result<Box<dyn DynGpuIntegrator>, GpuError>;

/// A row of the table of algorithms.
pub(crate) struct Row {
    pub(crate) is_of: fn(&Algorithm) -> bool,
    pub(crate) compile: Compile,
}

/// The row of an algorithm's kernels.
pub(crate) const fn row<T: GpuIntegrator>() -> Row {
    Row { is_of: is_of::<T>, compile: |gpu, scene| Ok(Box::new(T::compile(gpu, scene)?)) }
}
