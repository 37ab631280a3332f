use std::fmt;

use sunfleck_image::Picture;
use sunfleck_integrators::{RayCount, ViewSpec};

use crate::GpuError;

/// Frames of a camera that moves, each of which takes over what it can from the one before.
pub trait FrameSequence: fmt::Debug + Send {
    /// Computes the next frame; returns how many rays that took. Waits for it.
    ///
    /// * `view` — where the camera is, and how it maps the film; all else stays as it was when the sequence began.
    ///
    /// # Errors
    /// [`GpuError`].
    fn show(&mut self, view: &ViewSpec) -> Result<RayCount, GpuError>;

    /// Linear radiance of the newest frame; `None` before the first. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    fn picture(&self) -> Result<Option<Picture>, GpuError>;

    /// Virtual point lights of a frame.
    fn vpls(&self) -> usize;
}
