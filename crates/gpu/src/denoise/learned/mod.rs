//! The learned denoiser: the GPU counterpart of `denoise::learned`, file by file.

mod convolution;
mod filter;
mod input;
mod kernels;
mod level;
mod pyramid;
mod tensor;
mod weights;

use sunfleck_denoise::learned::{INPUTS, Network};
use sunfleck_shaders::layout::{ImageScales, NoisyPixel};

use super::denoiser::DenoisingFilter;
use super::noisy_image::KnownChannels;
use super::step::Step;
use crate::buffer::Array;
use crate::{Gpu, GpuError};
use filter::Filtered;
use kernels::LearnedKernels;
use level::Level;
use tensor::Tensor;
use weights::NetworkWeights;

/// A network and its kernels.
#[derive(Debug)]
pub(super) struct LearnedFilter {
    kernels: LearnedKernels,
    weights: NetworkWeights,
}

impl LearnedFilter {
    pub(super) fn new(gpu: &Gpu, network: &Network) -> Result<Self, GpuError> {
        Ok(Self { kernels: LearnedKernels::new(gpu)?, weights: NetworkWeights::new(gpu, network)? })
    }
}

impl DenoisingFilter for LearnedFilter {
    /// The values of channels that are not known say so to the network.
    fn steps(
        &self,
        gpu: &Gpu,
        size: [u32; 2],
        _: KnownChannels,
        noisy: &Array<NoisyPixel>,
        radiance: &Array<[f32; 3]>,
    ) -> Result<Vec<Step>, GpuError> {
        let Self { kernels, weights } = self;
        let scales: Array<ImageScales> = Array::zeroed(gpu, "scales", 1)?;
        let levels = Level::all(gpu, weights, size)?;
        let tensor = |(index, Level { size, .. }): (usize, &Level)| {
            let inputs = if index == 0 { INPUTS } else { weights.widths[index - 1] };
            Tensor::new(gpu, [size.width, size.height].map(|n| n as usize), inputs, weights.widths[index])
        };
        let mut tensors: Vec<Tensor> =
            levels[1..].iter().enumerate().map(tensor).collect::<Result<_, _>>()?;

        let input = input::steps(gpu, kernels, &levels[0], noisy, &scales, tensors[0].newest())?;
        let mut steps = Vec::from(input);
        steps.extend(convolution::steps(gpu, kernels, weights, &mut tensors)?);
        steps.extend(pyramid::steps(gpu, kernels, weights, &levels, &tensors[0])?);
        let filtered = Filtered { levels: &levels, tensors: &tensors, noisy, scales: &scales, radiance };
        steps.extend(filtered.steps(gpu, kernels, weights)?);
        Ok(steps)
    }
}
