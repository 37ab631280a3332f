//! Who traces the rays of form factors.

use std::convert::Infallible;

use fearless_simd::Level;
use sunfleck_kernel::{Coherence, HitBuffer, RayBuffer};
use sunfleck_transport::{AlphaSeed, World};

/// Tracer of the rays of form factors: the CPU's, which a [`World`] is, a GPU's, or a ray engine whose host program form
/// factors are [RayEngine02, §5.2].
pub trait ClosestHits: Sync {
    /// Error of the tracer.
    type Error: Send;

    /// Number of rays of a call with which the tracer is efficient. Calls come from many threads at once.
    const RAYS_PER_CALL: u32;

    /// Returns the closest hit of each ray.
    ///
    /// * `seed` — seed of the alpha tests of a ray. A tracer without alpha tests must not be used in a world with
    ///   transparent surfaces.
    fn closest(
        &self,
        rays: &RayBuffer,
        seed: &(dyn Fn(usize) -> AlphaSeed + Sync),
    ) -> Result<HitBuffer, Self::Error>;
}

impl ClosestHits for World {
    type Error = Infallible;

    const RAYS_PER_CALL: u32 = 1024;

    fn closest(
        &self,
        rays: &RayBuffer,
        seed: &(dyn Fn(usize) -> AlphaSeed + Sync),
    ) -> Result<HitBuffer, Infallible> {
        let stream = rays.as_stream();
        let mut hits = HitBuffer::with_len(stream.len());
        self.intersect_stream(Level::new(), &stream, Coherence::Incoherent, &seed, &mut hits.as_stream());
        Ok(hits)
    }
}
