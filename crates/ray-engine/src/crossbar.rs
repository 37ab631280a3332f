use std::sync::Arc;

use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, Stamps, run};
use sunfleck_gpu::{Gpu, GpuError, RayBatch};
use sunfleck_shaders::CROSSBAR;
use sunfleck_shaders::layout::{Hit, Plane};

/// Brute force on the GPU: all pairs of rays and triangles, the crossbar of [RayEngine02, §3].
#[derive(Debug)]
pub struct Crossbar {
    gpu: Arc<Gpu>,
    pipeline: Pipeline,
    planes: Array<Plane>,
}

impl Crossbar {
    /// * `planes` — the triangles.
    ///
    /// # Errors
    /// [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Arc<Gpu>, planes: &[Plane]) -> Result<Self, GpuError> {
        let planes = Array::new(gpu, "triangles", planes)?;
        let pipeline = Pipeline::of_shader(gpu, &CROSSBAR)?;
        Ok(Self { gpu: gpu.clone(), pipeline, planes })
    }

    /// The closest hit of each ray: `prim_id` is the index of the triangle. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.submit(rays, 1, None)?.read(&self.gpu)
    }

    /// Seconds that the GPU takes, `times` over; `None` if it has no time stamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time(&self, rays: &RayBatch, times: u32) -> Result<Option<Vec<f64>>, GpuError> {
        let Some(stamps) = Stamps::new(&self.gpu, times)? else { return Ok(None) };
        self.submit(rays, times, Some(&stamps))?;
        stamps.read(&self.gpu).map(Some)
    }

    fn submit(&self, rays: &RayBatch, times: u32, stamps: Option<&Stamps>) -> Result<Array<Hit>, GpuError> {
        let hits = Array::vacant(&self.gpu, "hits", rays.len())?;
        if !rays.is_empty() {
            let groups = vec![
                self.pipeline.bind(&self.gpu, 0, &[(0, self.planes.buffer())]),
                self.pipeline.bind(&self.gpu, 1, &[(0, rays.buffer()), (1, hits.buffer())]),
            ];
            let dispatch = Dispatch { kernel: &self.pipeline, groups, items: rays.len() };
            run(&self.gpu, &[dispatch], times, stamps);
        }
        self.gpu.check()?;
        Ok(hits)
    }
}
