use sunfleck_constants::group::GROUP;
use sunfleck_shaders::layout::{Front, Ray};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Rays where the GPU reads them.
#[derive(Debug)]
pub struct RayBatch {
    pub(crate) rays: Array<Ray>,
    /// Where groups of neighbours enter the trees, if that is worth finding.
    pub(crate) fronts: Option<Array<Front>>,
    /// Whether some begin behind their origins.
    pub(crate) behind: bool,
}

impl RayBatch {
    /// Uploads rays.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, rays: &[Ray]) -> Result<Self, GpuError> {
        let behind = rays.iter().any(|ray| ray.t_near < 0.0);
        Ok(Self { rays: Array::new(gpu, "rays", rays)?, fronts: None, behind })
    }

    /// Uploads rays of which neighbours have about the same way, such as those from a camera, tile by tile, or to a lamp: a beam around each 64 of them finds
    /// where they enter the trees [Reshetov05, entry points]. Rays that do not are traced as well, a little slower, and so are all if some begin behind their origins, or
    /// if the GPU has no subgroups.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn coherent(gpu: &Gpu, rays: &[Ray]) -> Result<Self, GpuError> {
        let groups = rays.len().div_ceil(GROUP as usize);
        let fronts = gpu.has_subgroups.then(|| Array::vacant(gpu, "entry points", groups)).transpose()?;
        Ok(Self { fronts, ..Self::new(gpu, rays)? })
    }

    /// The rays as `array<Ray>`, for [kernels of other rooms](crate::compute).
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.rays.buffer
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
