use std::sync::Arc;

use bytemuck::Pod;
use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::{BEAM_ANY, BEAM_CLOSEST, BEAM_ENTRY_POINTS, Shader};
use wgpu::Buffer;

use crate::buffer::Array;
use crate::pipeline::{Pipeline, Stage, run};
use crate::timing::Stamps;
use crate::{Gpu, GpuError, RayBatch};

/// The two questions about rays, whatever they are traced in.
#[derive(Debug)]
pub(crate) struct Queries {
    pub(crate) gpu: Arc<Gpu>,
    /// What finds where groups of rays enter the trees, if they do not begin at the root.
    entry_points: Option<Pipeline>,
    pub(crate) closest: Pipeline,
    pub(crate) any: Pipeline,
}

impl Queries {
    /// * `text` — of one of the two shaders.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        [closest, any]: [&Shader; 2],
        text: impl Fn(&Shader) -> String,
    ) -> Result<Self, GpuError> {
        Ok(Self {
            closest: Pipeline::new(gpu, closest, &text(closest))?,
            any: Pipeline::new(gpu, any, &text(any))?,
            entry_points: None,
            gpu: gpu.clone(),
        })
    }

    /// Where groups of rays enter the trees is found first.
    pub(crate) fn from_entry_points(
        gpu: &Arc<Gpu>,
        text: impl Fn(&Shader) -> String,
    ) -> Result<Self, GpuError> {
        let entry_points = Pipeline::new(gpu, &BEAM_ENTRY_POINTS, &text(&BEAM_ENTRY_POINTS))?;
        let queries = Self::new(gpu, [&BEAM_CLOSEST, &BEAM_ANY], text)?;
        Ok(Self { entry_points: Some(entry_points), ..queries })
    }

    /// The closest hit of each ray. Waits for it.
    ///
    /// * `world` — what the kernels bind in group 0.
    pub(crate) fn closest(&self, world: &[(u32, &Buffer)], rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.submit::<Hit>(&self.closest, world, rays, 1, None)?.read(&self.gpu)
    }

    /// Whether there is anything on each ray. Waits for it.
    pub(crate) fn occluded(&self, world: &[(u32, &Buffer)], rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        let found = self.submit::<u32>(&self.any, world, rays, 1, None)?.read(&self.gpu)?;
        Ok(found.into_iter().map(|found| found != 0).collect())
    }

    /// Seconds that the GPU takes for the closest hits of the rays, `times` over; `None` if it has no time stamps.
    pub(crate) fn time_closest(
        &self,
        world: &[(u32, &Buffer)],
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<Hit>(&self.closest, world, rays, times)
    }

    /// As [`time_closest`](Self::time_closest), any hits.
    pub(crate) fn time_any(
        &self,
        world: &[(u32, &Buffer)],
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<u32>(&self.any, world, rays, times)
    }

    fn time<T: Pod>(
        &self,
        pipeline: &Pipeline,
        world: &[(u32, &Buffer)],
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        let Some(stamps) = Stamps::new(&self.gpu, times)? else { return Ok(None) };
        self.submit::<T>(pipeline, world, rays, times, Some(&stamps))?;
        stamps.read(&self.gpu).map(Some)
    }

    fn submit<T: Pod>(
        &self,
        pipeline: &Pipeline,
        world: &[(u32, &Buffer)],
        rays: &RayBatch,
        times: u32,
        stamps: Option<&Stamps>,
    ) -> Result<Array<T>, GpuError> {
        let answers = Array::vacant(&self.gpu, "hits", rays.len())?;
        if !rays.is_empty() {
            let mut arrays: Vec<_> = world.iter().map(|&(binding, array)| (0, binding, array)).collect();
            arrays.extend([(1, 0, &rays.rays.buffer), (1, 1, &answers.buffer)]);
            arrays.extend(rays.fronts.as_ref().map(|fronts| (1, 2, &fronts.buffer)));
            let stage = |kernel, threads| {
                let groups = Pipeline::groups(kernel, &self.gpu, &arrays);
                Stage { kernel, groups, threads }
            };
            let first = self.entry_points.as_ref().zip(rays.fronts.as_ref());
            let first = first.map(|(kernel, fronts)| stage(kernel, fronts.len()));
            let stages: Vec<_> = first.into_iter().chain([stage(pipeline, rays.len())]).collect();
            run(&self.gpu, &stages, times, stamps);
        }
        self.gpu.check()?;
        Ok(answers)
    }
}
