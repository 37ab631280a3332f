//! Coherent rays: 64 at a time, bounded by a frustum.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x16, mask32x16, u32x16};

use super::interleaved::{self, Selection};
use super::{Any, Closest, HitStream, MISS, RayStream};
use crate::blas::Blas;
use crate::primitive::{BATCH, RayBatch, intersect_packet};
use crate::traversal::{GROUPS, Packet, PacketStack, traverse_packet};

/// Fewer rays than this of one class do not travel as a packet.
const PACKET_MIN: u32 = 10;

/// Rays in a packet.
const RAYS: usize = GROUPS * BATCH;

/// The best hits of a packet.
struct Found {
    u: [[f32; BATCH]; GROUPS],
    v: [[f32; BATCH]; GROUPS],
    prim: [[u32; BATCH]; GROUPS],
}

/// Closest hits of all rays of a stream with one bottom level.
#[inline(never)]
pub(crate) fn closest<S: Simd>(simd: S, blas: &Blas, rays: &RayStream<'_>, hits: &mut HitStream<'_>) {
    let mut packets = Packets::new();
    simd.vectorize(
        #[inline(always)]
        || closest_vectorized(simd, blas, rays, hits, &mut packets),
    );
    interleaved::trace(simd, blas, rays, Selection::These(&packets.alone), &mut Closest { hits });
}

#[inline(always)]
fn closest_vectorized<S: Simd>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    hits: &mut HitStream<'_>,
    packets: &mut Packets,
) {
    let mut found =
        Found { u: [[0.0; BATCH]; GROUPS], v: [[0.0; BATCH]; GROUPS], prim: [[MISS; BATCH]; GROUPS] };
    let len = rays.len().min(hits.len());
    let mut start = 0;
    while start < len {
        let valid = packets.load(simd, blas, rays, start, len);
        found.prim = [[MISS; BATCH]; GROUPS];
        packets.for_each_class(
            simd,
            start,
            valid,
            #[inline(always)]
            |packet, stack| {
                traverse_packet::<S, false>(
                    simd,
                    blas.bvh(),
                    packet,
                    stack,
                    #[inline(always)]
                    |packet, items, masks| {
                        let mut any = false;
                        for block in &blas.blocks()[items] {
                            for (lane, prim) in block.triangles() {
                                let corners = block.corners(lane);
                                for g in 0..GROUPS {
                                    if masks[g] == 0 {
                                        continue;
                                    }
                                    let Some(hit) = intersect_packet(
                                        simd,
                                        &corners,
                                        &packet.groups[g],
                                        packet.class,
                                        masks[g],
                                        &packet.t_far[g],
                                    ) else {
                                        continue;
                                    };
                                    let t_far = f32x16::load_array_ref(simd, &packet.t_far[g]);
                                    let best = u32x16::load_array_ref(simd, &found.prim[g]);
                                    let first =
                                        hit.t.simd_lt(t_far) | u32x16::splat(simd, prim).simd_lt(best);
                                    let better: mask32x16<S> = hit.mask & first;
                                    if better.to_bitmask() == 0 {
                                        continue;
                                    }
                                    any = true;
                                    better.select(hit.t, t_far).store_array(&mut packet.t_far[g]);
                                    let u = f32x16::load_array_ref(simd, &found.u[g]);
                                    better.select(hit.u, u).store_array(&mut found.u[g]);
                                    let v = f32x16::load_array_ref(simd, &found.v[g]);
                                    better.select(hit.v, v).store_array(&mut found.v[g]);
                                    better
                                        .select(u32x16::splat(simd, prim), best)
                                        .store_array(&mut found.prim[g]);
                                }
                            }
                        }
                        any
                    },
                );
            },
        );
        for i in 0..RAYS.min(len - start) {
            let (g, lane) = (i / BATCH, i % BATCH);
            let prim = found.prim[g][lane];
            hits.t[start + i] = if prim == MISS { f32::INFINITY } else { packets.packet.t_far[g][lane] };
            hits.u[start + i] = if prim == MISS { 0.0 } else { found.u[g][lane] };
            hits.v[start + i] = if prim == MISS { 0.0 } else { found.v[g][lane] };
            hits.prim_id[start + i] = prim;
            hits.inst_id[start + i] = if prim == MISS { MISS } else { 0 };
        }
        start += RAYS;
    }
}

/// Whether each ray of a stream hits anything of one bottom level.
#[inline(never)]
pub(crate) fn any<S: Simd>(simd: S, blas: &Blas, rays: &RayStream<'_>, occluded: &mut [bool]) {
    let mut packets = Packets::new();
    simd.vectorize(
        #[inline(always)]
        || any_vectorized(simd, blas, rays, occluded, &mut packets),
    );
    interleaved::trace(simd, blas, rays, Selection::These(&packets.alone), &mut Any { occluded });
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
    let mut start = 0;
    while start < len {
        let valid = packets.load(simd, blas, rays, start, len);
        let mut free = valid;
        packets.for_each_class(
            simd,
            start,
            valid,
            #[inline(always)]
            |packet, stack| {
                traverse_packet::<S, true>(
                    simd,
                    blas.bvh(),
                    packet,
                    stack,
                    #[inline(always)]
                    |packet, items, masks| {
                        let mut masks = *masks;
                        let mut any = false;
                        for block in &blas.blocks()[items] {
                            for (lane, _) in block.triangles() {
                                let corners = block.corners(lane);
                                for g in 0..GROUPS {
                                    if masks[g] == 0 {
                                        continue;
                                    }
                                    let hit = intersect_packet(
                                        simd,
                                        &corners,
                                        &packet.groups[g],
                                        packet.class,
                                        masks[g],
                                        &packet.t_far[g],
                                    );
                                    let blocked = hit.map_or(0, |hit| hit.mask.to_bitmask() as u32);
                                    masks[g] &= !blocked;
                                    packet.active[g] &= !blocked;
                                    free[g] &= !blocked;
                                    any |= blocked != 0;
                                }
                            }
                        }
                        any
                    },
                );
            },
        );
        for (i, occluded) in occluded[start..len.min(start + RAYS)].iter_mut().enumerate() {
            let (g, lane) = (i / BATCH, i % BATCH);
            *occluded = (valid[g] & !free[g]) >> lane & 1 == 1;
        }
        start += RAYS;
    }
}

/// What is kept from packet to packet.
struct Packets {
    packet: Box<Packet>,
    stack: PacketStack,
    /// Indices of rays that found no company.
    alone: Vec<usize>,
}

impl Packets {
    fn new() -> Self {
        let packet = Packet {
            groups: [RayBatch::EMPTY; GROUPS],
            active: [0; GROUPS],
            t_far: [[0.0; BATCH]; GROUPS],
            class: 0,
        };
        Self { packet: Box::new(packet), stack: PacketStack::default(), alone: Vec::new() }
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
        let mut valid = [0; GROUPS];
        for (g, group) in self.packet.groups.iter_mut().enumerate() {
            let first = start + g * BATCH;
            group.valid = 0;
            if first < len {
                group.prepare(simd, &rays.load(simd, first, len - first), &blas.bounds());
            }
            self.packet.t_far[g] = group.t_far;
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
        mut left: [u32; GROUPS],
        mut trace: impl FnMut(&mut Packet, &mut PacketStack),
    ) {
        while let Some(g) = left.iter().position(|&mask| mask != 0) {
            let packet = &mut *self.packet;
            packet.class = packet.groups[g].class[left[g].trailing_zeros() as usize & (BATCH - 1)];
            for (g, left) in left.iter_mut().enumerate() {
                let class = u32x16::load_array_ref(simd, &packet.groups[g].class);
                let same = class.simd_eq(u32x16::splat(simd, packet.class)).to_bitmask() as u32;
                packet.active[g] = *left & same;
                *left &= !same;
            }
            if packet.active.iter().map(|mask| mask.count_ones()).sum::<u32>() >= PACKET_MIN {
                trace(packet, &mut self.stack);
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
