use sunfleck_constants::group::GROUP;
use sunfleck_shaders::layout::{Front, Ray};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Batch of rays in GPU memory.
#[derive(Debug)]
pub struct RayBatch {
    pub(crate) rays: Array<Ray>,
    /// Entry points of each group of 64 consecutive rays, if the rays are coherent.
    pub(crate) entry_points: Option<Array<Front>>,
    /// Whether some ray has a negative `t_near`.
    pub(crate) has_negative_t_near: bool,
}

impl RayBatch {
    /// Uploads rays.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, rays: &[Ray]) -> Result<Self, GpuError> {
        let has_negative_t_near = rays.iter().any(|ray| ray.t_near < 0.0);
        Ok(Self { rays: Array::new(gpu, "rays", rays)?, entry_points: None, has_negative_t_near })
    }

    /// Uploads coherent rays: neighbours in the batch take about the same path, such as camera rays in tile order, or
    /// shadow rays to one light. A beam around each group of 64 rays finds the nodes at which they enter the trees
    /// [Reshetov05, entry points].
    ///
    /// Rays that diverge are also traced correctly, but a little slower. Without subgroups on the GPU, or if some ray
    /// has a negative `t_near`, all rays start at the root.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn coherent(gpu: &Gpu, rays: &[Ray]) -> Result<Self, GpuError> {
        let groups = rays.len().div_ceil(GROUP as usize);
        let entry_points =
            gpu.has_subgroups.then(|| Array::zeroed(gpu, "entry points", groups)).transpose()?;
        Ok(Self { entry_points, ..Self::new(gpu, rays)? })
    }

    /// Buffer of the rays, `array<Ray>`, for [kernels of other crates](crate::compute).
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.rays.buffer
    }

    /// Number of rays.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Whether there are no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
