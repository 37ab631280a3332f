//! Closest-hit queries and visibility, with an alpha test of transparent surfaces.

use fearless_simd::{Level, Simd};
use sunfleck_kernel::{Coherence, Hit, HitStream, Query, RayStream};
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::rng;

use crate::World;

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
            || self.tlas.intersect_filtered(simd, ray, |hit| self.alpha_test(hit, seed)),
        )
    }

    /// Returns the transmittance along a shadow ray, RGB: 0 if it is occluded, else 1. A surface of partial alpha
    /// occludes the ray with probability alpha.
    pub fn transmittance<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Vec3 {
        let occluded = simd.vectorize(
            #[inline(always)]
            || self.tlas.occluded_filtered(simd, ray, |hit| self.alpha_test(hit, seed)),
        );
        if occluded { Vec3::ZERO } else { Vec3::ONE }
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
        let mut filter = |i: usize, hit: &Hit| self.alpha_test(hit, seed(i));
        self.tlas.intersect_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, hits);
    }

    /// Finds whether the [`transmittance`](Self::transmittance) is 0 along each ray of a stream.
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
        let mut filter = |i: usize, hit: &Hit| self.alpha_test(hit, seed(i));
        self.tlas.occluded_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, occluded);
    }

    /// Decides whether a hit counts for the ray, which it does with probability alpha.
    #[inline(always)]
    fn alpha_test(&self, hit: &Hit, seed: AlphaSeed) -> bool {
        let alpha =
            self.materials.alpha(self.material_at(hit.inst_id, hit.prim_id), &self.attributes_at(hit));
        let AlphaSeed { pixel: [x, y], sample, stream } = seed;
        alpha >= 1.0
            || (alpha > 0.0
                && rng::uniform([x ^ hit.inst_id.rotate_left(16), y, sample, stream ^ hit.prim_id]) < alpha)
    }
}
