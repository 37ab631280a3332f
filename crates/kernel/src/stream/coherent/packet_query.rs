use fearless_simd::Simd;

use super::Span;
use crate::hit::Hit;
use crate::primitive::{Candidate, TriangleBlock};
use crate::traversal::{GROUPS, Packet};

/// Query of a packet: closest hits or occlusion.
pub(super) trait PacketQuery {
    /// Whether any hit terminates a ray.
    const ANY: bool;
    /// Results besides the ends of the packet's intervals.
    type Results;

    /// Returns results without hits.
    fn empty() -> Self::Results;

    /// Clears the results.
    ///
    /// * `inst` — instance id of hits in leaves.
    fn clear(results: &mut Self::Results, inst: u32);

    /// Intersects the rays of `masks` with a leaf. Returns whether intervals were shortened or rays terminated.
    fn test_leaf<S: Simd>(
        simd: S,
        results: &mut Self::Results,
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool;

    /// Merges the results of an instance, in object space. Returns whether any hit was closer.
    fn merge<S: Simd>(
        simd: S,
        results: &mut Self::Results,
        packet: &mut Packet,
        inner: (&Self::Results, &Packet),
        inst: u32,
    ) -> bool;

    /// Accepts the hit of a ray with a primitive of the leaf, in `[t_near, t_far]`, if it is closer.
    fn accept_candidate(
        results: &mut Self::Results,
        packet: &mut Packet,
        ray: (usize, usize),
        hit: &Candidate,
        prim: u32,
    );

    /// Accepts the hit of one ray if it is closer.
    fn accept_hit(results: &mut Self::Results, packet: &mut Packet, g: usize, lane: usize, hit: &Hit);

    /// Writes the results of a packet.
    ///
    /// * `terminated` — terminated rays.
    fn store<S: Simd>(
        &mut self,
        simd: S,
        results: &mut Self::Results,
        packet: &Packet,
        terminated: &[u32; GROUPS],
        span: Span,
    );
}
