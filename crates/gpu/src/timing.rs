use wgpu::{BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySetDescriptor, QueryType};

use crate::{Gpu, GpuError};

/// Time stamps that the GPU takes before and after passes.
#[derive(Debug)]
pub(crate) struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    /// Nanoseconds.
    tick: f32,
}

impl Stamps {
    /// For so many passes; `None` if the GPU has no time stamps.
    pub(crate) fn new(gpu: &Gpu, passes: u32) -> Option<Self> {
        let tick = gpu.tick?;
        let count = 2 * passes;
        let buffer = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("time stamps"),
                size: u64::from(count) * 8,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: gpu.device.create_query_set(&QuerySetDescriptor {
                label: None,
                ty: QueryType::Timestamp,
                count,
            }),
            resolved: buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            readable: buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            tick,
        })
    }

    pub(crate) fn of_pass(&self, pass: u32) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    pub(crate) fn resolve(&self, encoder: &mut CommandEncoder) {
        let count = u32::try_from(self.resolved.size() / 8).unwrap_or(0);
        encoder.resolve_query_set(&self.queries, 0..count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, self.resolved.size());
    }

    /// Seconds of each pass. Waits until all that was submitted is done.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<Vec<f64>, GpuError> {
        self.readable.map_async(wgpu::MapMode::Read, .., |_| ());
        gpu.wait()?;
        let lost = |error: wgpu::MapRangeError| GpuError::Lost { why: error.to_string() };
        let view = self.readable.get_mapped_range(..).map_err(lost)?;
        let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
        let seconds = |pair: &[u64]| match pair {
            [start, end] => end.wrapping_sub(*start) as f64 * f64::from(self.tick) * 1e-9,
            _ => 0.0,
        };
        Ok(stamps.chunks(2).map(seconds).collect())
    }
}
