use sunfleck_denoise::learned::{ALIGNMENT, LEVELS};
use sunfleck_shaders::layout::DenoisedSize;
use wgpu::Buffer;

use super::weights::NetworkWeights;
use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// One resolution of the image.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) size: DenoisedSize,
    /// The size as a uniform.
    pub(super) uniform: Buffer,
    /// Logarithm of 1 + irradiance, and the weight as a neighbour.
    pub(super) image: Array<[f32; 4]>,
}

impl Level {
    /// Allocates all resolutions, the full one first.
    ///
    /// * `width`, `height` — size of the image, which is padded so that four halvings leave whole pixels.
    pub(super) fn all(
        gpu: &Gpu,
        weights: &NetworkWeights,
        [width, height]: [u32; 2],
    ) -> Result<Vec<Self>, GpuError> {
        let alignment = u32::try_from(ALIGNMENT).unwrap_or(1);
        let level = |level: usize| {
            let size = DenoisedSize {
                width: width.next_multiple_of(alignment) >> level,
                height: height.next_multiple_of(alignment) >> level,
                image_width: width,
                image_height: height,
                channels: u32::try_from(weights.widths[level.saturating_sub(1)]).unwrap_or(u32::MAX),
            };
            let uniform = Array::new(gpu, "sizes", &[size])?.buffer;
            let pixels = size.width as usize * size.height as usize;
            Ok(Self { size, uniform, image: Array::zeroed(gpu, "pixels of images", pixels)? })
        };
        (0..=LEVELS).map(level).collect()
    }

    /// Returns the number of pixels, padding included.
    pub(super) fn pixels(&self) -> usize {
        self.image.len()
    }
}
