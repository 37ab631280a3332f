use fearless_simd::Simd;

use super::Span;
use crate::hit::Hit;
use crate::primitive::TriangleBlock;
use crate::traversal::{GROUPS, Packet};

/// What packets look for.
pub(super) trait PacketQuery {
    /// Whether the first hit found ends a ray.
    const ANY: bool;
    /// What is found besides the ends of the packet's intervals.
    type Found;

    fn nothing() -> Self::Found;

    /// Forgets everything.
    ///
    /// * `inst` — the instance to go with hits of leaves.
    fn clear(found: &mut Self::Found, inst: u32);

    /// Tests the rays of `masks` against a leaf; whether intervals have become shorter or rays have ended.
    fn test_leaf<S: Simd>(
        simd: S,
        found: &mut Self::Found,
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool;

    /// Takes what was found in an instance, in object space; whether anything was better.
    fn merge<S: Simd>(
        simd: S,
        found: &mut Self::Found,
        packet: &mut Packet,
        inner: (&Self::Found, &Packet),
        inst: u32,
    ) -> bool;

    /// Takes the hit of one ray.
    fn take(found: &mut Self::Found, packet: &mut Packet, g: usize, lane: usize, hit: &Hit);

    /// Writes what was found of the rays of a packet.
    ///
    /// * `ended` — the rays that have ended.
    fn store<S: Simd>(
        &mut self,
        simd: S,
        found: &mut Self::Found,
        packet: &Packet,
        ended: &[u32; GROUPS],
        span: Span,
    );
}
