use fearless_simd::Simd;

use super::Span;
use crate::hit::Hit;
use crate::primitive::TriangleBlock;
use crate::traversal::{GROUPS, Packet};

/// Query of a packet: closest hits or occlusion.
pub(super) trait PacketQuery {
    /// Whether any hit terminates a ray.
    const ANY: bool;
    /// Results besides the ends of the packet's intervals.
    type Found;

    fn nothing() -> Self::Found;

    /// Clears the results.
    ///
    /// * `inst` — instance id of hits in leaves.
    fn clear(found: &mut Self::Found, inst: u32);

    /// Intersects the rays of `masks` with a leaf. Returns whether intervals were shortened or rays terminated.
    fn test_leaf<S: Simd>(
        simd: S,
        found: &mut Self::Found,
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool;

    /// Merges the results of an instance, in object space. Returns whether any hit was closer.
    fn merge<S: Simd>(
        simd: S,
        found: &mut Self::Found,
        packet: &mut Packet,
        inner: (&Self::Found, &Packet),
        inst: u32,
    ) -> bool;

    /// Merges the hit of one ray.
    fn take(found: &mut Self::Found, packet: &mut Packet, g: usize, lane: usize, hit: &Hit);

    /// Writes the results of a packet.
    ///
    /// * `ended` — terminated rays.
    fn store<S: Simd>(
        &mut self,
        simd: S,
        found: &mut Self::Found,
        packet: &Packet,
        ended: &[u32; GROUPS],
        span: Span,
    );
}
