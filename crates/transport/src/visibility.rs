//! Closest-hit queries and visibility, with an alpha test of transparent surfaces.
//!
//! Thin glass lets a part of the rays pass without a vertex, as alpha does. Only the part that is the same for all
//! colours can be left to chance; queries for the [transmittance](World::transmittance) of shadow rays multiply by the
//! exact colour of each pane instead.

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Coherence, Hit, HitBuffer, HitStream, Query, RayStream};
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::rng;
use sunfleck_shading::ThinDielectric;

use crate::World;
use crate::panes::PanesPassed;

/// Seed of the alpha tests of a ray. The decision about a triangle is the same for every visit by the same ray, so the
/// result does not depend on the order of traversal.
#[derive(Clone, Copy, Debug)]
pub struct AlphaSeed {
    /// Pixel of the path.
    pub pixel: [u32; 2],
    /// Sample of the pixel.
    pub sample: u32,
    /// Seed of the image, combined with the index of the ray in the path.
    pub stream: u32,
}

impl World {
    /// Returns the closest hit that passes the alpha test. Not inlined, so that it is compiled once for each SIMD
    /// level.
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, |hit| self.alpha_test(hit, ray.direction, seed)),
        )
    }

    /// Returns the closest hit as [`intersect`](Self::intersect), but stops at every pane of thin glass.
    pub(crate) fn intersect_panes<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        let is_pane = |hit: &Hit| self.pane_transmittance(hit, ray.direction).is_some();
        let filter = |hit: &Hit| is_pane(hit) || self.alpha_test(hit, ray.direction, seed);
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, filter),
        )
    }

    /// Returns the transmittance along a shadow ray, RGB: 0 if it is occluded, else the product of those of the panes
    /// of thin glass on its way. A surface of partial alpha occludes the ray with probability alpha.
    pub fn transmittance<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Vec3 {
        let mut panes = PanesPassed::default();
        let occluded = self.is_occluded(simd, ray, |hit| match self.pane_transmittance(hit, ray.direction) {
            Some(transmittance) => transmittance == Vec3::ZERO || !panes.add(hit, transmittance),
            None => self.alpha_test(hit, ray.direction, seed),
        });
        // Too many panes are left to chance
        let occluded = match panes.is_full() {
            true => self.is_occluded(simd, ray, |hit| self.alpha_test(hit, ray.direction, seed)),
            false => occluded,
        };
        match (occluded, panes.is_full()) {
            (true, _) => Vec3::ZERO,
            (false, true) => Vec3::ONE,
            (false, false) => panes.transmittance(),
        }
    }

    fn is_occluded<S: Simd>(&self, simd: S, ray: &Ray, filter: impl FnMut(&Hit) -> bool) -> bool {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.occluded_filtered(simd, ray, filter),
        )
    }

    /// Finds the closest hit of each ray of a stream.
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn intersect_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        hits: &mut HitStream<'_>,
    ) {
        let mut filter = |i: usize, hit: &Hit| self.alpha_test(hit, direction(rays, i), seed(i));
        self.tlas.intersect_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, hits);
    }

    /// Finds whether each ray of a stream is occluded, with panes of thin glass left to chance by their luminance.
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn occluded_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        occluded: &mut [bool],
    ) {
        let mut filter = |i: usize, hit: &Hit| self.grey_test(hit, direction(rays, i), seed(i));
        self.tlas.occluded_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, occluded);
    }

    /// Finds the [`transmittance`](Self::transmittance) along each ray of a stream.
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn transmittance_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        transmittances: &mut [Vec3],
    ) {
        // Only rays whose closest hit may let them pass are traced again
        let mut hits = HitBuffer::with_len(rays.len().min(transmittances.len()));
        self.tlas.intersect_stream_with(level, rays, coherence, &Query::ALL, &mut hits.as_stream());
        for (i, transmittance) in transmittances.iter_mut().enumerate().take(hits.t.len()) {
            let instance = self.tlas.instances().get(hits.inst_id[i] as usize);
            *transmittance = match (hits.t[i] < f32::INFINITY, rays.get(i), instance) {
                (true, Some(ray), Some(instance)) if !instance.opaque => {
                    dispatch!(level, simd => self.transmittance(simd, &ray, seed(i)))
                }
                (true, ..) => Vec3::ZERO,
                (false, ..) => Vec3::ONE,
            };
        }
    }

    /// Decides whether a hit counts for the ray, which it does with probability alpha; for thin glass, unless the ray
    /// passes without a change of colour.
    ///
    /// * `direction` — that of the ray, of any length.
    #[inline(always)]
    fn alpha_test(&self, hit: &Hit, direction: Vec3, seed: AlphaSeed) -> bool {
        self.test(hit, seed, |pane| pane.pass_probability(cosine(hit.ng, direction)))
    }

    /// As [`alpha_test`](Self::alpha_test) for shadow rays without colour.
    #[inline(always)]
    fn grey_test(&self, hit: &Hit, direction: Vec3, seed: AlphaSeed) -> bool {
        self.test(hit, seed, |pane| pane.grey_transmittance(cosine(hit.ng, direction)))
    }

    /// Decides whether a hit counts.
    ///
    /// * `passes` — returns the probability that the ray passes a pane of thin glass.
    #[inline(always)]
    fn test(&self, hit: &Hit, seed: AlphaSeed, passes: impl Fn(&ThinDielectric) -> f32) -> bool {
        let material = self.material_at(hit.inst_id, hit.prim_id);
        let alpha = match self.materials.pane(material) {
            Some(pane) => 1.0 - passes(pane),
            None => self.materials.alpha(material, &self.attributes_at(hit)),
        };
        let AlphaSeed { pixel: [x, y], sample, stream } = seed;
        alpha >= 1.0
            || (alpha > 0.0
                && rng::uniform([x ^ hit.inst_id.rotate_left(16), y, sample, stream ^ hit.prim_id]) < alpha)
    }

    /// Returns what a pane of thin glass transmits; `None` for other surfaces.
    #[inline(always)]
    fn pane_transmittance(&self, hit: &Hit, direction: Vec3) -> Option<Vec3> {
        let pane = self.materials.pane(self.material_at(hit.inst_id, hit.prim_id))?;
        Some(pane.transmittance(cosine(hit.ng, direction)))
    }
}

/// Returns the direction of a ray of a stream.
fn direction(rays: &RayStream<'_>, i: usize) -> Vec3 {
    let [x, y, z] = rays.direction;
    Vec3::new(x[i], y[i], z[i])
}

/// Returns the cosine of a direction to a normal, both of any length, in [0, 1].
fn cosine(ng: Vec3, direction: Vec3) -> f32 {
    (ng.normalize_or(Vec3::ZERO).dot(direction.normalize_or(Vec3::ZERO))).abs().min(1.0)
}
