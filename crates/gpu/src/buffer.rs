use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferDescriptor, BufferUsages, ErrorFilter};

use crate::{Gpu, GpuError};

/// An array in the memory of the GPU.
#[derive(Debug)]
pub(crate) struct Array<T> {
    pub(crate) buffer: wgpu::Buffer,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Array<T> {
    /// One without content.
    ///
    /// * `what` — in the plural, for messages.
    pub(crate) fn vacant(gpu: &Gpu, what: &'static str, len: usize) -> Result<Self, GpuError> {
        let bytes = (len.max(1) * size_of::<T>()) as u64;
        let limit = gpu.most_bytes();
        if bytes > limit {
            return Err(GpuError::TooLarge { what, bytes, limit });
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        Ok(Self { buffer: buffer(gpu, what, bytes, usage)?, len, of: PhantomData })
    }

    /// One with that content. An empty one has room for one, all zeros.
    pub(crate) fn new(gpu: &Gpu, what: &'static str, content: &[T]) -> Result<Self, GpuError> {
        let array = Self::vacant(gpu, what, content.len())?;
        array.write(gpu, content);
        Ok(array)
    }

    /// Replaces the first elements.
    pub(crate) fn write(&self, gpu: &Gpu, content: &[T]) {
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(content));
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The content. Waits until all that was submitted is done.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<Vec<T>, GpuError> {
        let bytes = (self.len * size_of::<T>()) as u64;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let staging = buffer(gpu, "results", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &staging, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| ());
        gpu.wait()?;
        let lost = |error: wgpu::MapRangeError| GpuError::Lost { why: error.to_string() };
        let view = staging.get_mapped_range(..).map_err(lost)?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }
}

fn buffer(gpu: &Gpu, what: &'static str, bytes: u64, usage: BufferUsages) -> Result<wgpu::Buffer, GpuError> {
    let scope = gpu.device.push_error_scope(ErrorFilter::OutOfMemory);
    let descriptor = BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation: false };
    let buffer = gpu.device.create_buffer(&descriptor);
    match pollster::block_on(scope.pop()) {
        Some(_) => Err(GpuError::OutOfMemory { what, bytes }),
        None => Ok(buffer),
    }
}
