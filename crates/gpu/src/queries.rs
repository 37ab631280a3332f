use std::sync::Arc;

use bytemuck::Pod;
use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::Hit;
use sunfleck_shaders::passes::trace::{BEAM_ANY, BEAM_CLOSEST, BEAM_ENTRY_POINTS};

use crate::buffer::Array;
use crate::mirror::SceneSpecialization;
use crate::pipeline::{Dispatch, Pipeline, run};
use crate::resources::Resources;
use crate::timing::Timestamps;
use crate::{Gpu, GpuError, RayBatch};

/// A ray query: closest hit or any hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RayQuery {
    /// The closest hit of the ray.
    Closest,
    /// Whether the ray hits anything.
    Any,
}

/// Kernels for both [queries](RayQuery) on streams of rays, in any acceleration structure.
#[derive(Debug)]
pub struct QueryKernels {
    pub(crate) gpu: Arc<Gpu>,
    /// Kernel that finds the entry points of groups of rays; `None` if rays start at the root.
    entry_points: Option<Pipeline>,
    pub(crate) closest: Pipeline,
    pub(crate) any: Pipeline,
}

impl QueryKernels {
    /// Compiles two passes, which read `rays` and write `hits` and `occluded`.
    ///
    /// # Errors
    /// As [`Pipeline::of_shader`].
    pub fn of_passes(gpu: &Arc<Gpu>, passes: [&'static Pass; 2]) -> Result<Self, GpuError> {
        Self::new(gpu, passes, &SceneSpecialization::general())
    }

    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        [closest, any]: [&'static Pass; 2],
        specialization: &SceneSpecialization,
    ) -> Result<Self, GpuError> {
        Ok(Self {
            closest: Pipeline::new(gpu, closest.into(), specialization)?,
            any: Pipeline::new(gpu, any.into(), specialization)?,
            entry_points: None,
            gpu: gpu.clone(),
        })
    }

    /// Compiles kernels that find the entry points of groups of rays first.
    pub(crate) fn from_entry_points(
        gpu: &Arc<Gpu>,
        specialization: &SceneSpecialization,
    ) -> Result<Self, GpuError> {
        let entry_points = Pipeline::new(gpu, (&BEAM_ENTRY_POINTS).into(), specialization)?;
        let queries = Self::new(gpu, [&BEAM_CLOSEST, &BEAM_ANY], specialization)?;
        Ok(Self { entry_points: Some(entry_points), ..queries })
    }

    /// Name of the array to which kernels write the results of a query.
    pub(crate) const fn answers(query: RayQuery) -> &'static str {
        match query {
            RayQuery::Closest => "hits",
            RayQuery::Any => "occluded",
        }
    }

    /// Returns the closest hit of each ray. Waits for the GPU.
    ///
    /// * `world` — resources that the kernels read in addition to the rays.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn closest(&self, world: &Resources<'_>, rays: &RayBatch) -> Result<Vec<Hit>, GpuError> {
        self.submit::<Hit>(RayQuery::Closest, world, rays, 1, None)?.read(&self.gpu)
    }

    /// Returns whether each ray hits anything. Waits for the GPU.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn occluded(&self, world: &Resources<'_>, rays: &RayBatch) -> Result<Vec<bool>, GpuError> {
        let found = self.submit::<u32>(RayQuery::Any, world, rays, 1, None)?.read(&self.gpu)?;
        Ok(found.into_iter().map(|found| found != 0).collect())
    }

    /// Measures the GPU time of the closest-hit query in seconds, `times` times; `None` if the GPU has no timestamps.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_closest(
        &self,
        world: &Resources<'_>,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<Hit>(RayQuery::Closest, world, rays, times)
    }

    /// As [`time_closest`](Self::time_closest), for the any-hit query.
    ///
    /// # Errors
    /// As [`closest`](Self::closest).
    pub fn time_any(
        &self,
        world: &Resources<'_>,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        self.time::<u32>(RayQuery::Any, world, rays, times)
    }

    fn time<T: Pod>(
        &self,
        query: RayQuery,
        world: &Resources<'_>,
        rays: &RayBatch,
        times: u32,
    ) -> Result<Option<Vec<f64>>, GpuError> {
        let Some(stamps) = Timestamps::new(&self.gpu, times)? else { return Ok(None) };
        self.submit::<T>(query, world, rays, times, Some(&stamps))?;
        stamps.read(&self.gpu).map(Some)
    }

    fn submit<'a, T: Pod>(
        &'a self,
        query: RayQuery,
        world: &Resources<'_>,
        rays: &RayBatch,
        times: u32,
        stamps: Option<&Timestamps>,
    ) -> Result<Array<T>, GpuError> {
        let answers = Array::zeroed(&self.gpu, "hits", rays.len())?;
        if !rays.is_empty() {
            let mut stream = world.clone().with("rays", &rays.rays.buffer);
            stream.extend([(Self::answers(query), &answers.buffer)]);
            stream.extend(rays.entry_points.as_ref().map(|fronts| ("fronts", &fronts.buffer)));
            let dispatch = |kernel: &'a Pipeline, items| -> Result<_, GpuError> {
                Ok(Dispatch { kernel, group: kernel.bind(&self.gpu, &stream)?, items })
            };
            let kernel = match query {
                RayQuery::Closest => &self.closest,
                RayQuery::Any => &self.any,
            };
            let first = self.entry_points.as_ref().zip(rays.entry_points.as_ref());
            let first = first.map(|(kernel, fronts)| dispatch(kernel, fronts.len()));
            let dispatches: Vec<_> =
                first.into_iter().chain([dispatch(kernel, rays.len())]).collect::<Result<_, _>>()?;
            run(&self.gpu, &dispatches, times, stamps);
        }
        self.gpu.check()?;
        Ok(answers)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_shaders::layout::{Front, Ray};

    use super::*;
    use crate::{AdapterChoice, Mirror, Tracer};

    /// A thousand triangles, one behind the other in rows, and groups of rays towards one, towards a gap, and in
    /// diverging directions.
    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn entry_points_cover_the_hits_of_their_rays() {
        let corner = |i: u32| {
            let [x, y] = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]][(i % 3) as usize];
            vec3(x + 4.0 * (i / 3 % 32) as f32, y, (i / 96) as f32)
        };
        let positions: Vec<_> = (0..3072).map(corner).collect();
        let triangles: Vec<_> = (0..1024).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let options = BuildOptions::default();
        let blas = Arc::new(Blas::build(&positions, &triangles, &options).unwrap());
        let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
        let world = Tlas::build(vec![blas], vec![instance], &options).unwrap();
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let mirror = Mirror::new(&gpu, &world).unwrap();

        let ray = |x: f32, i: u16, towards: [f32; 3]| Ray {
            origin: [x + f32::from(i) * 1e-3, 0.0, 2.5],
            t_near: 0.0,
            direction: towards,
            t_far: 1.5,
        };
        let group = |x: f32, towards: fn(u16) -> [f32; 3]| (0..64).map(move |i| ray(x, i, towards(i)));
        let ahead = |_| [0.0, 0.0, 1.0];
        let apart = |i: u16| [0.0, 0.0, if i == 9 { -1.0 } else { 1.0 }];
        let rays: Vec<Ray> = group(40.0, ahead).chain(group(42.0, ahead)).chain(group(40.0, apart)).collect();
        let batch = RayBatch::coherent(&gpu, &rays).unwrap();
        let hits = Tracer::new(&gpu, &mirror).unwrap().closest(&mirror, &batch).unwrap();
        let is_hit = |hit: &Hit| hit.prim_id != Hit::MISS;
        assert!(hits[..64].iter().all(is_hit) && !hits[64..128].iter().any(is_hit), "{hits:?}");

        let fronts = batch.entry_points.unwrap().read(&gpu).unwrap();
        let places = |front: &Front| {
            front.places.into_iter().take_while(|&place| place != Front::NO_PLACE).collect::<Vec<_>>()
        };
        let [triangle, gap, everything] = &fronts[..] else { panic!("{} groups", fronts.len()) };
        // The triangle that the rays hit, and at most one beside it, which may share its box
        let found = places(triangle);
        assert!((1..=2).contains(&found.len()) && found[0] != Front::ROOT, "{found:?}");
        assert_eq!(places(gap), [0; 0], "there is nothing between the triangles");
        assert_eq!(places(everything), [Front::ROOT], "rays that diverge");
    }
}
