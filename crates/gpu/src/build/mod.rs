//! Kernels that make trees where they are read: the top level from nothing, bottom levels for vertices that have moved. Each dispatch has parameters of its
//! own; what one writes the next reads, so that the order is that of the dispatches, and results do not depend on the GPU's threads.

mod refit;
mod top;

use bytemuck::Pod;
use wgpu::{Buffer, BufferBinding, BufferSize};

use crate::buffer::Array;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};
pub(crate) use refit::{Moved, Refitter};
pub(crate) use top::TopBuilder;

/// A kernel for so many threads with some parameters.
type Dispatch<'a, T> = (&'a Pipeline, T, usize);

/// Submits dispatches one after the other.
///
/// * `groups` — what there is to bind, by group and number.
fn submit<T: Pod>(
    gpu: &Gpu,
    dispatches: &[Dispatch<'_, T>],
    groups: [&[(u32, &Buffer)]; 2],
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
        let chosen = |group: u32| {
            let is_used = |(binding, _): &&(u32, &Buffer)| pipeline.uses(group, *binding);
            let used = groups[group as usize].iter().filter(is_used);
            used.map(|&(binding, buffer)| (binding, buffer.as_entire_buffer_binding())).collect::<Vec<_>>()
        };
        let step = BufferBinding {
            buffer: &steps.buffer,
            offset: (i * stride) as u64,
            size: BufferSize::new(size_of::<T>() as u64),
        };
        let own: Vec<_> = [(0, step)].into_iter().chain(chosen(1)).collect();
        let groups = [pipeline.bind_parts(gpu, 0, &chosen(0)), pipeline.bind_parts(gpu, 1, &own)];
        pipeline.record(gpu, &mut pass, &groups, *threads);
    }
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Ok(())
}
