use std::sync::Arc;

use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::{ANY, CLOSEST};

use crate::buffer::Array;
use crate::mirror::Form;
use crate::pipeline::Pipeline;
use crate::ray_engine::Question;
use crate::timing::Stamps;
use crate::{Gpu, GpuError, Mirror, RayBatch};

/// The two questions about rays, compiled for worlds of some depth.
#[derive(Debug)]
pub struct Tracer {
    gpu: Arc<Gpu>,
    closest: Pipeline,
    any: Pipeline,
    form: Form,
}

impl Tracer {
    /// For worlds no deeper than that of `mirror`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, mirror: &Mirror) -> Result<Self, GpuError> {
        let form = mirror.form();
        Ok(Self {
            closest: Pipeline::new(gpu, &CLOSEST, &form.text(&CLOSEST))?,
            any: Pipeline::new(gpu, &ANY, &form.text(&ANY))?,
            gpu: gpu.clone(),
            form,
        })
    }

    /// The closest hit of each ray. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the world is deeper than the tracer is made for or there are too many rays, [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.ask(&self.closest, mirror, rays)
    }

    /// Whether there is anything on each ray. Waits for it.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        let found: Vec<u32> = self.ask(&self.any, mirror, rays)?;
        Ok(found.into_iter().map(|found| found != 0).collect())
    }

    /// Seconds that the GPU takes for the closest hits of the rays, `times` over; `None` if it has no time stamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_closest(
        &self,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<Hit>(&self.closest, mirror, rays, times)
    }

    /// As [`time_closest`](Self::time_closest), any hits.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_any(
        &self,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<u32>(&self.any, mirror, rays, times)
    }

    /// Bindings of streams that somebody keeps.
    pub(crate) fn groups(
        &self,
        question: Question,
        mirror: &Mirror,
        rays: &wgpu::Buffer,
        answers: &wgpu::Buffer,
    ) -> [wgpu::BindGroup; 2] {
        let pipeline = self.pipeline(question);
        [
            pipeline.bind(&self.gpu, 0, &mirror.bindings()),
            pipeline.bind(&self.gpu, 1, &[(0, rays), (1, answers)]),
        ]
    }

    /// Adds a question about the first rays of bound streams to a pass.
    pub(crate) fn record(
        &self,
        question: Question,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &[wgpu::BindGroup],
        rays: usize,
    ) {
        self.pipeline(question).record(&self.gpu, pass, groups, rays);
    }

    fn pipeline(&self, question: Question) -> &Pipeline {
        match question {
            Question::Closest => &self.closest,
            Question::Any => &self.any,
        }
    }

    fn ask<T: bytemuck::Pod>(
        &self,
        pipeline: &Pipeline,
        mirror: &Mirror,
        rays: &RayBatch,
    ) -> Result<Vec<T>, GpuError> {
        let answers = self.submit::<T>(pipeline, mirror, rays, 1, None)?;
        answers.read(&self.gpu)
    }

    fn time<T: bytemuck::Pod>(
        &self,
        pipeline: &Pipeline,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        let Some(stamps) = Stamps::new(&self.gpu, times)? else { return Ok(None) };
        self.submit::<T>(pipeline, mirror, rays, times, Some(&stamps))?;
        stamps.read(&self.gpu).map(Some)
    }

    fn submit<T: bytemuck::Pod>(
        &self,
        pipeline: &Pipeline,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
        stamps: Option<&Stamps>,
    ) -> Result<Array<T>, GpuError> {
        self.form.serves(&mirror.form())?;
        let answers = Array::vacant(&self.gpu, "hits", rays.len())?;
        if !rays.is_empty() {
            let groups = [
                pipeline.bind(&self.gpu, 0, &mirror.bindings()),
                pipeline.bind(&self.gpu, 1, &[(0, &rays.rays.buffer), (1, &answers.buffer)]),
            ];
            pipeline.run(&self.gpu, &groups, rays.len(), times, stamps);
        }
        self.gpu.check()?;
        Ok(answers)
    }
}
