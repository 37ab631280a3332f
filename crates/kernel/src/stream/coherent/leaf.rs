use fearless_simd::Simd;

use crate::layout::Bvh8Node;
use crate::primitive::{FourTriangles, OneTriangle, PairHits, TriangleBlock, intersect_pairs};
use crate::traversal::Packet;

/// Up to this many rays of a group are tested four at a time against all triangles of a block; more rays are tested
/// together against one triangle at a time.
pub(super) const FEW: u32 = 4;

/// Intersects all rays of a group with one triangle of a block.
#[inline(always)]
pub(super) fn all_rays<S: Simd>(
    simd: S,
    block: &TriangleBlock,
    lane: usize,
    packet: &Packet,
    g: usize,
    active: u32,
) -> Option<PairHits<S>> {
    let (rays, rows) = (&packet.groups[g], Bvh8Node::entered_rows(packet.class));
    intersect_pairs(simd, &OneTriangle { block, lane, rays, rows }, active)
}

/// Intersects the first four rays of `left` with all triangles of a block: pair `4 r + k` is the ray `lanes[r]` and
/// triangle `k`. Removes the rays from `left`.
#[inline(always)]
pub(super) fn four_rays<S: Simd>(
    simd: S,
    block: &TriangleBlock,
    packet: &Packet,
    g: usize,
    left: &mut u32,
) -> (Option<PairHits<S>>, [u32; 4]) {
    let (rays, rows) = (&packet.groups[g], Bvh8Node::entered_rows(packet.class));
    let pairs = FourTriangles::new(simd, block, rays, rows, *left);
    let active = 0xffff >> (16 - 4 * left.count_ones().min(4));
    for _ in 0..4 {
        *left &= left.wrapping_sub(1);
    }
    (intersect_pairs(simd, &pairs, active), pairs.lanes)
}
