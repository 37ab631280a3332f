use wgpu::{BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySetDescriptor, QueryType};

use crate::buffer::{Readback, buffer};
use crate::{Gpu, GpuError};

/// Timestamps that the GPU takes before and after compute passes.
#[derive(Debug)]
pub struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: Readback<[u64; 2]>,
    passes: u32,
    /// Nanoseconds per tick.
    period_ns: f32,
}

/// Time of a stage, summed over all steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// Name of the stage.
    pub name: &'static str,
    /// Time, seconds.
    pub seconds: f64,
}

impl Timestamps {
    /// Timestamps for a number of passes; `None` if the GPU has no timestamps.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, passes: u32) -> Result<Option<Self>, GpuError> {
        let Some(period_ns) = gpu.timestamp_period_ns else { return Ok(None) };
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let bytes = u64::from(passes.max(1)) * size_of::<[u64; 2]>() as u64;
        let queries = gpu.device.create_query_set(&QuerySetDescriptor {
            label: None,
            ty: QueryType::Timestamp,
            count: 2 * passes.max(1),
        });
        Ok(Some(Self {
            queries,
            resolved: buffer(gpu, "time stamps", bytes, usage)?,
            readable: Readback::new(gpu, "time stamps", passes as usize)?,
            passes,
            period_ns,
        }))
    }

    /// Timestamp writes for the descriptor of the pass with index `pass`.
    pub fn of_pass(&self, pass: u32) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    /// Records the copy of the timestamps to host-visible memory, after the passes.
    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * self.passes, &self.resolved, 0);
        self.readable.record(encoder, &self.resolved);
    }

    /// Requests the timestamps of submitted passes; they can be [read](Self::read_requested) once the submission is
    /// done.
    pub fn request(&self) {
        self.readable.request();
    }

    /// Returns the time of each pass in seconds, after the timestamps were [requested](Self::request) and the
    /// submission is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn read_requested(&self) -> Result<Vec<f64>, GpuError> {
        let seconds =
            |[start, end]: &[u64; 2]| end.wrapping_sub(*start) as f64 * f64::from(self.period_ns) * 1e-9;
        self.readable.read(|passes| passes.iter().map(seconds).collect())
    }

    /// Returns the time of each pass in seconds. Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<f64>, GpuError> {
        self.request();
        gpu.wait()?;
        self.read_requested()
    }
}
