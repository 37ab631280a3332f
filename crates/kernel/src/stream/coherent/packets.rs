use fearless_simd::Simd;

use super::{Ground, RAYS, Span};
use crate::primitive::{BATCH, Padding, corners};
use crate::stream::RayStream;
use crate::traversal::{GROUPS, Packet, PacketStack};

/// Minimum number of rays of one class that are traced as a packet (packet occupancy).
const PACKET_MIN: u32 = 10;

/// Leaf visits per ray above which triangles are so small that the rays of a packet do not share them and are faster
/// traced individually, in a world with one instance …
const LEAVES_PER_RAY: f32 = 2.0;
/// … and with several instances, where an individual ray has to be transformed into each of them.
const LEAVES_PER_RAY_IN_WORLDS: f32 = 8.0;

/// Number of packets that are then skipped before another one is tried.
const PAUSE: u32 = 15;

/// State that is kept from packet to packet.
pub(super) struct Packets {
    pub(super) packet: Box<Packet>,
    stack: PacketStack,
    /// Indices of rays below packet occupancy.
    pub(super) alone: Vec<usize>,
    /// Whether the rays are not known to be coherent.
    wary: bool,
    /// Leaf visits per ray above which packets pause.
    leaves_per_ray: f32,
    /// Number of packets still to be skipped.
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

    /// Loads the next packet, and returns the rays that can hit anything.
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

    /// Returns whether the next rays are traced individually anyway.
    pub(super) fn pass(&mut self, span: Span) -> bool {
        let passes = self.pause > 0;
        if passes {
            self.pause -= 1;
            self.alone.extend(span.start..span.len.min(span.start + RAYS));
        }
        passes
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
