use sunfleck_denoise::learned::INPUTS;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::{ImageScales, NoisyPixel};
use wgpu::CommandEncoderDescriptor;

use super::super::step::Step;
use super::filter::Filtered;
use super::kernels::LearnedKernels;
use super::level::Level;
use super::tensor::Tensor;
use super::weights::NetworkWeights;
use super::{convolution, input, pyramid};
use crate::buffer::{Array, Readback};
use crate::{Gpu, GpuError};

/// Arrays and dispatches for images of one size.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) size: [u32; 2],
    /// The image to denoise.
    pub(super) noisy: Array<NoisyPixel>,
    /// Dispatches, whose bindings hold all other arrays.
    pub(super) steps: Vec<Step>,
    radiance: Array<[f32; 3]>,
    read: Readback<[f32; 3]>,
}

impl Workspace {
    pub(super) fn new(
        gpu: &Gpu,
        kernels: &LearnedKernels,
        weights: &NetworkWeights,
        size: [u32; 2],
    ) -> Result<Self, GpuError> {
        let pixels = size[0] as usize * size[1] as usize;
        let noisy = Array::zeroed(gpu, "noisy pixels", pixels)?;
        let radiance = Array::zeroed(gpu, "denoised pixels", pixels)?;
        let scales: Array<ImageScales> = Array::zeroed(gpu, "scales", 1)?;
        let levels = Level::all(gpu, weights, size)?;
        let tensor = |(index, Level { size, .. }): (usize, &Level)| {
            let inputs = if index == 0 { INPUTS } else { weights.widths[index - 1] };
            Tensor::new(gpu, [size.width, size.height].map(|n| n as usize), inputs, weights.widths[index])
        };
        let mut tensors: Vec<Tensor> =
            levels[1..].iter().enumerate().map(tensor).collect::<Result<_, _>>()?;

        let input = input::steps(gpu, kernels, &levels[0], &noisy, &scales, tensors[0].newest())?;
        let mut steps = Vec::from(input);
        steps.extend(convolution::steps(gpu, kernels, weights, &mut tensors)?);
        steps.extend(pyramid::steps(gpu, kernels, weights, &levels, &tensors[0])?);
        let filtered = Filtered {
            levels: &levels,
            tensors: &tensors,
            noisy: &noisy,
            scales: &scales,
            radiance: &radiance,
        };
        steps.extend(filtered.steps(gpu, kernels, weights)?);
        let read = Readback::new(gpu, "denoised pixels", pixels)?;
        Ok(Self { size, noisy, steps, radiance, read })
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
