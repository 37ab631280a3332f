use fearless_simd::Simd;

use super::{RAYS, Span, StartLevel};
use crate::primitive::{BATCH, Padding, corners};
use crate::stream::RayStream;
use crate::traversal::{GROUPS, Packet, PacketStack};

/// Minimum number of rays of one class that are traced as a packet (packet occupancy).
const PACKET_MIN: u32 = 10;

/// Leaf visits per ray above which packets do not pay in a world with one instance: triangles are so small that the
/// rays of a packet do not share them and are faster traced individually.
const LEAVES_PER_RAY: f32 = 2.0;

/// As [`LEAVES_PER_RAY`], in a world with several instances, where an individual ray has to be transformed into each of
/// them.
const LEAVES_PER_RAY_TWO_LEVEL: f32 = 8.0;

/// Number of packets that are skipped after one that exceeds the limit: their rays are traced individually before
/// another packet is tried.
const SKIPPED_PACKETS: u32 = 15;

/// Packet in world space, with the state that is kept from packet to packet.
pub(super) struct Packets {
    pub(super) packet: Box<Packet>,
    stack: PacketStack,
    /// Indices of the rays that are not traced in packets.
    pub(super) single_rays: Vec<usize>,
    /// Whether to measure the divergence of the rays, since they are not known to be coherent.
    measure_coherence: bool,
    /// Leaf visits per ray above which the next packets are skipped.
    leaves_per_ray: f32,
    /// Number of packets still to be skipped.
    packets_to_skip: u32,
}

impl Packets {
    pub(super) fn new(level: &StartLevel<'_>, measure_coherence: bool) -> Self {
        Self {
            packet: Box::new(Packet::EMPTY),
            stack: PacketStack::default(),
            single_rays: Vec::new(),
            measure_coherence,
            leaves_per_ray: match level {
                StartLevel::Bottom(_) => LEAVES_PER_RAY,
                StartLevel::Top(_) => LEAVES_PER_RAY_TWO_LEVEL,
            },
            packets_to_skip: 0,
        }
    }

    /// Loads the next packet, and returns the rays that can hit anything.
    #[inline(always)]
    pub(super) fn load<S: Simd>(
        &mut self,
        simd: S,
        level: &StartLevel<'_>,
        rays: &RayStream<'_>,
        span: Span,
    ) -> [u32; GROUPS] {
        let (low, high) = corners(simd, &level.bounds());
        let padding = match level {
            StartLevel::Bottom(_) => Padding::Triangles { low, high },
            StartLevel::Top(world) => Padding::Instances(world.tlas.padding()),
        };
        let mut valid = [0; GROUPS];
        self.packet.terminated = [0; GROUPS];
        for (g, group) in self.packet.groups.iter_mut().enumerate() {
            let first = span.start + g * BATCH;
            group.valid = 0;
            if first < span.len {
                group.prepare(simd, &rays.load(simd, first, span.len - first), &padding);
                group.cull(simd, &low, &high);
            }
            valid[g] = group.valid;
        }
        valid
    }

    /// Skips a packet if packets are to be skipped: its rays are traced individually. Returns whether the
    /// packet was skipped.
    pub(super) fn skip(&mut self, span: Span) -> bool {
        let skips = self.packets_to_skip > 0;
        if skips {
            self.packets_to_skip -= 1;
            self.single_rays.extend(span.start..span.len.min(span.start + RAYS));
        }
        skips
    }

    /// Calls `trace` once for each class of rays in the packet, with the rays of that class active.
    #[inline(always)]
    pub(super) fn for_each_class<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        diagonal: f32,
        mut left: [u32; GROUPS],
        mut trace: impl FnMut(&mut Packet, &mut PacketStack),
    ) {
        let packet = &mut *self.packet;
        while packet.select_class(simd, &mut left) {
            let rays = packet.active.iter().map(|mask| mask.count_ones()).sum::<u32>();
            if rays >= PACKET_MIN && !(self.measure_coherence && packet.diverges(simd, diagonal)) {
                let stack = &mut self.stack;
                packet.trace_and_record(
                    #[inline(always)]
                    |packet| trace(packet, stack),
                );
                if packet.leaves as f32 > self.leaves_per_ray * rays as f32 {
                    self.packets_to_skip = SKIPPED_PACKETS;
                }
                continue;
            }
            for (group, mut mask) in packet.active.into_iter().enumerate() {
                while mask != 0 {
                    self.single_rays.push(start + group * BATCH + mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                }
            }
        }
    }
}
