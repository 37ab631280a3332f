use sunfleck_shaders::passes::denoise;
use sunfleck_shaders::{Features, Shader};

use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// Kernels of the network and its filter.
#[derive(Debug)]
pub(super) struct LearnedKernels {
    pub(super) meter: Pipeline,
    pub(super) scales: Pipeline,
    pub(super) input: Pipeline,
    pub(super) convolution: Pipeline,
    pub(super) halving_convolution: Pipeline,
    pub(super) joined_convolution: Pipeline,
    pub(super) weighted_pyramid: Pipeline,
    pub(super) pyramid: Pipeline,
    pub(super) coarsest_filter: Pipeline,
    pub(super) filter: Pipeline,
    pub(super) finest_filter: Pipeline,
}

impl LearnedKernels {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let halving = Shader::new(&denoise::CONVOLUTION, Features::HALVED);
        Ok(Self {
            meter: Pipeline::of_shader(gpu, &denoise::METER)?,
            scales: Pipeline::of_shader(gpu, &denoise::SCALES)?,
            input: Pipeline::of_shader(gpu, &denoise::INPUT)?,
            convolution: Pipeline::of_shader(gpu, &denoise::CONVOLUTION)?,
            halving_convolution: Pipeline::of_shader(gpu, halving)?,
            joined_convolution: Pipeline::of_shader(gpu, &denoise::JOINED_CONVOLUTION)?,
            weighted_pyramid: Pipeline::of_shader(gpu, &denoise::WEIGHTED_PYRAMID)?,
            pyramid: Pipeline::of_shader(gpu, &denoise::PYRAMID)?,
            coarsest_filter: Pipeline::of_shader(gpu, &denoise::COARSEST_FILTER)?,
            filter: Pipeline::of_shader(gpu, &denoise::FILTER)?,
            finest_filter: Pipeline::of_shader(gpu, &denoise::FINEST_FILTER)?,
        })
    }
}
