//! Arrays in the memory of the GPU.

mod mirrored;
mod pool;
mod range_allocator;
mod readback;
mod upload;

use std::marker::PhantomData;

use bytemuck::Pod;
use wgpu::{BufferDescriptor, BufferUsages, ErrorFilter};

use crate::{Gpu, GpuError};
pub(crate) use mirrored::MirroredBuffer;
pub(crate) use pool::{Pool, SegmentedArray};
pub(crate) use readback::{Readback, wait_for};
pub(crate) use upload::Upload;

/// An array in the memory of the GPU, which kernels read and write.
#[derive(Debug)]
pub struct Array<T> {
    pub(crate) buffer: wgpu::Buffer,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Array<T> {
    /// Creates an array of zeros, with memory for one element if `len` is 0.
    ///
    /// * `what` — name in messages, in the plural.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn zeroed(gpu: &Gpu, what: &'static str, len: usize) -> Result<Self, GpuError> {
        let bytes = (len.max(1) * size_of::<T>()) as u64;
        Ok(Self { buffer: array_buffer(gpu, what, bytes)?, len, of: PhantomData })
    }

    /// Creates an array with the given content. An empty array has memory for one element, which is zero.
    ///
    /// * `what` — name in messages, in the plural.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed).
    pub fn new(gpu: &Gpu, what: &'static str, content: &[T]) -> Result<Self, GpuError> {
        let array = Self::zeroed(gpu, what, content.len())?;
        array.write(gpu, content);
        Ok(array)
    }

    /// Replaces the first elements, before the next submission runs. If `content` is longer than the array, the device
    /// fails: see [`Gpu::check`].
    pub fn write(&self, gpu: &Gpu, content: &[T]) {
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(content));
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The wgpu buffer, which pipelines bind.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Reads the content. Waits until all submitted work is done.
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
        results.request();
        gpu.wait()?;
        results.read(<[T]>::to_vec)
    }
}

/// Allocates a buffer that can be bound as storage or as uniform.
fn array_buffer(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
    let by_kernels = BufferUsages::STORAGE | BufferUsages::UNIFORM;
    buffer(gpu, what, bytes, by_kernels | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
}

/// Copies a whole buffer to the beginning of another one.
fn copy(gpu: &Gpu, from: &wgpu::Buffer, to: &wgpu::Buffer) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    gpu.queue.submit([encoder.finish()]);
}

/// Allocates a buffer on the GPU. With [`BufferUsages::MAP_WRITE`] it is mapped.
///
/// * `what` — name in messages, in the plural.
///
/// # Errors
/// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
pub fn buffer(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
    usage: BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    let limit = gpu.max_binding_bytes();
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
