use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, LuminanceHistogram, Picture};
use sunfleck_integrators::{Observer, Outcome, StopRules};

use crate::film::{FilmSums, Means, MeansKernels, read};
use crate::{Gpu, GpuError};

/// A picture that gains samples when they are wanted. All that it is made of stays on the GPU between; what is read is what somebody looks at.
///
/// Samples may be added as long as its renderer holds the world that it is of: see [`Renderer::hold`](crate::Renderer::hold). Those that it has can be read at any
/// time.
#[derive(Debug)]
pub struct LivePicture {
    /// Erased: compilers that ask whether a picture may be sent to another thread need not look into devices.
    parts: Box<dyn Parts>,
}

/// What samples come from.
pub(crate) trait Live: fmt::Debug + Send {
    /// Where they are added up, from top to bottom.
    fn sums(&self) -> Vec<&FilmSums>;

    /// Adds samples; the outcome counts those that there were.
    ///
    /// * `stop` — about all samples; noise is no reason.
    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError>;
}

trait Parts: fmt::Debug + Send {
    fn source(&mut self) -> &mut dyn Live;
    fn radiance(&self) -> Result<Option<Picture>, GpuError>;
    fn histogram(&self) -> Result<LuminanceHistogram, GpuError>;
    fn film(&self) -> Result<Film, GpuError>;
}

#[derive(Debug)]
struct OnGpu {
    gpu: Arc<Gpu>,
    source: Box<dyn Live>,
    means: Means,
    size: [u32; 2],
    aovs: AovSet,
}

impl Parts for OnGpu {
    fn source(&mut self) -> &mut dyn Live {
        &mut *self.source
    }

    fn radiance(&self) -> Result<Option<Picture>, GpuError> {
        self.means.picture(&self.gpu)
    }

    fn histogram(&self) -> Result<LuminanceHistogram, GpuError> {
        self.means.histogram(&self.gpu, &self.source.sums())
    }

    fn film(&self) -> Result<Film, GpuError> {
        let [width, height] = self.size;
        let mut film = Film::new(width, height, self.aovs);
        read(&self.gpu, &self.source.sums(), &mut film)?;
        Ok(film)
    }
}

impl LivePicture {
    pub(crate) fn new(
        gpu: Arc<Gpu>,
        source: Box<dyn Live>,
        kernels: &Arc<MeansKernels>,
        size: [u32; 2],
        aovs: AovSet,
    ) -> Result<Self, GpuError> {
        let means = Means::new(&gpu, kernels, &source.sums(), size)?;
        Ok(Self { parts: Box::new(OnGpu { gpu, source, means, size, aovs }) })
    }

    /// Adds samples until a stop rule or `cancel` says enough. The outcome counts all samples, those before the first of this picture included, and the rays of the
    /// new ones.
    ///
    /// * `stop` — samples: of all; time: of this call; noise is not looked at, since that takes a [`film`](Self::film).
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::OutOfMemory`].
    pub fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        self.parts.source().add(stop, cancel, observer)
    }

    /// Mean radiance, linear; `None` if it has no pixels.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn radiance(&self) -> Result<Option<Picture>, GpuError> {
        self.parts.radiance()
    }

    /// How bright the pixels are, for [automatic exposure](LuminanceHistogram::meter): the GPU counts them, so that the picture need not be read.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn histogram(&self) -> Result<LuminanceHistogram, GpuError> {
        self.parts.histogram()
    }

    /// All sums.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn film(&self) -> Result<Film, GpuError> {
        self.parts.film()
    }
}
