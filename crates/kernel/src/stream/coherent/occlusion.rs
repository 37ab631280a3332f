use fearless_simd::Simd;

use super::leaf::{FEW, all_rays, four_rays};
use super::packet_query::PacketQuery;
use super::{RAYS, Span};
use crate::hit::Hit;
use crate::primitive::{BATCH, Candidate, LANES, TriangleBlock};
use crate::simd::bits;
use crate::traversal::{GROUPS, Packet};

/// Occlusion query of a packet: any hit terminates its ray.
pub(super) struct OcclusionQuery<'a> {
    pub(super) occluded: &'a mut [bool],
}

impl PacketQuery for OcclusionQuery<'_> {
    const ANY: bool = true;
    type Results = ();

    fn empty() {}

    #[inline(always)]
    fn clear((): &mut (), _: u32) {}

    #[inline(always)]
    fn test_leaf<S: Simd>(
        simd: S,
        (): &mut (),
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool {
        terminate_rays(simd, blocks, packet, masks)
    }

    #[inline(always)]
    fn merge<S: Simd>(_: S, (): &mut (), packet: &mut Packet, ((), object): (&(), &Packet), _: u32) -> bool {
        let before = packet.active;
        for (active, terminated) in packet.active.iter_mut().zip(&object.terminated) {
            *active &= !terminated;
        }
        packet.active != before
    }

    #[inline(always)]
    fn accept_candidate((): &mut (), packet: &mut Packet, (g, lane): (usize, usize), _: &Candidate, _: u32) {
        packet.active[g] &= !(1 << lane);
    }

    fn accept_hit((): &mut (), packet: &mut Packet, g: usize, lane: usize, _: &Hit) {
        packet.active[g] &= !(1 << lane);
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, _: S, (): &mut (), _: &Packet, terminated: &[u32; GROUPS], span: Span) {
        let count = RAYS.min(span.len - span.start);
        let occluded = &mut self.occluded[span.start..span.start + count];
        for (occluded, terminated) in occluded.chunks_mut(BATCH).zip(terminated) {
            for (lane, occluded) in occluded.iter_mut().enumerate() {
                *occluded = terminated >> lane & 1 == 1;
            }
        }
    }
}

/// Terminates the rays that hit something in a leaf. Returns whether any does.
#[inline(always)]
fn terminate_rays<S: Simd>(
    simd: S,
    blocks: &[TriangleBlock],
    packet: &mut Packet,
    masks: &[u32; GROUPS],
) -> bool {
    let before = packet.active;
    for block in blocks {
        for (g, &mask) in masks.iter().enumerate() {
            let mut left = mask & packet.active[g];
            if left.count_ones() <= FEW {
                while left != 0 {
                    let (hit, lanes) = four_rays(simd, block, packet, g, &mut left);
                    let Some(hit) = hit else { continue };
                    let mut pairs = bits(hit.mask);
                    while pairs != 0 {
                        packet.active[g] &= !(1 << lanes[(pairs.trailing_zeros() as usize / LANES) & 3]);
                        pairs &= pairs - 1;
                    }
                }
                continue;
            }
            for (lane, _) in block.triangles() {
                let Some(hit) = all_rays(simd, block, lane, packet, g, left) else { continue };
                let hit_rays = bits(hit.mask);
                left &= !hit_rays;
                packet.active[g] &= !hit_rays;
            }
        }
    }
    packet.active != before
}
