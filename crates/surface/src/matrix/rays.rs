//! Rays of patches: from uniform points, in cosine-distributed directions.

use std::ops::Range;

use fearless_simd::Level;
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer};
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Frame, Ray, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind, warp};
use sunfleck_transport::{AlphaSeed, World};

use super::Patches;

/// Rays of a patch: functions of (seed, patch, sample).
#[derive(Clone, Debug)]
pub(super) struct PatchRays {
    pub(super) seed: u32,
    pub(super) patch: u32,
    pub(super) samples: Range<u32>,
}

impl PatchRays {
    /// Appends the rays. Dimensions 0 and 1 are the point, 2 and 3 the direction.
    pub(super) fn append(&self, patches: &Patches, rays: &mut RayBuffer) {
        let patch = &patches.patches[self.patch as usize];
        let error = patches.faces[patch.face as usize].position_error;
        let frame = Frame::from_normal(patch.normal);
        let sampler = Sampler::new(SamplerKind::Sobol, self.seed);
        let key = [self.patch, 0];
        for sample in self.samples.clone() {
            let position = patch.sample(sampler.get_2d(key, sample, 0));
            let local = warp::cosine_hemisphere(sampler.get_2d(key, sample, 2));
            let direction = frame.world_from_local(local);
            let origin = offset_ray_origin(position, error, patch.normal, direction);
            rays.push(&Ray::new(origin, direction));
        }
    }

    /// Returns the seed of the alpha tests of a ray.
    ///
    /// * `index` — of the ray among those of the patch.
    fn alpha_seed(&self, index: usize) -> AlphaSeed {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        AlphaSeed { pixel: [self.patch, 0], sample: self.samples.start + index, stream: self.seed }
    }
}

/// Rays of a patch with their closest hits.
#[derive(Debug)]
pub(super) struct TracedRays {
    rays: RayBuffer,
    hits: HitBuffer,
}

impl TracedRays {
    /// Traces the rays of a patch.
    pub(super) fn trace(world: &World, patches: &Patches, of: &PatchRays, level: Level) -> Self {
        let mut rays = RayBuffer::with_capacity(of.samples.len());
        of.append(patches, &mut rays);
        let mut hits = HitBuffer::with_len(of.samples.len());
        world.intersect_stream(
            level,
            &rays.as_stream(),
            Coherence::Incoherent,
            &|index| of.alpha_seed(index),
            &mut hits.as_stream(),
        );
        Self { rays, hits }
    }

    fn direction(&self, index: usize) -> Vec3 {
        let [x, y, z] = self.rays.as_stream().direction;
        Vec3::new(x[index], y[index], z[index])
    }

    /// Calls `found` for each ray that hits a surface, with its index, the instance, the triangle, the barycentric
    /// coordinates and the direction.
    pub(super) fn for_each_hit(&self, mut found: impl FnMut(usize, u32, u32, [f32; 2], Vec3)) {
        for (index, &prim_id) in self.hits.prim_id.iter().enumerate() {
            if prim_id != MISS {
                let uv = [self.hits.u[index], self.hits.v[index]];
                found(index, self.hits.inst_id[index], prim_id, uv, self.direction(index));
            }
        }
    }

    /// Calls `missed` with the direction of each ray that leaves the scene.
    pub(super) fn for_each_miss(&self, mut missed: impl FnMut(Vec3)) {
        let misses = self.hits.prim_id.iter().enumerate().filter(|(_, prim_id)| **prim_id == MISS);
        misses.for_each(|(index, _)| missed(self.direction(index)));
    }
}
