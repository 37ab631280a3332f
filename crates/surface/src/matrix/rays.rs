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
    /// Returns the rays. Dimensions 0 and 1 are the point, 2 and 3 the direction.
    pub(super) fn rays(&self, patches: &Patches) -> RayBuffer {
        let patch = &patches.patches[self.patch as usize];
        let error = patches.faces[patch.face as usize].position_error;
        let frame = Frame::from_normal(patch.normal);
        let sampler = Sampler::new(SamplerKind::Sobol, self.seed);
        let mut rays = RayBuffer::with_capacity(self.samples.len());
        for sample in self.samples.clone() {
            let position = patch.sample(sampler.get_2d(patch.key, sample, 0));
            let local = warp::cosine_hemisphere(sampler.get_2d(patch.key, sample, 2));
            let direction = frame.world_from_local(local);
            let origin = offset_ray_origin(position, error, patch.normal, direction);
            rays.push(&Ray::new(origin, direction));
        }
        rays
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
        Self::trace_some(world, patches, of, of.rays(patches), &|index| index, level)
    }

    /// Traces some of the rays of a patch.
    ///
    /// * `number` — returns the index among those of the patch of each ray.
    pub(super) fn trace_some(
        world: &World,
        patches: &Patches,
        of: &PatchRays,
        rays: RayBuffer,
        number: &dyn Fn(usize) -> usize,
        level: Level,
    ) -> Self {
        let pixel = patches.patches[of.patch as usize].key;
        let seed = |index: usize| {
            let sample = of.samples.start + u32::try_from(number(index)).unwrap_or(0);
            AlphaSeed { pixel, sample, stream: of.seed }
        };
        let stream = rays.as_stream();
        let mut hits = HitBuffer::with_len(stream.len());
        world.intersect_stream(level, &stream, Coherence::Incoherent, &seed, &mut hits.as_stream());
        Self { rays, hits }
    }

    /// Calls `found` for each ray that hits a surface, with its index, the instance, the triangle, the barycentric
    /// coordinates and the direction.
    pub(super) fn for_each_hit(&self, mut found: impl FnMut(usize, u32, u32, [f32; 2], Vec3)) {
        for (index, &prim_id) in self.hits.prim_id.iter().enumerate() {
            if prim_id != MISS {
                let uv = [self.hits.u[index], self.hits.v[index]];
                found(index, self.hits.inst_id[index], prim_id, uv, direction(&self.rays, index));
            }
        }
    }

    /// Returns whether a ray leaves the scene.
    pub(super) fn is_miss(&self, index: usize) -> bool {
        self.hits.prim_id[index] == MISS
    }
}

/// Returns the direction of a ray.
pub(super) fn direction(rays: &RayBuffer, index: usize) -> Vec3 {
    let [x, y, z] = rays.as_stream().direction;
    Vec3::new(x[index], y[index], z[index])
}
