//! Kernels that build and refit trees on the GPU: the top level from scratch, bottom levels of meshes whose vertices
//! moved.
//!
//! Each dispatch has its own parameters and reads what the previous ones wrote; results do not depend on the order of
//! threads.

mod refit;
mod top_level;

use bytemuck::Pod;
use wgpu::{BufferBinding, BufferSize};

use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};
pub(crate) use refit::{RefitJob, Refitter};
pub(crate) use top_level::TopLevelTreeBuilder;

/// A kernel, its parameters, and its number of threads.
type Dispatch<'a, T> = (&'a Pipeline, T, usize);

/// Submits dispatches in their order.
///
/// * `name` — WESL variable of the parameters.
/// * `buffers` — further resources of the kernels.
fn submit<T: Pod>(
    gpu: &Gpu,
    name: &'static str,
    dispatches: &[Dispatch<'_, T>],
    buffers: &Resources<'_>,
) -> Result<(), GpuError> {
    // Parameters of each dispatch start at an offset with the alignment that bindings require
    let stride = (gpu.device.limits().min_storage_buffer_offset_alignment as usize).max(size_of::<T>());
    let mut bytes = vec![0u8; stride * dispatches.len()];
    for ((_, step, _), slot) in dispatches.iter().zip(bytes.chunks_mut(stride)) {
        slot[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(step));
    }
    let steps = Array::new(gpu, "steps", &bytes)?;

    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    for (i, (pipeline, _, threads)) in dispatches.iter().enumerate() {
        let (offset, size) = ((i * stride) as u64, BufferSize::new(size_of::<T>() as u64));
        let step = BufferBinding { buffer: &steps.buffer, offset, size };
        let group = pipeline.bind(gpu, &buffers.clone().with_range(name, step))?;
        pipeline.record(gpu, &mut pass, &group, *threads);
    }
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Ok(())
}
