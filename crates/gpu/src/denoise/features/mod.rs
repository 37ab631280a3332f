//! The filter that is guided by features: the GPU counterpart of `denoise::features`. Its passes are those of the CPU;
//! the light of a pixel, its irradiance and variance, is a vector of four, from which the luminance is computed again.

use sunfleck_constants::feature_filter::PASSES;
use sunfleck_constants::{denoise::FILTER_EDGE, group::GROUP};
use sunfleck_shaders::layout::{FilteredImage, NoisyPixel};
use sunfleck_shaders::passes::denoise;
use wgpu::Buffer;

use super::denoiser::DenoisingFilter;
use super::noisy_image::KnownChannels;
use super::step::Step;
use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Kernels of the filter.
#[derive(Debug)]
pub(super) struct FeatureFilter {
    input: Pipeline,
    fireflies: Pipeline,
    variance: Pipeline,
    atrous: Pipeline,
    last_atrous: Pipeline,
}

impl FeatureFilter {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            input: Pipeline::of_shader(gpu, &denoise::FEATURE_INPUT)?,
            fireflies: Pipeline::of_shader(gpu, &denoise::FIREFLIES)?,
            variance: Pipeline::of_shader(gpu, &denoise::VARIANCE)?,
            atrous: Pipeline::of_shader(gpu, &denoise::ATROUS)?,
            last_atrous: Pipeline::of_shader(gpu, &denoise::LAST_ATROUS)?,
        })
    }
}

impl DenoisingFilter for FeatureFilter {
    fn steps(
        &self,
        gpu: &Gpu,
        size: [u32; 2],
        known: KnownChannels,
        noisy: &Array<NoisyPixel>,
        radiance: &Array<[f32; 3]>,
    ) -> Result<Vec<Step>, GpuError> {
        let [width, height] = size;
        let filtering = |step: u32| {
            let (knows_albedo, knows_depth) = (u32::from(known.albedo), u32::from(known.depth));
            let filtering = FilteredImage { width, height, knows_albedo, knows_depth, step };
            Ok(Array::new(gpu, "sizes", &[filtering])?.buffer)
        };
        let vectors = || Array::<[f32; 4]>::zeroed(gpu, "light and guide of pixels", noisy.len());
        let (light, other, guide) = (vectors()?, vectors()?, vectors()?);
        let nearness: Array<f32> = Array::zeroed(gpu, "nearness of pixels", noisy.len())?;
        let step = |kernel: &Pipeline, step: u32, lights: &[(&'static str, &Buffer)], items: usize| {
            let filtering = filtering(step)?;
            let mut resources: Resources<'_> = [
                ("filtering", &filtering),
                ("noisy", &noisy.buffer),
                ("guide", &guide.buffer),
                ("nearness", &nearness.buffer),
                ("radiance", &radiance.buffer),
            ]
            .into();
            resources.extend(lights.iter().copied());
            Step::new(gpu, kernel, &resources, items)
        };
        let (light, other) = (&light.buffer, &other.buffer);
        let mut steps = vec![
            step(&self.input, 1, &[("light", light)], noisy.len())?,
            step(&self.fireflies, 1, &[("light", light), ("limited", other)], noisy.len())?,
            step(&self.variance, 1, &[("limited", other), ("light", light)], noisy.len())?,
        ];
        let squares = (width.div_ceil(FILTER_EDGE) * height.div_ceil(FILTER_EDGE)) as usize;
        for pass in 0..PASSES {
            let kernel = if pass + 1 == PASSES { &self.last_atrous } else { &self.atrous };
            let (source, result) = if pass % 2 == 0 { (light, other) } else { (other, light) };
            let lights = [("light", source), ("filtered", result)];
            steps.push(step(kernel, 1 << pass, &lights, squares * GROUP as usize)?);
        }
        Ok(steps)
    }
}
