use std::sync::{Arc, OnceLock};

use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::passes::trace::{ANY, CLOSEST, ORDERED_ANY, ORDERED_CLOSEST};

use crate::mirror::SceneSpecialization;
use crate::once::get_or_try_init;
use crate::pipeline::Pipeline;
use crate::queries::{QueryKernels, RayQuery};
use crate::{Gpu, GpuError, Mirror, RayBatch};

/// Kernels for both [queries](RayQuery) on streams of rays in a mirror, specialised for the depth of its trees and for
/// whether it has transformed instances.
#[derive(Debug)]
pub struct Tracer {
    queries: QueryKernels,
    /// Kernels for coherent rays, compiled when first needed.
    beams: OnceLock<QueryKernels>,
    /// Kernels for streams in which some rays have a negative `t_near`, compiled when first needed.
    negative_t_near: OnceLock<QueryKernels>,
    specialization: SceneSpecialization,
}

impl Tracer {
    /// Compiles kernels for the world of `mirror`. They also trace other worlds whose trees are no deeper; these may
    /// have transformed instances only if `mirror` has some.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Arc<Gpu>, mirror: &Mirror) -> Result<Self, GpuError> {
        Self::with_specialization(gpu, mirror.specialization())
    }

    /// As [`new`](Self::new), for streams that are [bound](Self::bind) before their rays are known: any of them may
    /// have a negative `t_near`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_any_rays(gpu: &Arc<Gpu>, mirror: &Mirror) -> Result<Self, GpuError> {
        Self::with_specialization(gpu, mirror.specialization().with_negative_t_near())
    }

    fn with_specialization(gpu: &Arc<Gpu>, specialization: SceneSpecialization) -> Result<Self, GpuError> {
        let queries = QueryKernels::new(gpu, kernels(gpu), &specialization)?;
        Ok(Self { queries, beams: OnceLock::new(), negative_t_near: OnceLock::new(), specialization })
    }

    /// Returns the closest hit of each ray. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the world is deeper than the one that the tracer was compiled for or there are too
    /// many rays; [`GpuError::Unsupported`] if it has transformed instances and that one had none;
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`]; [`GpuError::Shader`] if rays are coherent, or have a negative
    /// `t_near`, for the first time.
    pub fn closest(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.specialization.supports(&mirror.specialization())?;
        self.kernels(rays)?.closest(&mirror.resources(), rays)
    }

    /// Returns whether each ray hits anything. Waits for the GPU.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, mirror: &Mirror, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        self.specialization.supports(&mirror.specialization())?;
        self.kernels(rays)?.occluded(&mirror.resources(), rays)
    }

    /// Measures the GPU time of the closest-hit query in seconds, `times` times; `None` if the GPU has no timestamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_closest(
        &self,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.specialization.supports(&mirror.specialization())?;
        self.kernels(rays)?.time_closest(&mirror.resources(), rays, times)
    }

    /// As [`time_closest`](Self::time_closest), for the any-hit query.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_any(
        &self,
        mirror: &Mirror,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.specialization.supports(&mirror.specialization())?;
        self.kernels(rays)?.time_any(&mirror.resources(), rays, times)
    }

    /// Binds a stream that is traced repeatedly by [`record`](Self::record).
    ///
    /// * `rays` — buffer of rays, an `array<Ray>`.
    /// * `answers` — buffer with one [`Hit`] per ray for closest hits, one `u32` per ray for any hits.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the kernel uses a resource that is missing, which would be a bug of this crate.
    pub fn bind(
        &self,
        query: RayQuery,
        mirror: &Mirror,
        rays: &wgpu::Buffer,
        answers: &wgpu::Buffer,
    ) -> Result<wgpu::BindGroup, GpuError> {
        let stream = mirror.resources().with("rays", rays).with(QueryKernels::answers(query), answers);
        self.pipeline(query).bind(&self.queries.gpu, &stream)
    }

    /// Records a query on the first `rays` rays of a bound stream.
    pub fn record(
        &self,
        query: RayQuery,
        pass: &mut wgpu::ComputePass<'_>,
        group: &wgpu::BindGroup,
        rays: usize,
    ) {
        self.pipeline(query).record(&self.queries.gpu, pass, group, rays);
    }

    fn kernels(&self, rays: &RayBatch) -> Result<&QueryKernels, GpuError> {
        let gpu = &self.queries.gpu;
        if rays.has_negative_t_near {
            let specialization = self.specialization.clone().with_negative_t_near();
            get_or_try_init(&self.negative_t_near, || QueryKernels::new(gpu, kernels(gpu), &specialization))
        } else if rays.entry_points.is_some() {
            get_or_try_init(&self.beams, || QueryKernels::from_entry_points(gpu, &self.specialization))
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

/// Passes of both queries that the device can run.
fn kernels(gpu: &Gpu) -> [&'static Pass; 2] {
    if gpu.has_subgroups { [&ORDERED_CLOSEST, &ORDERED_ANY] } else { [&CLOSEST, &ANY] }
}
