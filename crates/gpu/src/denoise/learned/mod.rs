//! The learned denoiser: the GPU counterpart of `denoise::learned`, file by file.

mod convolution;
mod filter;
mod input;
mod kernels;
mod level;
mod pyramid;
mod tensor;
mod weights;
mod workspace;

use std::sync::Arc;

use sunfleck_denoise::NoisyImage;
use sunfleck_denoise::learned::Network;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::NoisyPixel;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

use super::noisy_image::noisy_pixels;
use super::step::Step;
use crate::buffer::Array;
use crate::{Gpu, GpuError};
use kernels::LearnedKernels;
use weights::NetworkWeights;
use workspace::Workspace;

/// A neural network that removes noise, on a GPU: see [`sunfleck_denoise::learned`].
#[derive(Debug)]
pub struct LearnedDenoiser {
    gpu: Arc<Gpu>,
    kernels: LearnedKernels,
    weights: NetworkWeights,
    /// Arrays for images of one size; `None` before the first image.
    workspace: Option<Workspace>,
}

impl LearnedDenoiser {
    /// Compiles the kernels and uploads the weights of a network.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn new(gpu: &Arc<Gpu>, network: &Network) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            kernels: LearnedKernels::new(gpu)?,
            weights: NetworkWeights::new(gpu, network)?,
            workspace: None,
        })
    }

    /// Denoises an image. Returns one value per pixel, which agrees with [`Network::denoise`] but for rounding.
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
        self.set_size([image.width(), image.height()])?;
        if let Some(workspace) = &self.workspace {
            workspace.noisy.write(&self.gpu, &noisy_pixels(image));
        }
        Ok(())
    }

    /// Submits the denoising of the last image that was uploaded, and does not wait for it.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn submit(&self) -> Result<(), GpuError> {
        self.submit_with(|_| Ok(Vec::new()))
    }

    /// Reads the last result; empty if there is none. Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn read(&self) -> Result<Vec<Vec3>, GpuError> {
        self.workspace.as_ref().map_or_else(|| Ok(Vec::new()), |workspace| workspace.read(&self.gpu))
    }

    /// Allocates the arrays for images of a size, unless they are there.
    pub(super) fn set_size(&mut self, size: [u32; 2]) -> Result<(), GpuError> {
        if self.workspace.as_ref().is_none_or(|workspace| workspace.size != size) {
            // The memory of the former arrays is free before the new ones are allocated
            self.workspace = None;
            self.workspace = Some(Workspace::new(&self.gpu, &self.kernels, &self.weights, size)?);
        }
        Ok(())
    }

    /// As [`submit`](Self::submit), after dispatches that write the image.
    pub(super) fn submit_with(
        &self,
        first: impl FnOnce(&Array<NoisyPixel>) -> Result<Vec<Step>, GpuError>,
    ) -> Result<(), GpuError> {
        let Some(workspace) = &self.workspace else { return Ok(()) };
        let first = first(&workspace.noisy)?;
        let mut encoder = self.gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        for step in first.iter().chain(&workspace.steps) {
            step.record(&self.gpu, &mut pass);
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check()
    }
}
