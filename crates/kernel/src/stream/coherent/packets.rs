use fearless_simd::Simd;

use super::{Ground, RAYS, Span};
use crate::primitive::{BATCH, Padding, corners};
use crate::stream::RayStream;
use crate::traversal::{GROUPS, Packet, PacketStack};

/// Fewer rays than this of one class do not travel as a packet.
const PACKET_MIN: u32 = 10;

/// When a packet visits more leaves than this for each of its rays, triangles are so small that its rays do not share them,
/// and are faster on their own: in a world of one instance …
const LEAVES_PER_RAY: f32 = 2.0;
/// … and in one of several, where a ray on its own has to enter each of them.
const LEAVES_PER_RAY_IN_WORLDS: f32 = 8.0;

/// So many packets are then left out before another one tries.
const PAUSE: u32 = 15;

/// What is kept from packet to packet.
pub(super) struct Packets {
    pub(super) packet: Box<Packet>,
    stack: PacketStack,
    /// Indices of rays that found no company.
    pub(super) alone: Vec<usize>,
    /// Whether the rays are not known to be coherent.
    wary: bool,
    /// Packets that visit more leaves pause.
    leaves_per_ray: f32,
    /// Packets to leave out.
    pause: u32,
}

impl Packets {
    pub(super) fn new(ground: &Ground<'_>, wary: bool) -> Self {
        Self {
            packet: Box::new(Packet::EMPTY),
            stack: PacketStack::default(),
            alone: Vec::new(),
            wary,
            leaves_per_ray: match ground {
                Ground::Triangles(_) => LEAVES_PER_RAY,
                Ground::World(_) => LEAVES_PER_RAY_IN_WORLDS,
            },
            pause: 0,
        }
    }

    /// Makes the next packet ready; the rays that can hit anything.
    #[inline(always)]
    pub(super) fn load<S: Simd>(
        &mut self,
        simd: S,
        ground: &Ground<'_>,
        rays: &RayStream<'_>,
        span: Span,
    ) -> [u32; GROUPS] {
        let (low, high) = corners(simd, &ground.bounds());
        let padding = match ground {
            Ground::Triangles(_) => Padding::Triangles { low, high },
            Ground::World(part) => Padding::Instances(part.tlas.padding()),
        };
        let mut valid = [0; GROUPS];
        self.packet.ended = [0; GROUPS];
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

    /// Whether the next rays go alone anyway.
    pub(super) fn pass(&mut self, span: Span) -> bool {
        let passes = self.pause > 0;
        if passes {
            self.pause -= 1;
            self.alone.extend(span.start..span.len.min(span.start + RAYS));
        }
        passes
    }

    /// Calls `trace` with the packet for each class among its rays, those of that class being active.
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
        while packet.pick(simd, &mut left) {
            let rays = packet.active.iter().map(|mask| mask.count_ones()).sum::<u32>();
            if rays >= PACKET_MIN && !(self.wary && packet.is_wide(simd, diagonal)) {
                let stack = &mut self.stack;
                packet.trace_and_note(
                    #[inline(always)]
                    |packet| trace(packet, stack),
                );
                if packet.leaves as f32 > self.leaves_per_ray * rays as f32 {
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
