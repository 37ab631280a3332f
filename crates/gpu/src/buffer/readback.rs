use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferUsages, CommandEncoder, PollType, SubmissionIndex};

use super::buffer;
use crate::{Gpu, GpuError};

/// Where the host reads an array, some time after it was copied.
#[derive(Debug)]
pub(crate) struct Readback<T> {
    staging: wgpu::Buffer,
    of: PhantomData<T>,
}

impl<T: Pod> Readback<T> {
    /// For an array of so many.
    ///
    /// * `what` — in the plural, for messages.
    pub(crate) fn new(gpu: &Gpu, what: &'static str, len: usize) -> Result<Self, GpuError> {
        let bytes = (len.max(1) * size_of::<T>()) as u64;
        let staging = buffer(gpu, what, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        Ok(Self { staging, of: PhantomData })
    }

    /// Copies the beginning of an array, when the GPU comes to it.
    pub(crate) fn record(&self, encoder: &mut CommandEncoder, array: &wgpu::Buffer) {
        self.record_from(encoder, array, 0);
    }

    /// The same from an element on.
    pub(crate) fn record_from(&self, encoder: &mut CommandEncoder, array: &wgpu::Buffer, first: usize) {
        let at = (first * size_of::<T>()) as u64;
        encoder.copy_buffer_to_buffer(array, at, &self.staging, 0, self.staging.size());
    }

    /// Asks for the copy, once it is submitted.
    pub(crate) fn ask(&self) {
        // A failure shows when the content is looked at
        self.staging.map_async(wgpu::MapMode::Read, .., |_| ());
    }

    /// Looks at the copy, which is done; then it may be made again.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&[T]) -> R) -> Result<R, GpuError> {
        Self::look_at_all(&[self], |parts| look(parts.first().copied().unwrap_or_default()))
    }

    /// The same of several, all at once.
    pub(crate) fn look_at_all<R>(all: &[&Self], look: impl FnOnce(&[&[T]]) -> R) -> Result<R, GpuError> {
        let view = |readback: &&Self| readback.staging.get_mapped_range(..).map_err(GpuError::lost);
        let views: Vec<_> = all.iter().map(view).collect::<Result<_, _>>()?;
        let parts: Vec<&[T]> = views.iter().map(|view| bytemuck::cast_slice(view)).collect();
        let seen = look(&parts);
        drop(parts);
        drop(views);
        all.iter().for_each(|readback| readback.staging.unmap());
        Ok(seen)
    }
}

/// Waits until what was submitted there is done; what came later goes on.
pub(crate) fn wait_for(gpu: &Gpu, submission: SubmissionIndex) -> Result<(), GpuError> {
    let waited = gpu.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
    gpu.check()?;
    waited.map(|_| ()).map_err(GpuError::lost)
}
