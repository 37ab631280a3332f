//! What the rays of each patch hit.

use sunfleck_kernel::RayBuffer;
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use super::rays::{PatchRays, TracedRays, direction};
use super::{ClosestHits, Link, Patches};

/// Ray that leaves the scene.
const SKY: u32 = u32::MAX;
/// Ray that hits a side of a surface that has no patches.
const NOTHING: u32 = u32::MAX - 1;
/// Ray that has to be traced.
pub(super) const UNKNOWN: u32 = u32::MAX - 2;

/// Hits of the rays of a patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RayHits {
    /// Patch that each ray hits.
    patches: Vec<u32>,
}

impl RayHits {
    /// Traces the rays of some patches.
    pub(super) fn trace<T: ClosestHits>(
        tracer: &T,
        patches: &Patches,
        of: Vec<PatchRays>,
    ) -> Result<Vec<Self>, T::Error> {
        let traced = TracedRays::trace_all(tracer, patches, &of)?;
        let mut firsts =
            of.iter().scan(0, |next, of| Some(std::mem::replace(next, *next + of.samples.len())));
        let of_patch = |of: &PatchRays| {
            let first = firsts.next().unwrap_or_default();
            let hits = first..first + of.samples.len();
            Self { patches: hits.map(|index| hit_of(&traced, patches, of.patch, index)).collect() }
        };
        Ok(of.iter().map(of_patch).collect())
    }

    /// Traces the rays that are unknown.
    ///
    /// * `rays` — all rays of the patch.
    fn completed(mut self, world: &World, patches: &Patches, of: &PatchRays, rays: &RayBuffer) -> Self {
        let unknown: Vec<usize> =
            self.patches.iter().enumerate().filter(|(_, hit)| **hit == UNKNOWN).map(|(i, _)| i).collect();
        let stream = rays.as_stream();
        let mut selected = RayBuffer::with_capacity(unknown.len());
        unknown.iter().filter_map(|&i| stream.get(i)).for_each(|ray| selected.push(&ray));
        let traced = TracedRays::trace_some(world, patches, of, selected, &|index| unknown[index]);
        for (index, &i) in unknown.iter().enumerate() {
            self.patches[i] = hit_of(&traced, patches, of.patch, index);
        }
        self
    }

    /// Returns the hits in a changed world, and the number of rays that were traced for them.
    ///
    /// * `now` — present index of each former patch, [`UNKNOWN`] if it is gone.
    /// * `may_change` — returns whether something along a ray has changed.
    pub(super) fn updated(
        &self,
        world: &World,
        patches: &Patches,
        of: &PatchRays,
        now: &[u32],
        may_change: impl Fn(&sunfleck_math::Ray) -> bool,
    ) -> (Self, usize) {
        let rays = of.rays(patches);
        let stream = rays.as_stream();
        let hit = |(i, &hit): (usize, &u32)| match stream.get(i) {
            Some(ray) if !may_change(&ray) => now.get(hit as usize).copied().unwrap_or(hit),
            _ => UNKNOWN,
        };
        let kept = Self { patches: self.patches.iter().enumerate().map(hit).collect() };
        let traced = kept.patches.iter().filter(|hit| **hit == UNKNOWN).count();
        (kept.completed(world, patches, of, &rays), traced)
    }

    /// Returns the radiance of the environment, summed over the rays that leave the scene.
    pub(super) fn sky_radiance(&self, world: &World, patches: &Patches, of: &PatchRays) -> Vec3 {
        if !self.patches.contains(&SKY) {
            return Vec3::ZERO;
        }
        let rays = of.rays(patches);
        let leaving = self.patches.iter().enumerate().filter(|(_, hit)| **hit == SKY);
        leaving.map(|(i, _)| world.lights().environment_radiance(direction(&rays, i))).sum()
    }

    /// Returns the fraction of the rays that hit each patch, and that of the rays that hit none.
    pub(super) fn fractions(&self) -> (Vec<Link>, f64) {
        let mut sorted: Vec<u32> = self.patches.iter().copied().filter(|&hit| hit < UNKNOWN).collect();
        sorted.sort_unstable();
        let per_ray = 1.0 / self.patches.len().max(1) as f32;
        let links = sorted.chunk_by(|a, b| a == b);
        let links = links.map(|hits| Link { patch: hits[0], value: hits.len() as f32 * per_ray }).collect();
        (links, f64::from((self.patches.len() - sorted.len()) as f32 * per_ray))
    }
}

/// Returns the patch that a ray of a patch hits, [`SKY`] or [`NOTHING`].
fn hit_of(traced: &TracedRays, patches: &Patches, from: u32, index: usize) -> u32 {
    let Some((instance, prim_id, uv, direction)) = traced.hit(index) else { return SKY };
    // A planar patch does not see itself; a ray that hits it again is due to rounding
    let point = patches.hit(instance, prim_id, uv, direction).filter(|point| point.patch != from);
    point.map_or(NOTHING, |point| point.patch)
}
