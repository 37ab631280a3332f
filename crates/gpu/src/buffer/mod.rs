//! Arrays in the memory of the GPU.

mod pool;
mod ranges;
mod readback;
mod twin;
mod upload;

use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferDescriptor, BufferUsages, ErrorFilter};

use crate::{Gpu, GpuError};
pub(crate) use pool::{Parts, Pool};
pub(crate) use readback::{Readback, wait_for};
pub(crate) use twin::Twin;
pub(crate) use upload::Upload;

/// An array in the memory of the GPU, which kernels read and write.
#[derive(Debug)]
pub struct Array<T> {
    pub(crate) buffer: wgpu::Buffer,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Array<T> {
    /// An array of zeros, or room for one element if `len` is 0.
    ///
    /// * `what` — in the plural, for messages.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn vacant(gpu: &Gpu, what: &'static str, len: usize) -> Result<Self, GpuError> {
        let bytes = (len.max(1) * size_of::<T>()) as u64;
        Ok(Self { buffer: array_buffer(gpu, what, bytes)?, len, of: PhantomData })
    }

    /// An array with that content. An empty one has room for one element, all zeros.
    ///
    /// * `what` — in the plural, for messages.
    ///
    /// # Errors
    /// As [`vacant`](Self::vacant).
    pub fn new(gpu: &Gpu, what: &'static str, content: &[T]) -> Result<Self, GpuError> {
        let array = Self::vacant(gpu, what, content.len())?;
        array.write(gpu, content);
        Ok(array)
    }

    /// Replaces the first elements, before what is submitted next. More than the array holds make the device fail: [`Gpu::check`].
    pub fn write(&self, gpu: &Gpu, content: &[T]) {
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(content));
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What pipelines bind.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The content. Waits until all that was submitted is done.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<T>, GpuError> {
        if self.len == 0 {
            return Ok(Vec::new());
        }
        let results = Readback::new(gpu, "results", self.len)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        results.record(&mut encoder, &self.buffer);
        gpu.queue.submit([encoder.finish()]);
        results.ask();
        gpu.wait()?;
        results.look(<[T]>::to_vec)
    }
}

/// Memory that kernels read and write, or that is the same for all of their threads.
fn array_buffer(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
    let by_kernels = BufferUsages::STORAGE | BufferUsages::UNIFORM;
    buffer(gpu, what, bytes, by_kernels | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
}

/// Copies all of a buffer to the beginning of another one.
fn copy(gpu: &Gpu, from: &wgpu::Buffer, to: &wgpu::Buffer) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    gpu.queue.submit([encoder.finish()]);
}

/// Memory on the GPU. With [`BufferUsages::MAP_WRITE`] it is mapped.
///
/// * `what` — in the plural, for messages.
///
/// # Errors
/// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
pub fn buffer(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
    usage: BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    let limit = gpu.most_bytes();
    if bytes > limit {
        return Err(GpuError::TooLarge { what, bytes, limit });
    }
    let scope = gpu.device.push_error_scope(ErrorFilter::OutOfMemory);
    let mapped_at_creation = usage.contains(BufferUsages::MAP_WRITE);
    let descriptor = BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation };
    let buffer = gpu.device.create_buffer(&descriptor);
    match pollster::block_on(scope.pop()) {
        Some(_) => Err(GpuError::OutOfMemory { what, bytes }),
        None => Ok(buffer),
    }
}
