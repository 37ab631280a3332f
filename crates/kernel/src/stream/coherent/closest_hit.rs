use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x16, mask32x16, u32x16};

use super::leaf::{FEW, all_rays, four_rays};
use super::packet_query::PacketQuery;
use super::{RAYS, Span};
use crate::hit::Hit;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{BATCH, Candidate, LANES, PairHits, TriangleBlock};
use crate::simd::bits;
use crate::stream::{HitStream, MISS};
use crate::traversal::{GROUPS, Packet};

/// Closest-hit query of a packet.
pub(super) struct ClosestHitQuery<'a, 'b> {
    pub(super) hits: &'a mut HitStream<'b>,
}

impl PacketQuery for ClosestHitQuery<'_, '_> {
    const ANY: bool = false;
    type Results = ClosestHits;

    fn empty() -> ClosestHits {
        ClosestHits {
            u: [[0.0; BATCH]; GROUPS],
            v: [[0.0; BATCH]; GROUPS],
            prim: [[MISS; BATCH]; GROUPS],
            inst: [[MISS; BATCH]; GROUPS],
        }
    }

    #[inline(always)]
    fn clear(results: &mut ClosestHits, inst: u32) {
        results.prim = [[MISS; BATCH]; GROUPS];
        results.inst = [[inst; BATCH]; GROUPS];
    }

    #[inline(always)]
    fn test_leaf<S: Simd>(
        simd: S,
        results: &mut ClosestHits,
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool {
        results.test_leaf(simd, blocks, packet, masks)
    }

    #[inline(always)]
    fn merge<S: Simd>(
        simd: S,
        results: &mut ClosestHits,
        packet: &mut Packet,
        (inner, object): (&ClosestHits, &Packet),
        inst: u32,
    ) -> bool {
        let new = u32x16::splat(simd, inst);
        let mut any = 0;
        for g in 0..GROUPS {
            let load = |row: &[f32; BATCH]| f32x16::load_array_ref(simd, row);
            let word = |row: &[u32; BATCH]| u32x16::load_array_ref(simd, row);
            let (t, prim) = (load(&object.groups[g].rows[T_FAR]), word(&inner.prim[g]));
            let (t_far, old) = (load(&packet.groups[g].rows[T_FAR]), word(&results.inst[g]));
            // Ties go to the smaller instance, and between split parts of one instance to the smaller primitive.
            let known = word(&results.prim[g]);
            let first = new.simd_lt(old) | (new.simd_eq(old) & prim.simd_lt(known));
            let wins = t.simd_lt(t_far) | (t.simd_eq(t_far) & first);
            let better: mask32x16<S> = prim.simd_ne(u32x16::splat(simd, MISS)) & wins;
            any |= bits(better);
            better.select(t, t_far).store_array(&mut packet.groups[g].rows[T_FAR]);
            better.select(load(&inner.u[g]), load(&results.u[g])).store_array(&mut results.u[g]);
            better.select(load(&inner.v[g]), load(&results.v[g])).store_array(&mut results.v[g]);
            better.select(prim, known).store_array(&mut results.prim[g]);
            better.select(new, old).store_array(&mut results.inst[g]);
        }
        any != 0
    }

    #[inline(always)]
    fn accept_candidate(
        results: &mut ClosestHits,
        packet: &mut Packet,
        (g, lane): (usize, usize),
        hit: &Candidate,
        prim: u32,
    ) {
        let t_far = &mut packet.groups[g].rows[T_FAR][lane];
        if hit.t < *t_far || hit.t == *t_far && prim < results.prim[g][lane] {
            *t_far = hit.t;
            (results.u[g][lane], results.v[g][lane], results.prim[g][lane]) = (hit.u, hit.v, prim);
        }
    }

    fn accept_hit(results: &mut ClosestHits, packet: &mut Packet, g: usize, lane: usize, hit: &Hit) {
        let t_far = &mut packet.groups[g].rows[T_FAR][lane];
        if hit.t < *t_far || hit.t == *t_far && hit.inst_id < results.inst[g][lane] {
            *t_far = hit.t;
            (results.u[g][lane], results.v[g][lane]) = (hit.u, hit.v);
            (results.prim[g][lane], results.inst[g][lane]) = (hit.prim_id, hit.inst_id);
        }
    }

    #[inline(always)]
    fn store<S: Simd>(
        &mut self,
        simd: S,
        results: &mut ClosestHits,
        packet: &Packet,
        _: &[u32; GROUPS],
        span: Span,
    ) {
        let count = RAYS.min(span.len - span.start);
        let (all, zero) = (span.start..span.start + count, f32x16::splat(simd, 0.0));
        let none = u32x16::splat(simd, MISS);
        let mut t_hit = [[0.0; BATCH]; GROUPS];
        for (g, t_hit) in t_hit.iter_mut().enumerate() {
            let miss = u32x16::load_array_ref(simd, &results.prim[g]).simd_eq(none);
            let t = f32x16::load_array_ref(simd, &packet.groups[g].rows[T_FAR]);
            miss.select(f32x16::splat(simd, f32::INFINITY), t).store_array(t_hit);
            let u = f32x16::load_array_ref(simd, &results.u[g]);
            miss.select(zero, u).store_array(&mut results.u[g]);
            let v = f32x16::load_array_ref(simd, &results.v[g]);
            miss.select(zero, v).store_array(&mut results.v[g]);
            let inst = u32x16::load_array_ref(simd, &results.inst[g]);
            miss.select(none, inst).store_array(&mut results.inst[g]);
        }
        self.hits.t[all.clone()].copy_from_slice(&t_hit.as_flattened()[..count]);
        self.hits.u[all.clone()].copy_from_slice(&results.u.as_flattened()[..count]);
        self.hits.v[all.clone()].copy_from_slice(&results.v.as_flattened()[..count]);
        self.hits.prim_id[all.clone()].copy_from_slice(&results.prim.as_flattened()[..count]);
        self.hits.inst_id[all].copy_from_slice(&results.inst.as_flattened()[..count]);
    }
}

/// Closest hits of a packet without their `t`, which are the ends of the packet's intervals.
pub(super) struct ClosestHits {
    u: [[f32; BATCH]; GROUPS],
    v: [[f32; BATCH]; GROUPS],
    prim: [[u32; BATCH]; GROUPS],
    inst: [[u32; BATCH]; GROUPS],
}

impl ClosestHits {
    /// Accepts closer hits of a leaf. Returns whether there were any.
    #[inline(always)]
    fn test_leaf<S: Simd>(
        &mut self,
        simd: S,
        blocks: &[TriangleBlock],
        packet: &mut Packet,
        masks: &[u32; GROUPS],
    ) -> bool {
        let mut any = false;
        for block in blocks {
            for (g, &mask) in masks.iter().enumerate() {
                let mut left = mask;
                if left.count_ones() <= FEW {
                    while left != 0 {
                        let (hit, lanes) = four_rays(simd, block, packet, g, &mut left);
                        if let Some(hit) = hit {
                            any |= self.accept_four_rays(block, packet, g, lanes, &hit);
                        }
                    }
                    continue;
                }
                for (lane, prim) in block.triangles() {
                    if let Some(hit) = all_rays(simd, block, lane, packet, g, left) {
                        any |= self.accept_all_rays(simd, packet, g, prim, &hit);
                    }
                }
            }
        }
        any
    }

    /// Accepts those hits of all rays of a group with one triangle that are closer. Returns whether there were any.
    #[inline(always)]
    fn accept_all_rays<S: Simd>(
        &mut self,
        simd: S,
        packet: &mut Packet,
        g: usize,
        prim: u32,
        hit: &PairHits<S>,
    ) -> bool {
        let t_far = f32x16::load_array_ref(simd, &packet.groups[g].rows[T_FAR]);
        let best = u32x16::load_array_ref(simd, &self.prim[g]);
        let new = u32x16::splat(simd, prim);
        let better: mask32x16<S> = hit.mask & (hit.t.simd_lt(t_far) | new.simd_lt(best));
        if better.to_bitmask() == 0 {
            return false;
        }
        better.select(hit.t, t_far).store_array(&mut packet.groups[g].rows[T_FAR]);
        let u = f32x16::load_array_ref(simd, &self.u[g]);
        better.select(hit.u, u).store_array(&mut self.u[g]);
        let v = f32x16::load_array_ref(simd, &self.v[g]);
        better.select(hit.v, v).store_array(&mut self.v[g]);
        better.select(new, best).store_array(&mut self.prim[g]);
        true
    }

    /// Accepts those hits of [`four_rays`] that are closer. Returns whether there were any hits.
    #[inline(always)]
    fn accept_four_rays<S: Simd>(
        &mut self,
        block: &TriangleBlock,
        packet: &mut Packet,
        g: usize,
        lanes: [u32; 4],
        hit: &PairHits<S>,
    ) -> bool {
        let mut pairs = bits(hit.mask);
        if pairs == 0 {
            return false;
        }
        let (ts, us, vs) = (hit.t.to_array(), hit.u.to_array(), hit.v.to_array());
        while pairs != 0 {
            let pair = pairs.trailing_zeros() as usize & (BATCH - 1);
            let (lane, prim) = (lanes[pair / LANES] as usize & (BATCH - 1), block.prim_ids[pair % LANES]);
            let candidate = Candidate { t: ts[pair], u: us[pair], v: vs[pair] };
            ClosestHitQuery::accept_candidate(self, packet, (g, lane), &candidate, prim);
            pairs &= pairs - 1;
        }
        true
    }
}
