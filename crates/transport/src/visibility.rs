//! Closest hits and visibility, with see-through surfaces passed over.

use fearless_simd::{Level, Simd};
use sunfleck_kernel::{Coherence, Hit, HitStream, Query, RayStream};
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::rng;

use crate::World;

/// What decides whether a ray passes a half-transparent triangle: the same for every visit of the same triangle by the
/// same ray, so the answer does not depend on the order of traversal.
#[derive(Clone, Copy, Debug)]
pub struct AlphaSeed {
    /// Pixel of the path.
    pub pixel: [u32; 2],
    /// Sample of the pixel.
    pub sample: u32,
    /// Seed of the picture, and which ray of the path.
    pub stream: u32,
}

impl World {
    /// The closest surface that the ray does not pass. Compiled once for each level, not once for each call.
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, |hit| self.stops(hit, seed)),
        )
    }

    /// Fraction of the radiance that passes along a shadow ray, RGB: 0 where a surface stops it, 1 where nothing does. A surface of partial
    /// alpha stops the ray or not by chance.
    pub fn transmittance<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Vec3 {
        let occluded = simd.vectorize(
            #[inline(always)]
            || self.tlas.occluded_filtered(simd, ray, |hit| self.stops(hit, seed)),
        );
        if occluded { Vec3::ZERO } else { Vec3::ONE }
    }

    /// The closest surface on each ray of a stream.
    ///
    /// * `seed` — of the ray with an index.
    pub fn intersect_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        hits: &mut HitStream<'_>,
    ) {
        let mut filter = |i: usize, hit: &Hit| self.stops(hit, seed(i));
        self.tlas.intersect_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, hits);
    }

    /// Whether the [`transmittance`](Self::transmittance) along each ray of a stream of coherent rays is 0.
    ///
    /// * `seed` — of the ray with an index.
    pub fn occluded_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        seed: &dyn Fn(usize) -> AlphaSeed,
        occluded: &mut [bool],
    ) {
        let mut filter = |i: usize, hit: &Hit| self.stops(hit, seed(i));
        let coherent = Coherence::Coherent;
        self.tlas.occluded_stream_with_filter(level, rays, coherent, &Query::ALL, &mut filter, occluded);
    }

    /// Whether the surface at `hit` is there for this ray: with probability alpha.
    #[inline(always)]
    fn stops(&self, hit: &Hit, seed: AlphaSeed) -> bool {
        let alpha =
            self.materials.alpha(self.material_at(hit.inst_id, hit.prim_id), &self.attributes_at(hit));
        let AlphaSeed { pixel: [x, y], sample, stream } = seed;
        alpha >= 1.0
            || (alpha > 0.0
                && rng::uniform([x ^ hit.inst_id.rotate_left(16), y, sample, stream ^ hit.prim_id]) < alpha)
    }
}
