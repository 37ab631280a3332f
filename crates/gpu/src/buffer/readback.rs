use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferUsages, CommandEncoder, PollType, SubmissionIndex};

use super::buffer;
use crate::{Gpu, GpuError};

/// Host-visible copy of an array.
#[derive(Debug)]
pub(crate) struct Readback<T> {
    staging: wgpu::Buffer,
    of: PhantomData<T>,
}

impl<T: Pod> Readback<T> {
    /// Creates a copy of an array with `len` elements.
    ///
    /// * `what` — name in messages, in the plural.
    pub(crate) fn new(gpu: &Gpu, what: &'static str, len: usize) -> Result<Self, GpuError> {
        let bytes = (len.max(1) * size_of::<T>()) as u64;
        let staging = buffer(gpu, what, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        Ok(Self { staging, of: PhantomData })
    }

    /// Records the copy of the first elements of an array.
    pub(crate) fn record(&self, encoder: &mut CommandEncoder, array: &wgpu::Buffer) {
        self.record_from(encoder, array, 0);
    }

    /// As [`record`](Self::record), beginning at the element `first`.
    pub(crate) fn record_from(&self, encoder: &mut CommandEncoder, array: &wgpu::Buffer, first: usize) {
        let at = (first * size_of::<T>()) as u64;
        encoder.copy_buffer_to_buffer(array, at, &self.staging, 0, self.staging.size());
    }

    /// Requests the mapping of the copy; to be called after its submission.
    pub(crate) fn request(&self) {
        // An error is reported when the content is read
        self.staging.map_async(wgpu::MapMode::Read, .., |_| ());
    }

    /// Passes the content of the finished copy to `f`. Afterwards the copy may be recorded again.
    pub(crate) fn read<R>(&self, f: impl FnOnce(&[T]) -> R) -> Result<R, GpuError> {
        Self::read_all(&[self], |slices| f(slices.first().copied().unwrap_or_default()))
    }

    /// As [`read`](Self::read), for several copies at once.
    pub(crate) fn read_all<R>(all: &[&Self], f: impl FnOnce(&[&[T]]) -> R) -> Result<R, GpuError> {
        let view = |readback: &&Self| readback.staging.get_mapped_range(..).map_err(GpuError::lost);
        let views: Vec<_> = all.iter().map(view).collect::<Result<_, _>>()?;
        let slices: Vec<&[T]> = views.iter().map(|view| bytemuck::cast_slice(view)).collect();
        let result = f(&slices);
        drop(slices);
        drop(views);
        all.iter().for_each(|readback| readback.staging.unmap());
        Ok(result)
    }
}

/// Waits until a submission is done; later ones may still run.
pub(crate) fn wait_for(gpu: &Gpu, submission: SubmissionIndex) -> Result<(), GpuError> {
    let waited = gpu.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
    gpu.check()?;
    waited.map(|_| ()).map_err(GpuError::lost)
}
