//! The two questions a ray can ask, with see-through surfaces passed over.

use fearless_simd::Simd;
use sunfleck_kernel::Hit;
use sunfleck_math::Ray;
use sunfleck_sampling::rng;

use super::World;

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
    pub(crate) fn intersect<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, |hit| self.stops(hit, seed)),
        )
    }

    /// Whether any surface stops the ray.
    pub(crate) fn occluded<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> bool {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.occluded_filtered(simd, ray, |hit| self.stops(hit, seed)),
        )
    }

    /// Whether the surface at `hit` is there for this ray: with probability alpha.
    #[inline(always)]
    fn stops(&self, hit: &Hit, seed: AlphaSeed) -> bool {
        let alpha = self.materials.alpha(self.material_of(hit), &self.attributes_at(hit));
        let AlphaSeed { pixel: [x, y], sample, stream } = seed;
        alpha >= 1.0
            || (alpha > 0.0
                && rng::uniform([x ^ hit.inst_id.rotate_left(16), y, sample, stream ^ hit.prim_id]) < alpha)
    }
}
