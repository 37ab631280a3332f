use wgpu::{BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySetDescriptor, QueryType};

use crate::buffer::{Readback, buffer};
use crate::{Gpu, GpuError};

/// Time stamps that the GPU takes before and after compute passes.
#[derive(Debug)]
pub struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: Readback<[u64; 2]>,
    passes: u32,
    /// Nanoseconds.
    tick: f32,
}

/// What a stage takes in all steps together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// Of the stage.
    pub name: &'static str,
    /// Seconds.
    pub seconds: f64,
}

impl Stamps {
    /// For so many passes; `None` if the GPU has no time stamps.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, passes: u32) -> Result<Option<Self>, GpuError> {
        let Some(tick) = gpu.tick else { return Ok(None) };
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
            tick,
        }))
    }

    /// What the descriptor of pass number `pass` takes.
    pub fn of_pass(&self, pass: u32) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    /// Copies the stamps to where the host reads them, after the passes.
    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * self.passes, &self.resolved, 0);
        self.readable.record(encoder, &self.resolved);
    }

    /// Asks for the stamps of what was submitted; they can be [looked at](Self::look) once that is done.
    pub fn ask(&self) {
        self.readable.ask();
    }

    /// Seconds of each pass, all of which are done and [asked for](Self::ask).
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn look(&self) -> Result<Vec<f64>, GpuError> {
        let seconds = |[start, end]: &[u64; 2]| end.wrapping_sub(*start) as f64 * f64::from(self.tick) * 1e-9;
        self.readable.look(|passes| passes.iter().map(seconds).collect())
    }

    /// Seconds of each pass. Waits until all that was submitted is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<f64>, GpuError> {
        self.ask();
        gpu.wait()?;
        self.look()
    }
}
