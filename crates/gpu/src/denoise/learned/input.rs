use sunfleck_constants::denoise::{METERING_BLOCK_EDGE, METERING_BLOCK_PIXELS};
use sunfleck_shaders::layout::{ImageScales, MeteredBlock, NoisyPixel};
use wgpu::Buffer;

use super::super::step::Step;
use super::kernels::LearnedKernels;
use super::level::Level;
use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Returns the dispatches that compute the scales, the irradiance and the input of the network.
///
/// * `level` — the full resolution; `features` — the input of the network, which is written.
pub(super) fn steps(
    gpu: &Gpu,
    kernels: &LearnedKernels,
    level: &Level,
    noisy: &Array<NoisyPixel>,
    scales: &Array<ImageScales>,
    features: &Buffer,
) -> Result<[Step; 3], GpuError> {
    let (size, uniform) = (&level.size, &level.uniform);
    let blocks = (size.image_width.div_ceil(METERING_BLOCK_EDGE)
        * size.image_height.div_ceil(METERING_BLOCK_EDGE)) as usize;
    let metered: Array<MeteredBlock> = Array::zeroed(gpu, "metered blocks", blocks)?;
    let group = METERING_BLOCK_PIXELS as usize;
    let meter = [("size", uniform), ("noisy", &noisy.buffer), ("blocks", &metered.buffer)];
    let scale = [("size", uniform), ("blocks", &metered.buffer), ("scales", &scales.buffer)];
    let input = [
        ("size", uniform),
        ("noisy", &noisy.buffer),
        ("scales", &scales.buffer),
        ("image", &level.image.buffer),
        ("features", features),
    ];
    Ok([
        Step::new(gpu, &kernels.meter, &meter.into(), blocks * group)?,
        Step::new(gpu, &kernels.scales, &scale.into(), group)?,
        Step::new(gpu, &kernels.input, &input.into(), level.pixels())?,
    ])
}
