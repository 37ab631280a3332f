//! Coherent rays: 64 at a time, bounded by a frustum [Wald01, packets]; [Boulos06, interval arithmetic].

mod instances;
mod leaf;
mod nearest;
mod occlusion;
mod packet_query;
mod packets;

use fearless_simd::Simd;
use sunfleck_math::Aabb;

use super::interleaved::{self, Selection};
use super::part::Part;
use super::{Any, Closest, HitStream, MISS, RayStream};
use crate::blas::Blas;
use crate::layout::ChildRef;
use crate::primitive::BATCH;
use crate::traversal::{GROUPS, Packet, PacketStack, Places, traverse_packet};
use instances::Instances;
use nearest::Nearest;
use occlusion::OcclusionQuery;
use packet_query::PacketQuery;
use packets::Packets;

/// Number of rays in a packet.
const RAYS: usize = GROUPS * BATCH;

/// Structure in which packets start.
enum Ground<'a> {
    /// Triangles of a world with a single instance.
    Triangles(&'a Blas),
    /// Top level.
    World(Part<'a>),
}

impl<'a> Ground<'a> {
    fn of(part: Part<'a>) -> Self {
        part.as_single().map_or(Self::World(part), Self::Triangles)
    }

    fn bounds(&self) -> Aabb {
        match self {
            Self::Triangles(blas) => blas.bounds(),
            Self::World(part) => part.tlas.bounds(),
        }
    }
}

/// Rays of a stream that a packet holds: those from `start` on, of `len` in all.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
}

/// Finds the closest hits of all rays of a stream, and writes those of rays that hit.
pub(crate) fn closest<S: Simd>(
    simd: S,
    part: Part<'_>,
    rays: &RayStream<'_>,
    wary: bool,
    hits: &mut HitStream<'_>,
) {
    let len = rays.len().min(hits.len());
    let alone = trace(simd, &Ground::of(part), rays, len, wary, &mut Nearest { hits });
    interleaved::trace(simd, part, rays, Selection::These(&alone), &mut Closest { hits });
}

/// Finds the occluded rays of a stream, and writes those that are.
pub(crate) fn any<S: Simd>(simd: S, part: Part<'_>, rays: &RayStream<'_>, wary: bool, occluded: &mut [bool]) {
    let len = rays.len().min(occluded.len());
    let alone = trace(simd, &Ground::of(part), rays, len, wary, &mut OcclusionQuery { occluded });
    interleaved::trace(simd, part, rays, Selection::These(&alone), &mut Any { occluded });
}

/// Traces the first `len` rays and returns the indices of those below packet occupancy, which it leaves.
///
/// * `wary` — whether the rays are not known to be coherent, so that their divergence is measured.
#[inline(never)]
fn trace<S: Simd, G: PacketQuery>(
    simd: S,
    ground: &Ground<'_>,
    rays: &RayStream<'_>,
    len: usize,
    wary: bool,
    goal: &mut G,
) -> Vec<usize> {
    let mut packets = Packets::new(ground, wary);
    match ground {
        Ground::Triangles(blas) => simd.vectorize(
            #[inline(always)]
            || {
                trace_from(
                    simd,
                    ground,
                    (rays, len, 0),
                    &mut packets,
                    goal,
                    #[inline(always)]
                    |packet, stack, found, _| {
                        trace_triangles::<S, G>(simd, (blas, ChildRef::ROOT), packet, stack, found);
                    },
                );
            },
        ),
        Ground::World(part) => simd.vectorize(
            #[inline(always)]
            || {
                let mut instances = Instances::new(G::nothing());
                trace_from(
                    simd,
                    ground,
                    (rays, len, MISS),
                    &mut packets,
                    goal,
                    #[inline(always)]
                    |packet, stack, found, span| {
                        instances.trace_world::<S, G>(simd, *part, (rays, span), packet, stack, found);
                    },
                );
            },
        ),
    }
    packets.alone
}

/// Groups the rays into packets and calls `trace` for each.
///
/// * `(rays, len, inst)` — the first `len` rays, and the instance id of hits in leaves.
#[inline(always)]
fn trace_from<S: Simd, G: PacketQuery>(
    simd: S,
    ground: &Ground<'_>,
    (rays, len, inst): (&RayStream<'_>, usize, u32),
    packets: &mut Packets,
    goal: &mut G,
    mut trace: impl FnMut(&mut Packet, &mut PacketStack, &mut G::Found, Span),
) {
    let (mut found, diagonal) = (G::nothing(), ground.bounds().diagonal());
    for start in (0..len).step_by(RAYS) {
        let span = Span { start, len };
        if packets.pass(span) {
            continue;
        }
        let valid = packets.load(simd, ground, rays, span);
        G::clear(&mut found, inst);
        packets.for_each_class(
            simd,
            start,
            diagonal,
            valid,
            #[inline(always)]
            |packet, stack| trace(packet, stack, &mut found, span),
        );
        goal.store(simd, &mut found, &packets.packet, &packets.packet.ended, span);
    }
}

/// Traces the active rays of a packet through the triangles of a bottom level.
#[inline(always)]
fn trace_triangles<S: Simd, G: PacketQuery>(
    simd: S,
    (blas, start): (&Blas, ChildRef),
    packet: &mut Packet,
    stack: &mut PacketStack,
    found: &mut G::Found,
) {
    traverse_packet(
        simd,
        (blas.bvh(), start),
        packet,
        stack,
        G::ANY,
        Places::of(&blas.bvh().nodes, blas.blocks()),
        #[inline(always)]
        |packet, items, masks| G::test_leaf(simd, found, &blas.blocks()[items], packet, masks),
    );
}
