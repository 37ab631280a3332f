use std::sync::{Arc, OnceLock};

use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::passes::trace::{ANY, CLOSEST, ORDERED_ANY, ORDERED_CLOSEST};

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
        let queries = Queries::new(gpu, kernels(gpu), &form)?;
        Ok(Self { queries, beams: OnceLock::new(), behind: OnceLock::new(), form })
    }

    /// The closest hit of each ray. Waits for it.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the world is deeper than the tracer is made for or there are too many rays, [`GpuError::Unsupported`] if it has instances that the
    /// tracer is not made for, [`GpuError::OutOfMemory`], [`GpuError::Lost`]; [`GpuError::Shader`] if rays lie together, or begin behind their origins, for the first time.
    pub fn closest(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.closest(&mirror.resources(), rays)
    }

    /// Whether there is anything on each ray. Waits for it.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        self.form.serves(&mirror.form())?;
        self.kernels(rays)?.occluded(&mirror.resources(), rays)
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
        self.kernels(rays)?.time_closest(&mirror.resources(), rays, times)
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
        self.kernels(rays)?.time_any(&mirror.resources(), rays, times)
    }

    /// What a stream binds that is traced again and again, as [`record`](Self::record) takes it.
    ///
    /// * `rays` — `array<Ray>`. * `answers` — as many of [`Hit`] for closest hits, of `u32` for any hits.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the kernel needs something else, which it does not.
    pub fn bind(
        &self,
        query: RayQuery,
        mirror: &Mirror,
        rays: &wgpu::Buffer,
        answers: &wgpu::Buffer,
    ) -> Result<wgpu::BindGroup, GpuError> {
        let stream = mirror.resources().with("rays", rays).with(Queries::answers(query), answers);
        self.pipeline(query).bind(&self.queries.gpu, &stream)
    }

    /// Adds a query about the first `rays` rays of a bound stream to a pass.
    pub fn record(
        &self,
        query: RayQuery,
        pass: &mut wgpu::ComputePass<'_>,
        group: &wgpu::BindGroup,
        rays: usize,
    ) {
        self.pipeline(query).record(&self.queries.gpu, pass, group, rays);
    }

    fn kernels(&self, rays: &RayBatch) -> Result<&Queries, GpuError> {
        let gpu = &self.queries.gpu;
        if rays.behind {
            let form = self.form.clone().with_rays_behind();
            made_once(&self.behind, || Queries::new(gpu, kernels(gpu), &form))
        } else if rays.fronts.is_some() {
            made_once(&self.beams, || Queries::from_entry_points(gpu, &self.form))
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
fn kernels(gpu: &Gpu) -> [&'static Pass; 2] {
    if gpu.has_subgroups { [&ORDERED_CLOSEST, &ORDERED_ANY] } else { [&CLOSEST, &ANY] }
}
