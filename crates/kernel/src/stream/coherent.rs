//! Coherent rays: 64 at a time, bounded by a frustum [Wald01, packets]; [Boulos06, interval arithmetic].

use std::ops::Range;

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x16, mask32x16, u32x16};

use super::interleaved::{self, Selection};
use super::{Any, Closest, HitStream, MISS, RayStream};
use crate::blas::Blas;
use crate::layout::Bvh8Node;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{
    BATCH, Candidate, FourTriangles, LANES, OneTriangle, Padding, PairHits, RayBatch, TriangleBlock, corners,
    intersect_pairs,
};
use crate::simd::bits;
use crate::tlas::Tlas;
use crate::traversal::{GROUPS, Packet, PacketStack, Places, traverse_packet};

/// Fewer rays than this of one class do not travel as a packet.
const PACKET_MIN: u32 = 10;

/// Up to this many rays of a group are tested four at a time against all triangles of a block, more of them all together
/// against one triangle after the other.
const FEW: u32 = 4;

/// When a packet visits more leaves than this for each of its rays, triangles are so small that its rays do not share them,
/// and are faster on their own.
const LEAVES_PER_RAY: f32 = 2.0;

/// So many packets are then left out before another one tries.
const PAUSE: u32 = 15;

/// Rays in a packet.
const RAYS: usize = GROUPS * BATCH;

/// Closest hits of all rays of a stream with one bottom level.
#[inline(never)]
pub(crate) fn closest<S: Simd>(
    simd: S,
    tlas: &Tlas,
    blas: &Blas,
    rays: &RayStream<'_>,
    wary: bool,
    hits: &mut HitStream<'_>,
) {
    let mut packets = Packets::new(wary);
    simd.vectorize(
        #[inline(always)]
        || closest_vectorized(simd, blas, rays, hits, &mut packets),
    );
    if !packets.alone.is_empty() {
        interleaved::trace(simd, tlas, rays, Selection::These(&packets.alone), &mut Closest { hits });
    }
}

#[inline(always)]
fn closest_vectorized<S: Simd>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    hits: &mut HitStream<'_>,
    packets: &mut Packets,
) {
    let mut found = Found::NOTHING;
    let len = rays.len().min(hits.len());
    for start in (0..len).step_by(RAYS) {
        let valid = packets.load(simd, blas, rays, start, len);
        found.prim = [[MISS; BATCH]; GROUPS];
        packets.for_each_class(
            simd,
            start,
            blas.bounds().diagonal(),
            valid,
            #[inline(always)]
            |packet, stack| {
                traverse_packet::<S, false>(
                    simd,
                    blas.bvh(),
                    packet,
                    stack,
                    Places::of(&blas.bvh().nodes, blas.blocks()),
                    #[inline(always)]
                    |packet, items, masks| found.test_leaf(simd, &blas.blocks()[items], packet, masks),
                );
            },
        );
        found.store(simd, &packets.packet, start, len, hits);
    }
}

/// Whether each ray of a stream hits anything of one bottom level.
#[inline(never)]
pub(crate) fn any<S: Simd>(
    simd: S,
    tlas: &Tlas,
    blas: &Blas,
    rays: &RayStream<'_>,
    wary: bool,
    occluded: &mut [bool],
) {
    let mut packets = Packets::new(wary);
    simd.vectorize(
        #[inline(always)]
        || any_vectorized(simd, blas, rays, occluded, &mut packets),
    );
    if !packets.alone.is_empty() {
        interleaved::trace(simd, tlas, rays, Selection::These(&packets.alone), &mut Any { occluded });
    }
}

#[inline(always)]
fn any_vectorized<S: Simd>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    occluded: &mut [bool],
    packets: &mut Packets,
) {
    let len = rays.len().min(occluded.len());
    for start in (0..len).step_by(RAYS) {
        let valid = packets.load(simd, blas, rays, start, len);
        let mut blocked = [0; GROUPS];
        packets.for_each_class(
            simd,
            start,
            blas.bounds().diagonal(),
            valid,
            #[inline(always)]
            |packet, stack| {
                let before = packet.active;
                traverse_packet::<S, true>(
                    simd,
                    blas.bvh(),
                    packet,
                    stack,
                    Places::of(&blas.bvh().nodes, blas.blocks()),
                    #[inline(always)]
                    |packet, items, masks| block_rays(simd, blas, items, packet, masks),
                );
                for g in 0..GROUPS {
                    blocked[g] |= before[g] & !packet.active[g];
                }
            },
        );
        for (i, occluded) in occluded[start..len.min(start + RAYS)].iter_mut().enumerate() {
            *occluded = blocked[i / BATCH] >> (i % BATCH) & 1 == 1;
        }
    }
}

/// Ends the rays that hit something in a leaf; whether any does.
#[inline(always)]
fn block_rays<S: Simd>(
    simd: S,
    blas: &Blas,
    items: Range<usize>,
    packet: &mut Packet,
    masks: &[u32; GROUPS],
) -> bool {
    let before = packet.active;
    for block in &blas.blocks()[items] {
        for (g, &meets) in masks.iter().enumerate() {
            let mut left = meets & packet.active[g];
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
                let blocked = bits(hit.mask);
                left &= !blocked;
                packet.active[g] &= !blocked;
            }
        }
    }
    packet.active != before
}

/// All rays of a group against one triangle of a block.
#[inline(always)]
fn all_rays<S: Simd>(
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

/// The first four of some rays of a group against all triangles of a block: pair `4 r + k` is the ray `lanes[r]` and
/// triangle `k`. Takes the rays out of `left`.
#[inline(always)]
fn four_rays<S: Simd>(
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

/// The best hits of a packet, but for their `t`, which are the ends of the packet's intervals.
struct Found {
    u: [[f32; BATCH]; GROUPS],
    v: [[f32; BATCH]; GROUPS],
    prim: [[u32; BATCH]; GROUPS],
}

impl Found {
    const NOTHING: Self =
        Self { u: [[0.0; BATCH]; GROUPS], v: [[0.0; BATCH]; GROUPS], prim: [[MISS; BATCH]; GROUPS] };

    /// Takes what is better in a leaf; whether anything is.
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
            for (g, &meets) in masks.iter().enumerate() {
                let mut left = meets;
                if left.count_ones() <= FEW {
                    while left != 0 {
                        let (hit, lanes) = four_rays(simd, block, packet, g, &mut left);
                        if let Some(hit) = hit {
                            any |= self.take_pairs(block, packet, g, lanes, &hit);
                        }
                    }
                    continue;
                }
                for (lane, prim) in block.triangles() {
                    if let Some(hit) = all_rays(simd, block, lane, packet, g, left) {
                        any |= self.take_all(simd, packet, g, prim, &hit);
                    }
                }
            }
        }
        any
    }

    /// Hits of all rays of a group with one triangle.
    #[inline(always)]
    fn take_all<S: Simd>(
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

    /// Hits of [`four_rays`].
    #[inline(always)]
    fn take_pairs<S: Simd>(
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
            let found = Candidate { t: ts[pair], u: us[pair], v: vs[pair] };
            let t_far = &mut packet.groups[g].rows[T_FAR][lane];
            if found.t < *t_far || found.t == *t_far && prim < self.prim[g][lane] {
                *t_far = found.t;
                (self.u[g][lane], self.v[g][lane], self.prim[g][lane]) = (found.u, found.v, prim);
            }
            pairs &= pairs - 1;
        }
        true
    }

    /// Writes the hits of the rays from `start` on.
    #[inline(always)]
    fn store<S: Simd>(
        &mut self,
        simd: S,
        packet: &Packet,
        start: usize,
        len: usize,
        hits: &mut HitStream<'_>,
    ) {
        let room = RAYS.min(len - start);
        let (all, zero) = (start..start + room, f32x16::splat(simd, 0.0));
        let mut t_hit = [[0.0; BATCH]; GROUPS];
        let mut inst = [[MISS; BATCH]; GROUPS];
        for g in 0..GROUPS {
            let miss = u32x16::load_array_ref(simd, &self.prim[g]).simd_eq(u32x16::splat(simd, MISS));
            let t = f32x16::load_array_ref(simd, &packet.groups[g].rows[T_FAR]);
            miss.select(f32x16::splat(simd, f32::INFINITY), t).store_array(&mut t_hit[g]);
            let (u, v) = (f32x16::load_array_ref(simd, &self.u[g]), f32x16::load_array_ref(simd, &self.v[g]));
            miss.select(zero, u).store_array(&mut self.u[g]);
            miss.select(zero, v).store_array(&mut self.v[g]);
            miss.select(u32x16::splat(simd, MISS), u32x16::splat(simd, 0)).store_array(&mut inst[g]);
        }
        hits.t[all.clone()].copy_from_slice(&t_hit.as_flattened()[..room]);
        hits.u[all.clone()].copy_from_slice(&self.u.as_flattened()[..room]);
        hits.v[all.clone()].copy_from_slice(&self.v.as_flattened()[..room]);
        hits.prim_id[all.clone()].copy_from_slice(&self.prim.as_flattened()[..room]);
        hits.inst_id[all].copy_from_slice(&inst.as_flattened()[..room]);
    }
}

/// What is kept from packet to packet.
struct Packets {
    packet: Box<Packet>,
    stack: PacketStack,
    /// Indices of rays that found no company.
    alone: Vec<usize>,
    /// Whether the rays are not known to be coherent.
    wary: bool,
    /// Packets to leave out.
    pause: u32,
}

impl Packets {
    fn new(wary: bool) -> Self {
        let packet = Packet { groups: [RayBatch::EMPTY; GROUPS], active: [0; GROUPS], class: 0, leaves: 0 };
        Self { packet: Box::new(packet), stack: PacketStack::default(), alone: Vec::new(), wary, pause: 0 }
    }

    /// Makes the next packet ready; the rays that can hit anything.
    #[inline(always)]
    fn load<S: Simd>(
        &mut self,
        simd: S,
        blas: &Blas,
        rays: &RayStream<'_>,
        start: usize,
        len: usize,
    ) -> [u32; GROUPS] {
        let (low, high) = corners(simd, &blas.bounds());
        let padding = Padding::Triangles { low, high };
        let mut valid = [0; GROUPS];
        for (g, group) in self.packet.groups.iter_mut().enumerate() {
            let first = start + g * BATCH;
            group.valid = 0;
            if first < len {
                group.prepare(simd, &rays.load(simd, first, len - first), &padding);
                group.cull(simd, &low, &high);
            }
            valid[g] = group.valid;
        }
        valid
    }

    /// Calls `trace` with the packet for each class among its rays, those of that class being active.
    #[inline(always)]
    fn for_each_class<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        diagonal: f32,
        mut left: [u32; GROUPS],
        mut trace: impl FnMut(&mut Packet, &mut PacketStack),
    ) {
        let paused = self.pause > 0;
        self.pause = self.pause.saturating_sub(1);
        while let Some(g) = left.iter().position(|&mask| mask != 0) {
            let packet = &mut *self.packet;
            packet.class = packet.groups[g].class[left[g].trailing_zeros() as usize & (BATCH - 1)];
            for (g, left) in left.iter_mut().enumerate() {
                let class = u32x16::load_array_ref(simd, &packet.groups[g].class);
                let same = bits(class.simd_eq(u32x16::splat(simd, packet.class)));
                packet.active[g] = *left & same;
                *left &= !same;
            }
            let rays = packet.active.iter().map(|mask| mask.count_ones()).sum::<u32>();
            if rays >= PACKET_MIN && !paused && !(self.wary && packet.is_wide(simd, diagonal)) {
                trace(packet, &mut self.stack);
                if packet.leaves as f32 > LEAVES_PER_RAY * rays as f32 {
                    self.pause = PAUSE;
                }
                continue;
            }
            for (group, mut mask) in packet.active.into_iter().enumerate() {
                while mask != 0 {
                    self.alone.push(start + group * BATCH + mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                }
            }
        }
    }
}
