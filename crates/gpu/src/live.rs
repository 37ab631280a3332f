use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{Aov, AovSet, Film, LuminanceHistogram, Picture};
use sunfleck_integrators::{Observer, RenderOutcome, StopRules};

use crate::denoise::{DenoisedFilm, Denoisers};
use crate::film::{FilmSums, MeansKernels, PixelMeans, read};
use crate::{Gpu, GpuDenoiseMethod, GpuError};

/// An image to which samples are added on demand. Its sums stay on the GPU; only what is displayed is read back.
///
/// Samples may be added as long as the renderer holds the world of the image: see
/// [`Renderer::hold`](crate::Renderer::hold). Existing samples can be read at any time.
#[derive(Debug)]
pub struct LivePicture {
    /// Type-erased, so that auto traits (`Send`) need not be derived through wgpu's types in crates that use it.
    inner: Box<dyn ErasedPicture>,
}

/// Source of samples of a [`LivePicture`].
pub(crate) trait LiveSource: fmt::Debug + Send {
    /// Sums of the samples, one or several strips from top to bottom.
    fn sums(&self) -> Vec<&FilmSums>;

    /// Adds samples; the outcome counts all samples so far.
    ///
    /// * `stop` — applies to all samples; the noise threshold is ignored.
    fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError>;
}

trait ErasedPicture: fmt::Debug + Send {
    fn source(&mut self) -> &mut dyn LiveSource;
    fn radiance(&self) -> Result<Option<Picture>, GpuError>;
    fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError>;
    fn histogram(&self) -> Result<LuminanceHistogram, GpuError>;
    fn film(&self) -> Result<Film, GpuError>;
    fn sums(&self) -> Vec<&FilmSums>;
    fn aovs(&self) -> AovSet;
}

#[derive(Debug)]
struct GpuPicture {
    gpu: Arc<Gpu>,
    source: Box<dyn LiveSource>,
    means: PixelMeans,
    denoisers: Arc<Denoisers>,
    size: [u32; 2],
    aovs: AovSet,
}

impl ErasedPicture for GpuPicture {
    fn source(&mut self) -> &mut dyn LiveSource {
        &mut *self.source
    }

    fn radiance(&self) -> Result<Option<Picture>, GpuError> {
        self.means.picture(&self.gpu)
    }

    fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError> {
        let (strips, features) = (self.source.sums(), self.aovs.contains(Aov::Features));
        let film = DenoisedFilm { strips: &strips, size: self.size, features, albedo };
        self.denoisers.denoise(&self.gpu, method, &film)
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

    fn sums(&self) -> Vec<&FilmSums> {
        self.source.sums()
    }

    fn aovs(&self) -> AovSet {
        self.aovs
    }
}

impl LivePicture {
    pub(crate) fn new(
        gpu: Arc<Gpu>,
        source: Box<dyn LiveSource>,
        kernels: &Arc<MeansKernels>,
        denoisers: &Arc<Denoisers>,
        size: [u32; 2],
        aovs: AovSet,
    ) -> Result<Self, GpuError> {
        let means = PixelMeans::new(&gpu, kernels, &source.sums(), size)?;
        let denoisers = denoisers.clone();
        Ok(Self { inner: Box::new(GpuPicture { gpu, source, means, denoisers, size, aovs }) })
    }

    /// Returns the sums of the samples, one or several strips from top to bottom, and the AOVs that they have.
    pub(crate) fn sums(&self) -> (Vec<&FilmSums>, AovSet) {
        (self.inner.sums(), self.inner.aovs())
    }

    /// Adds samples until a stop rule is met or `cancel` is set. The outcome counts all samples, including those before
    /// the first one of this image, and the rays of the new ones.
    ///
    /// * `stop` — the number of samples is that of all samples, the time is that of this call, and the noise threshold
    ///   is ignored, since measuring noise requires the [`film`](Self::film).
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::OutOfMemory`].
    pub fn add(
        &mut self,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<RenderOutcome, GpuError> {
        self.inner.source().add(stop, cancel, observer)
    }

    /// Reads the mean linear radiance; `None` if the image has no pixels.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn radiance(&self) -> Result<Option<Picture>, GpuError> {
        self.inner.radiance()
    }

    /// Denoises the mean radiance on the GPU, guided by the features if they are recorded, and reads the result; `None`
    /// if the image has no pixels. It agrees with what the CPU computes from the [`film`](Self::film) but for rounding.
    ///
    /// * `albedo` — whether radiance is divided by albedo.
    ///
    /// # Errors
    /// As [`add`](Self::add), and [`GpuError::TooLarge`].
    pub fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError> {
        self.inner.denoised(method, albedo)
    }

    /// Luminance histogram of the pixels, for [automatic exposure](LuminanceHistogram::meter). The GPU counts, so the
    /// image is not read back.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn histogram(&self) -> Result<LuminanceHistogram, GpuError> {
        self.inner.histogram()
    }

    /// Reads the sums of all channels.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn film(&self) -> Result<Film, GpuError> {
        self.inner.film()
    }
}
