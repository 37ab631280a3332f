use sunfleck_constants::denoise::FILTER_EDGE;
use sunfleck_constants::group::GROUP;
use sunfleck_denoise::learned::LEVELS;
use sunfleck_shaders::layout::{ImageScales, NoisyPixel};

use super::super::step::Step;
use super::kernels::LearnedKernels;
use super::level::Level;
use super::tensor::Tensor;
use super::weights::NetworkWeights;
use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// What the filter reads and writes.
pub(super) struct Filtered<'a> {
    /// From the full to the lowest resolution.
    pub(super) levels: &'a [Level],
    /// Features from 1/2 to 1/16 of the resolution.
    pub(super) tensors: &'a [Tensor],
    pub(super) noisy: &'a Array<NoisyPixel>,
    pub(super) scales: &'a Array<ImageScales>,
    /// The result.
    pub(super) radiance: &'a Array<[f32; 3]>,
}

impl Filtered<'_> {
    /// Returns the dispatches that filter all resolutions, from the lowest to the full one.
    pub(super) fn steps(
        &self,
        gpu: &Gpu,
        kernels: &LearnedKernels,
        weights: &NetworkWeights,
    ) -> Result<Vec<Step>, GpuError> {
        let mut steps = Vec::new();
        let mut coarse: Option<Array<[f32; 4]>> = None;
        for (index, level) in self.levels.iter().enumerate().rev() {
            // At the full resolution the result is the radiance
            let pixels = if index == 0 { 0 } else { level.pixels() };
            let filtered = Array::zeroed(gpu, "filtered pixels", pixels)?;
            let features = &self.tensors[index.saturating_sub(1)];
            let (kernel, parts) = match index {
                0 => (&kernels.finest_filter, 4),
                LEVELS => (&kernels.coarsest_filter, 1),
                _ => (&kernels.filter, 1),
            };
            let buffers = [
                ("size", &level.uniform),
                ("features", features.newest()),
                ("head", &weights.heads[index].buffer),
                ("image", &level.image.buffer),
                ("coarse", &coarse.as_ref().unwrap_or(&filtered).buffer),
                ("filtered", &filtered.buffer),
                ("noisy", &self.noisy.buffer),
                ("scales", &self.scales.buffer),
                ("radiance", &self.radiance.buffer),
            ];
            let squares: usize =
                features.size.map(|edge| edge.div_ceil(FILTER_EDGE as usize)).iter().product();
            steps.push(Step::new(gpu, kernel, &buffers.into(), parts * squares * GROUP as usize)?);
            coarse = Some(filtered);
        }
        Ok(steps)
    }
}
