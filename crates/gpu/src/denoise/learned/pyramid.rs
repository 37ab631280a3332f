use super::super::step::Step;
use super::kernels::LearnedKernels;
use super::level::Level;
use super::tensor::Tensor;
use super::weights::NetworkWeights;
use crate::{Gpu, GpuError};

/// Returns the dispatches that weigh the pixels of the full resolution and compute the coarser images.
///
/// * `levels` — from the full to the lowest resolution; `features` — of half the resolution.
pub(super) fn steps(
    gpu: &Gpu,
    kernels: &LearnedKernels,
    weights: &NetworkWeights,
    levels: &[Level],
    features: &Tensor,
) -> Result<Vec<Step>, GpuError> {
    let step = |(index, levels): (usize, &[Level])| {
        let [finer, coarser] = levels else { return None };
        let kernel = if index == 0 { &kernels.weighted_pyramid } else { &kernels.pyramid };
        let buffers = [
            ("size", &coarser.uniform),
            ("image", &finer.image.buffer),
            ("coarser", &coarser.image.buffer),
            ("features", features.newest()),
            ("confidences", &weights.confidences.buffer),
        ];
        Some(Step::new(gpu, kernel, &buffers.into(), coarser.pixels()))
    };
    levels.windows(2).enumerate().filter_map(step).collect()
}
