use std::fmt;

use sunfleck_image::Picture;
use sunfleck_integrators::{RayCount, ViewSpec};

use crate::GpuError;

/// Frames of a moving camera, each of which reuses what it can of the previous one (a temporal sequence).
pub trait FrameSequence: fmt::Debug + Send {
    /// Renders the next frame and returns the number of rays traced. Waits for the GPU.
    ///
    /// * `view` — position and projection of the camera; everything else stays as it was when the sequence began.
    ///
    /// # Errors
    /// [`GpuError`].
    fn show(&mut self, view: &ViewSpec) -> Result<RayCount, GpuError>;

    /// Reads the linear radiance of the newest frame; `None` before the first one. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    fn picture(&self) -> Result<Option<Picture>, GpuError>;

    /// Number of virtual point lights (VPLs) of a frame.
    fn vpls(&self) -> usize;
}
