use std::fmt;
use std::sync::Arc;

use sunfleck_denoise::NoisyImage;
use sunfleck_denoise::learned::Network;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::NoisyPixel;

use super::features::FeatureFilter;
use super::learned::LearnedFilter;
use super::noisy_image::{KnownChannels, noisy_pixels};
use super::step::Step;
use super::workspace::Workspace;
use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// A denoiser of `sunfleck-denoise` on a GPU. It keeps its arrays from image to image; another size allocates them
/// again.
#[derive(Debug)]
pub struct GpuDenoiser {
    gpu: Arc<Gpu>,
    filter: Box<dyn DenoisingFilter>,
    /// Arrays for images of one size, and what is known of them; `None` before the first image.
    workspace: Option<(KnownChannels, Workspace)>,
}

/// Compiled kernels of a denoiser.
pub(super) trait DenoisingFilter: fmt::Debug + Send {
    /// Returns the dispatches that denoise images of a size. They hold all other arrays.
    ///
    /// * `radiance` — the result.
    fn steps(
        &self,
        gpu: &Gpu,
        size: [u32; 2],
        known: KnownChannels,
        noisy: &Array<NoisyPixel>,
        radiance: &Array<[f32; 3]>,
    ) -> Result<Vec<Step>, GpuError>;
}

impl GpuDenoiser {
    /// Compiles the filter that is guided by features: see [`sunfleck_denoise::features`].
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn features(gpu: &Arc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { filter: Box::new(FeatureFilter::new(gpu)?), gpu: gpu.clone(), workspace: None })
    }

    /// Compiles the learned denoiser, and uploads the weights of a network: see [`sunfleck_denoise::learned`].
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn learned(gpu: &Arc<Gpu>, network: &Network) -> Result<Self, GpuError> {
        Ok(Self { filter: Box::new(LearnedFilter::new(gpu, network)?), gpu: gpu.clone(), workspace: None })
    }

    /// Denoises an image. Returns one value per pixel, which agrees with that of the CPU but for rounding.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn denoise(&mut self, image: &NoisyImage<'_>) -> Result<Vec<Vec3>, GpuError> {
        self.upload(image)?;
        self.submit()?;
        self.read()
    }

    /// Uploads an image for [`submit`](Self::submit).
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn upload(&mut self, image: &NoisyImage<'_>) -> Result<(), GpuError> {
        self.prepare([image.width(), image.height()], KnownChannels::of(image))?;
        if let Some((_, workspace)) = &self.workspace {
            workspace.noisy.write(&self.gpu, &noisy_pixels(image));
        }
        Ok(())
    }

    /// Submits the denoising of the last image that was uploaded, and does not wait for it.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn submit(&self) -> Result<(), GpuError> {
        self.submit_after(|_| Ok(Vec::new()))
    }

    /// Reads the last result; empty if there is none. Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn read(&self) -> Result<Vec<Vec3>, GpuError> {
        self.workspace.as_ref().map_or_else(|| Ok(Vec::new()), |(_, workspace)| workspace.read(&self.gpu))
    }

    /// Allocates the arrays for images of a size, unless they are there.
    pub(super) fn prepare(&mut self, size: [u32; 2], known: KnownChannels) -> Result<(), GpuError> {
        let Self { gpu, filter, workspace } = self;
        let fits = |(own, workspace): &(KnownChannels, Workspace)| (*own, workspace.size) == (known, size);
        if !workspace.as_ref().is_some_and(fits) {
            // The memory of the former arrays is free before the new ones are allocated
            *workspace = None;
            let steps = |noisy: &_, radiance: &_| filter.steps(gpu, size, known, noisy, radiance);
            *workspace = Some((known, Workspace::new(gpu, size, steps)?));
        }
        Ok(())
    }

    /// Frees the arrays; the kernels stay.
    pub(super) fn release(&mut self) {
        self.workspace = None;
    }

    /// As [`submit`](Self::submit), after dispatches that write the image.
    pub(super) fn submit_after(
        &self,
        first: impl FnOnce(&Array<NoisyPixel>) -> Result<Vec<Step>, GpuError>,
    ) -> Result<(), GpuError> {
        match &self.workspace {
            Some((_, workspace)) => workspace.submit(&self.gpu, &first(&workspace.noisy)?),
            None => Ok(()),
        }
    }
}
