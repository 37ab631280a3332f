//! Rays of patches: from uniform points, in cosine-distributed directions.

use std::ops::Range;

use sunfleck_kernel::{HitBuffer, MISS, RayBuffer};
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Frame, Ray, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind, warp};
use sunfleck_transport::{AlphaSeed, World};

use super::{ClosestHits, Patches};

/// Rays of a patch: functions of (seed, patch, sample).
#[derive(Clone, Debug)]
pub(super) struct PatchRays {
    pub(super) seed: u32,
    pub(super) patch: u32,
    pub(super) samples: Range<u32>,
}

impl PatchRays {
    /// Returns the rays. Dimensions 0 and 1 are the point, 2 and 3 the direction.
    pub(super) fn rays(&self, patches: &Patches) -> RayBuffer {
        let mut rays = RayBuffer::with_capacity(self.samples.len());
        self.push_rays(patches, &mut rays);
        rays
    }

    fn push_rays(&self, patches: &Patches, rays: &mut RayBuffer) {
        let patch = &patches.patches[self.patch as usize];
        let error = patches.faces[patch.face as usize].position_error;
        let frame = Frame::from_normal(patch.normal);
        let sampler = Sampler::new(SamplerKind::Sobol, self.seed);
        for sample in self.samples.clone() {
            let position = patch.sample(sampler.get_2d(patch.key, sample, 0));
            let local = warp::cosine_hemisphere(sampler.get_2d(patch.key, sample, 2));
            let direction = frame.world_from_local(local);
            let origin = offset_ray_origin(position, error, patch.normal, direction);
            rays.push(&Ray::new(origin, direction));
        }
    }

    /// Returns the seed of the alpha tests of a ray.
    fn seed(&self, patches: &Patches, ray: usize) -> AlphaSeed {
        let sample = self.samples.start + u32::try_from(ray).unwrap_or(0);
        AlphaSeed { pixel: patches.patches[self.patch as usize].key, sample, stream: self.seed }
    }
}

/// Rays with their closest hits.
#[derive(Debug)]
pub(super) struct TracedRays {
    rays: RayBuffer,
    hits: HitBuffer,
}

impl TracedRays {
    /// Traces the rays of a patch.
    pub(super) fn trace(world: &World, patches: &Patches, of: &PatchRays) -> Self {
        Self::trace_some(world, patches, of, of.rays(patches), &|index| index)
    }

    /// Traces some of the rays of a patch.
    ///
    /// * `number` — returns the index among those of the patch of each ray.
    pub(super) fn trace_some(
        world: &World,
        patches: &Patches,
        of: &PatchRays,
        rays: RayBuffer,
        number: &(dyn Fn(usize) -> usize + Sync),
    ) -> Self {
        let Ok(hits) = world.closest(&rays, &|index| of.seed(patches, number(index)));
        Self { rays, hits }
    }

    /// Traces all rays of some patches by a tracer.
    pub(super) fn trace_all<T: ClosestHits>(
        tracer: &T,
        patches: &Patches,
        of: &[PatchRays],
    ) -> Result<Self, T::Error> {
        let mut rays = RayBuffer::with_capacity(of.iter().map(|of| of.samples.len()).sum());
        of.iter().for_each(|of| of.push_rays(patches, &mut rays));
        // All have the same number of rays
        let each = of.first().map_or(1, |of| of.samples.len().max(1));
        let hits = tracer.closest(&rays, &|index| of[index / each].seed(patches, index % each))?;
        Ok(Self { rays, hits })
    }

    /// Returns what a ray hits, unless it leaves the scene: instance, triangle and barycentric coordinates, with the
    /// direction of the ray.
    pub(super) fn hit(&self, index: usize) -> Option<(u32, u32, [f32; 2], Vec3)> {
        let HitBuffer { prim_id, inst_id, u, v, .. } = &self.hits;
        let is_hit = prim_id[index] != MISS;
        is_hit.then(|| (inst_id[index], prim_id[index], [u[index], v[index]], direction(&self.rays, index)))
    }

    /// Returns what all rays hit, without those that leave the scene: see [`hit`](Self::hit).
    pub(super) fn all_hits(&self) -> impl Iterator<Item = (u32, u32, [f32; 2], Vec3)> + '_ {
        (0..self.hits.prim_id.len()).filter_map(|index| self.hit(index))
    }
}

/// Returns the direction of a ray.
pub(super) fn direction(rays: &RayBuffer, index: usize) -> Vec3 {
    let [x, y, z] = rays.as_stream().direction;
    Vec3::new(x[index], y[index], z[index])
}
