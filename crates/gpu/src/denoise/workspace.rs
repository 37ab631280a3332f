use sunfleck_math::Vec3;
use sunfleck_shaders::layout::NoisyPixel;
use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

use super::step::Step;
use crate::buffer::{Array, Readback};
use crate::{Gpu, GpuError};

/// Arrays and dispatches for images of one size.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) size: [u32; 2],
    /// The image to denoise.
    pub(super) noisy: Array<NoisyPixel>,
    /// Dispatches, whose bindings hold all other arrays.
    steps: Vec<Step>,
    radiance: Array<[f32; 3]>,
    read: Readback<[f32; 3]>,
}

impl Workspace {
    /// Allocates the arrays.
    ///
    /// * `steps` — returns the dispatches that denoise an image, and write radiance.
    pub(super) fn new(
        gpu: &Gpu,
        size: [u32; 2],
        steps: impl FnOnce(&Array<NoisyPixel>, &Array<[f32; 3]>) -> Result<Vec<Step>, GpuError>,
    ) -> Result<Self, GpuError> {
        let pixels = size[0] as usize * size[1] as usize;
        let noisy = Array::zeroed(gpu, "noisy pixels", pixels)?;
        let radiance = Array::zeroed(gpu, "denoised pixels", pixels)?;
        let steps = steps(&noisy, &radiance)?;
        Ok(Self { size, noisy, steps, radiance, read: Readback::new(gpu, "denoised pixels", pixels)? })
    }

    /// Submits the denoising of the image after other dispatches, and does not wait for it.
    pub(super) fn submit(&self, gpu: &Gpu, first: &[Step]) -> Result<(), GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        for step in first.iter().chain(&self.steps) {
            step.record(gpu, &mut pass);
        }
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.check()
    }

    /// Reads the result. Waits until all submitted work is done.
    pub(super) fn read(&self, gpu: &Gpu) -> Result<Vec<Vec3>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        self.read.record(&mut encoder, &self.radiance.buffer);
        gpu.queue.submit([encoder.finish()]);
        self.read.request();
        gpu.wait()?;
        self.read.read(|pixels| pixels.iter().copied().map(Vec3::from_array).collect())
    }
}
