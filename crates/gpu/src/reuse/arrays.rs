use std::sync::Arc;

use sunfleck_image::{Aov, AovSet};
use sunfleck_shaders::layout::{KeptPixel, PixelSurface};

use crate::buffer::Array;
use crate::film::{FilmSums, MeansKernels, PixelMeans};
use crate::{Gpu, GpuError};

/// Arrays for frames of one size.
#[derive(Debug)]
pub(super) struct ReuseArrays {
    pub(super) size: [u32; 2],
    /// What the centre of each pixel shows.
    pub(super) surfaces: Array<PixelSurface>,
    /// What is kept of two frames, the newest one and the one before.
    pub(super) kept: [Array<KeptPixel>; 2],
    /// Index in `kept` of the newest frame.
    pub(super) newest: usize,
    /// The newest frame with what it reuses, as sums of a film.
    pub(super) merged: FilmSums,
    pub(super) means: PixelMeans,
    /// Number of frames that each pixel is a mean of.
    pub(super) frame_counts: Array<f32>,
}

impl ReuseArrays {
    /// Allocates the arrays.
    ///
    /// * `channels` — whether frames have channels beside radiance.
    pub(super) fn new(
        gpu: &Gpu,
        means: &Arc<MeansKernels>,
        size: [u32; 2],
        channels: bool,
    ) -> Result<Self, GpuError> {
        let pixels = size[0] as usize * size[1] as usize;
        let kept = || Array::zeroed(gpu, "pixels of earlier frames", pixels);
        let aovs = if channels { AovSet::EMPTY.with(Aov::Features) } else { AovSet::EMPTY };
        let merged = FilmSums::new(gpu, pixels, aovs)?;
        Ok(Self {
            size,
            surfaces: Array::zeroed(gpu, "surfaces of pixels", pixels)?,
            kept: [kept()?, kept()?],
            newest: 0,
            means: PixelMeans::new(gpu, means, &[&merged], size)?,
            merged,
            frame_counts: Array::zeroed(gpu, "numbers of frames", pixels)?,
        })
    }
}
