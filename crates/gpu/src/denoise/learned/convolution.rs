use sunfleck_constants::denoise::{CONVOLUTION_THREADS, TILE_CHANNELS, TILE_HEIGHT, TILE_WIDTH};
use sunfleck_denoise::learned::{INPUTS, LEVELS};
use sunfleck_shaders::layout::Convolution;
use wgpu::Buffer;

use super::super::step::Step;
use super::kernels::LearnedKernels;
use super::tensor::Tensor;
use super::weights::{ConvolutionWeights, NetworkWeights};
use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Returns the dispatches of the U-Net. Afterwards the newest features of all resolutions are its result.
///
/// * `tensors` — from 1/2 to 1/16 of the resolution; the newest features of the first one are the input.
pub(super) fn steps(
    gpu: &Gpu,
    kernels: &LearnedKernels,
    weights: &NetworkWeights,
    tensors: &mut [Tensor],
) -> Result<Vec<Step>, GpuError> {
    let mut steps = Vec::new();
    let mut stages = weights.convolutions.chunks(weights.stage_length);
    let mut channels = INPUTS;
    // Down
    for (level, stage) in (0..LEVELS).zip(stages.by_ref()) {
        for (i, convolution) in stage.iter().enumerate() {
            let ([tensor, ..], coarser) = tensors[level..].split_at_mut(1) else { continue };
            // The last convolution writes the input of the next level, too
            let halves = coarser.first().filter(|_| i + 1 == stage.len()).map(Tensor::newest);
            let kernel = if halves.is_some() { &kernels.halving_convolution } else { &kernels.convolution };
            let others = halves.into_iter().map(|buffer| ("halves", buffer)).collect();
            steps.push(step(gpu, kernel, convolution, tensor, [0, channels], others)?);
            tensor.advance();
            channels = convolution.outputs;
        }
    }
    // Up
    for (level, stage) in (0..LEVELS - 1).rev().zip(stages) {
        let mut low_channels = channels;
        channels = weights.widths[level];
        for convolution in stage {
            let (finer, coarser) = tensors.split_at_mut(level + 1);
            let (tensor, low) = (&mut finer[level], coarser[0].newest());
            let kernel = if low_channels > 0 { &kernels.joined_convolution } else { &kernels.convolution };
            let others = [("low", low)].into_iter().collect();
            steps.push(step(gpu, kernel, convolution, tensor, [low_channels, channels], others)?);
            tensor.advance();
            low_channels = 0;
        }
    }
    Ok(steps)
}

/// Returns the dispatch of one convolution.
///
/// * `channels` — numbers of input channels of half the resolution and of the same resolution; `others` — further
///   resources.
fn step<'a>(
    gpu: &Gpu,
    kernel: &Pipeline,
    weights: &'a ConvolutionWeights,
    tensor: &'a Tensor,
    channels: [usize; 2],
    others: Resources<'a>,
) -> Result<Step, GpuError> {
    let [width, height, low_channels, channels, outputs] =
        [tensor.size[0], tensor.size[1], channels[0], channels[1], weights.outputs]
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let convolution = Convolution { width, height, low_channels, channels, outputs };
    let uniform = Array::new(gpu, "convolutions", &[convolution])?;
    let own: [(&'static str, &Buffer); 5] = [
        ("convolution", &uniform.buffer),
        ("features", tensor.newest()),
        ("weights", &weights.weights.buffer),
        ("bias", &weights.bias.buffer),
        ("convolved", tensor.next()),
    ];
    let mut resources = others;
    resources.extend(own);
    let groups = width.div_ceil(TILE_WIDTH) * height.div_ceil(TILE_HEIGHT) * outputs.div_ceil(TILE_CHANNELS);
    Step::new(gpu, kernel, &resources, groups as usize * CONVOLUTION_THREADS as usize)
}
