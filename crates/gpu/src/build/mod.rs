//! Kernels that make trees where they are read: the top level from nothing, bottom levels for vertices that have moved. Each dispatch has parameters of its
//! own; what one writes the next reads, so that the order is that of the dispatches, and results do not depend on the GPU's threads.

mod refit;
mod top;

use bytemuck::Pod;
use wgpu::{BufferBinding, BufferSize};

use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};
pub(crate) use refit::{Moved, Refitter};
pub(crate) use top::TopBuilder;

/// A kernel for so many threads with some parameters.
type Dispatch<'a, T> = (&'a Pipeline, T, usize);

/// Submits dispatches one after the other.
///
/// * `name` — of the parameters, as the kernels call them. * `buffers` — what they use beside.
fn submit<T: Pod>(
    gpu: &Gpu,
    name: &'static str,
    dispatches: &[Dispatch<'_, T>],
    buffers: &Resources<'_>,
) -> Result<(), GpuError> {
    // Each where a binding may begin
    let stride = (gpu.device.limits().min_storage_buffer_offset_alignment as usize).max(size_of::<T>());
    let mut bytes = vec![0u8; stride * dispatches.len()];
    for ((_, step, _), room) in dispatches.iter().zip(bytes.chunks_mut(stride)) {
        room[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(step));
    }
    let steps = Array::new(gpu, "steps", &bytes)?;

    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    for (i, (pipeline, _, threads)) in dispatches.iter().enumerate() {
        let (offset, size) = ((i * stride) as u64, BufferSize::new(size_of::<T>() as u64));
        let step = BufferBinding { buffer: &steps.buffer, offset, size };
        let group = pipeline.bind(gpu, &buffers.clone().with_part(name, step))?;
        pipeline.record(gpu, &mut pass, &group, *threads);
    }
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Ok(())
}
