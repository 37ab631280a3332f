use std::sync::Arc;

use sunfleck_image::{Aov, AovSet};
use sunfleck_shaders::layout::{HistoryPixel, PixelSurface};

use crate::buffer::Array;
use crate::film::{FilmSums, MeansKernels, PixelMeans};
use crate::{Gpu, GpuError};

/// Arrays for frames of one size.
#[derive(Debug)]
pub(super) struct ReuseArrays {
    pub(super) size: [u32; 2],
    /// Primary surface of each pixel.
    pub(super) surfaces: Array<PixelSurface>,
    /// Histories up to the newest frame and up to the previous one.
    pub(super) histories: [Array<HistoryPixel>; 2],
    /// Index in `histories` of that up to the newest frame.
    pub(super) newest: usize,
    /// The newest frame with what it reuses, as sums of a film.
    pub(super) merged: FilmSums,
    pub(super) means: PixelMeans,
    /// Number of frames that the diffuse light of each pixel is a mean of.
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
        let history = || Array::zeroed(gpu, "histories of pixels", pixels);
        let aovs = if channels { AovSet::EMPTY.with(Aov::Features) } else { AovSet::EMPTY };
        let merged = FilmSums::new(gpu, pixels, aovs)?;
        Ok(Self {
            size,
            surfaces: Array::zeroed(gpu, "surfaces of pixels", pixels)?,
            histories: [history()?, history()?],
            newest: 0,
            means: PixelMeans::new(gpu, means, &[&merged], size)?,
            merged,
            frame_counts: Array::zeroed(gpu, "numbers of frames", pixels)?,
        })
    }
}
