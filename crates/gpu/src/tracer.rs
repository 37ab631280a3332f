use std::sync::{Arc, OnceLock};

use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::{ANY, CLOSEST, ORDERED_ANY, ORDERED_CLOSEST, Shader};

use crate::mirror::Form;
use crate::once::made_once;
use crate::pipeline::Pipeline;
use crate::queries::{Queries, RayQuery};
use crate::{Gpu, GpuError, Mirror, RayBatch};

/// Kernels for both [queries](RayQuery) about streams of rays in a mirror, compiled for worlds of some depth, with instances or without.
#[derive(Debug)]
pub struct Tracer {
    queries: Queries,
    /// For rays whose neighbours have about the same way: made when there are some for the first time.
    beams: OnceLock<Queries>,
    /// For streams of which some rays begin behind their origins, likewise.
    behind: OnceLock<Queries>,
    form: Form,
}

impl Tracer {
    /// For worlds no deeper than that of `mirror`, where all stands in the world as it is if it does there.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, mirror: &Mirror) -> Result<Self, GpuError> {
        Self::of_form(gpu, mirror.form())
    }

    /// As [`new`](Self::new), for streams that are [bound](Self::bind) before they have rays: any of these may have a negative `t_near`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_any_rays(gpu: &Arc<Gpu>, mirror: &Mirror) -> Result<Self, GpuError> {
        Self::of_form(gpu, mirror.form().with_rays_behind())
    }

    fn of_form(gpu: &Arc<Gpu>, form: Form) -> Result<Self, GpuError> {
        let queries = Queries::new(gpu, kernels(gpu), |shader| form.text(shader))?;
        Ok(Self { queries, beams: OnceLock::new(), behind: OnceLock::new(), form })
    }

    /// The closest hit of each ray. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the world is deeper than the tracer is made for or there are too many rays, [`GpuError::Unsupported`] if it has instances that the
    /// tracer is not made for, [`GpuError::OutOfMemory`], [`GpuError::Lost`]; [`GpuError::Shader`] if rays lie together, or begin behind their origins, for the first time.
    pub fn closest(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.closest(&mirror.bindings(), rays)
    }

    /// Whether there is anything on each ray. Waits for it.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.occluded(&mirror.bindings(), rays)
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
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.time_closest(&mirror.bindings(), rays, times)
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
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.time_any(&mirror.bindings(), rays, times)
    }

    /// Groups of bindings of a stream that is traced again and again, as [`record`](Self::record) takes them.
    ///
    /// * `rays` — `array<Ray>`. * `answers` — as many of [`Hit`] for closest hits, of `u32` for any hits.
    pub fn bind(
        &self,
        query: RayQuery,
        mirror: &Mirror,
        rays: &wgpu::Buffer,
        answers: &wgpu::Buffer,
    ) -> [wgpu::BindGroup; 2] {
        let pipeline = self.pipeline(query);
        [
            pipeline.bind(&self.queries.gpu, 0, &mirror.bindings()),
            pipeline.bind(&self.queries.gpu, 1, &[(0, rays), (1, answers)]),
        ]
    }

    /// Adds a query about the first `rays` rays of a bound stream to a pass.
    pub fn record(
        &self,
        query: RayQuery,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &[wgpu::BindGroup],
        rays: usize,
    ) {
        self.pipeline(query).record(&self.queries.gpu, pass, groups, rays);
    }

    fn kernels(&self, rays: &RayBatch) -> Result<&Queries, GpuError> {
        let gpu = &self.queries.gpu;
        if rays.behind {
            let form = self.form.clone().with_rays_behind();
            made_once(&self.behind, || Queries::new(gpu, kernels(gpu), |shader| form.text(shader)))
        } else if rays.fronts.is_some() {
            made_once(&self.beams, || Queries::from_entry_points(gpu, |shader| self.form.text(shader)))
        } else {
            Ok(&self.queries)
        }
    }

    fn pipeline(&self, query: RayQuery) -> &Pipeline {
        match query {
            RayQuery::Closest => &self.queries.closest,
            RayQuery::Any => &self.queries.any,
        }
    }
}

/// Those that a device can run.
fn kernels(gpu: &Gpu) -> [&'static Shader; 2] {
    if gpu.has_subgroups { [&ORDERED_CLOSEST, &ORDERED_ANY] } else { [&CLOSEST, &ANY] }
}
