use std::sync::Arc;

use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, Timestamps, run};
use sunfleck_gpu::{Gpu, GpuError, RayBatch};
use sunfleck_shaders::layout::{Hit, Plane};
use sunfleck_shaders::passes::crossbar;

/// Brute force on the GPU: all pairs of rays and triangles, the crossbar of [RayEngine02, §3].
#[derive(Debug)]
pub struct Crossbar {
    gpu: Arc<Gpu>,
    pipeline: Pipeline,
    planes: Array<Plane>,
}

impl Crossbar {
    /// Uploads the triangles.
    ///
    /// * `planes` — the triangles.
    ///
    /// # Errors
    /// [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Arc<Gpu>, planes: &[Plane]) -> Result<Self, GpuError> {
        let planes = Array::new(gpu, "triangles", planes)?;
        let pipeline = Pipeline::of_shader(gpu, &crossbar::CLOSEST)?;
        Ok(Self { gpu: gpu.clone(), pipeline, planes })
    }

    /// Returns the closest hit of each ray; `prim_id` is the index of the triangle. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.submit(rays, 1, None)?.read(&self.gpu)
    }

    /// Returns the GPU times of `times` repetitions in seconds; `None` if the GPU has no timestamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time(&self, rays: &RayBatch, times: u32) -> Result<Option<Vec<f64>>, GpuError> {
        let Some(stamps) = Timestamps::new(&self.gpu, times)? else { return Ok(None) };
        self.submit(rays, times, Some(&stamps))?;
        stamps.read(&self.gpu).map(Some)
    }

    fn submit(
        &self,
        rays: &RayBatch,
        times: u32,
        stamps: Option<&Timestamps>,
    ) -> Result<Array<Hit>, GpuError> {
        let hits = Array::zeroed(&self.gpu, "hits", rays.len())?;
        if !rays.is_empty() {
            let buffers =
                [("planes", self.planes.buffer()), ("rays", rays.buffer()), ("hits", hits.buffer())];
            let group = self.pipeline.bind(&self.gpu, &buffers.into())?;
            let dispatch = Dispatch { kernel: &self.pipeline, group, items: rays.len() };
            run(&self.gpu, &[dispatch], times, stamps);
        }
        self.gpu.check()?;
        Ok(hits)
    }
}
