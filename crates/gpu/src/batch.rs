use sunfleck_shaders::layout::Ray;

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Rays where the GPU reads them.
#[derive(Debug)]
pub struct RayBatch {
    pub(crate) rays: Array<Ray>,
}

impl RayBatch {
    /// Uploads rays.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, rays: &[Ray]) -> Result<Self, GpuError> {
        Ok(Self { rays: Array::new(gpu, "rays", rays)? })
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
