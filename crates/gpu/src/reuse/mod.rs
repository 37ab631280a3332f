//! Reuse of previous frames by any integrator: the GPU counterpart of [`sunfleck_integrators::reuse`].
//!
//! ```text
//! probes in both worlds ▶ change map (CPU) ─────┐
//! centre of each pixel ▶ primary surfaces ──────┴▶ merge with the history ▶ sums of a film
//! ```
//!
//! The result has the form of a film, so that it is read back and denoised as any other one.

mod arrays;
mod changes;
mod frame;
mod kernels;
mod motions;
mod probes;
mod state;

use std::fmt;

use sunfleck_image::{Film, Picture};

use crate::{GpuDenoiseMethod, GpuError};
pub(crate) use kernels::ReuseKernels;
pub(crate) use probes::GpuProbes;
pub(crate) use state::{NewFrame, ReuseState};

/// Temporal sequence on a GPU: the newest frame with its history, which the next frame reuses.
/// [`Renderer::reuse`](crate::Renderer::reuse) adds frames.
#[derive(Debug, Default)]
pub struct GpuReuse {
    /// Type-erased, so that auto traits (`Send`) need not be derived through wgpu's types in crates that use it.
    inner: Option<Box<dyn ErasedReuse>>,
}

trait ErasedReuse: fmt::Debug + Send {
    fn state(&mut self) -> &mut ReuseState;
    fn picture(&self) -> Result<Option<Picture>, GpuError>;
    fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError>;
    fn film(&self) -> Result<Film, GpuError>;
    fn frame_counts(&self) -> Result<Vec<f32>, GpuError>;
}

impl ErasedReuse for ReuseState {
    fn state(&mut self) -> &mut ReuseState {
        self
    }

    fn picture(&self) -> Result<Option<Picture>, GpuError> {
        self.picture()
    }

    fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError> {
        self.denoised(method, albedo)
    }

    fn film(&self) -> Result<Film, GpuError> {
        self.film()
    }

    fn frame_counts(&self) -> Result<Vec<f32>, GpuError> {
        self.frame_counts()
    }
}

impl GpuReuse {
    /// Returns the state; `None` before the first frame.
    pub(crate) fn state(&mut self) -> Option<&mut ReuseState> {
        self.inner.as_mut().map(|inner| inner.state())
    }

    /// Begins the sequence again.
    pub(crate) fn begin(&mut self, state: ReuseState) {
        self.inner = Some(Box::new(state));
    }

    /// Reads the mean radiance of the newest frame with what it reuses, linear Rec. 709; `None` before the first frame.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::OutOfMemory`].
    pub fn picture(&self) -> Result<Option<Picture>, GpuError> {
        self.inner.as_ref().map_or(Ok(None), |inner| inner.picture())
    }

    /// Denoises that image on the GPU, as [`LivePicture::denoised`](crate::LivePicture::denoised) does.
    ///
    /// # Errors
    /// As [`picture`](Self::picture), and [`GpuError::TooLarge`].
    pub fn denoised(&self, method: GpuDenoiseMethod, albedo: bool) -> Result<Option<Picture>, GpuError> {
        self.inner.as_ref().map_or(Ok(None), |inner| inner.denoised(method, albedo))
    }

    /// Reads that image as a film of two samples with the mean, the variance and, if frames have them, the features of
    /// each pixel; of one sample where the variance is not known. `None` before the first frame.
    ///
    /// # Errors
    /// As [`picture`](Self::picture).
    pub fn film(&self) -> Result<Option<Film>, GpuError> {
        self.inner.as_ref().map(|inner| inner.film()).transpose()
    }

    /// Reads the number of frames that the diffuse light of each pixel of that image is a mean of, the newest frame
    /// included, row by row; empty before the first frame.
    ///
    /// # Errors
    /// As [`picture`](Self::picture).
    pub fn frame_counts(&self) -> Result<Vec<f32>, GpuError> {
        self.inner.as_ref().map_or_else(|| Ok(Vec::new()), |inner| inner.frame_counts())
    }
}
