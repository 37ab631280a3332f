//! Coherent rays: 64 at a time, bounded by a frustum [Wald01, packets]; [Boulos06, interval arithmetic].

mod closest_hit;
mod instances;
mod leaf;
mod occlusion;
mod packet_query;
mod packets;

use fearless_simd::Simd;
use sunfleck_math::Aabb;

use super::interleaved::{self, Selection};
use super::masked_tlas::MaskedTlas;
use super::{ClosestHitSink, HitStream, MISS, OcclusionSink, RayStream};
use crate::blas::Blas;
use crate::layout::ChildRef;
use crate::primitive::BATCH;
use crate::traversal::{GROUPS, Packet, PacketStack, Prefetcher, traverse_packet};
use closest_hit::ClosestHitQuery;
use instances::Instances;
use occlusion::OcclusionQuery;
use packet_query::PacketQuery;
use packets::Packets;

/// Number of rays in a packet.
const RAYS: usize = GROUPS * BATCH;

/// Level at which the traversal of packets starts.
enum StartLevel<'a> {
    /// Bottom level of a world with a single instance.
    Bottom(&'a Blas),
    /// Top level.
    Top(MaskedTlas<'a>),
}

impl<'a> StartLevel<'a> {
    fn of(world: MaskedTlas<'a>) -> Self {
        world.as_single().map_or(Self::Top(world), Self::Bottom)
    }

    fn bounds(&self) -> Aabb {
        match self {
            Self::Bottom(blas) => blas.bounds(),
            Self::Top(world) => world.tlas.bounds(),
        }
    }
}

/// Rays of a stream that a packet holds: those from `start` on, out of `len` rays.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
}

/// Finds the closest hits of all rays of a stream, and writes those of rays that hit.
pub(crate) fn closest<S: Simd>(
    simd: S,
    world: MaskedTlas<'_>,
    rays: &RayStream<'_>,
    measure_coherence: bool,
    hits: &mut HitStream<'_>,
) {
    let len = rays.len().min(hits.len());
    let single_rays =
        trace(simd, &StartLevel::of(world), rays, len, measure_coherence, &mut ClosestHitQuery { hits });
    interleaved::trace(simd, world, rays, Selection::Indices(&single_rays), &mut ClosestHitSink { hits });
}

/// Finds out which rays of a stream are occluded, and writes the results.
pub(crate) fn any<S: Simd>(
    simd: S,
    world: MaskedTlas<'_>,
    rays: &RayStream<'_>,
    measure_coherence: bool,
    occluded: &mut [bool],
) {
    let len = rays.len().min(occluded.len());
    let single_rays =
        trace(simd, &StartLevel::of(world), rays, len, measure_coherence, &mut OcclusionQuery { occluded });
    interleaved::trace(simd, world, rays, Selection::Indices(&single_rays), &mut OcclusionSink { occluded });
}

/// Traces the first `len` rays in packets. Returns the indices of rays below packet occupancy, which are not traced.
///
/// * `measure_coherence` — whether to measure the divergence of the rays, since they are not known to be coherent.
#[inline(never)]
fn trace<S: Simd, Q: PacketQuery>(
    simd: S,
    level: &StartLevel<'_>,
    rays: &RayStream<'_>,
    len: usize,
    measure_coherence: bool,
    query: &mut Q,
) -> Vec<usize> {
    let mut packets = Packets::new(level, measure_coherence);
    match level {
        StartLevel::Bottom(blas) => simd.vectorize(
            #[inline(always)]
            || {
                trace_from(
                    simd,
                    level,
                    (rays, len, 0),
                    &mut packets,
                    query,
                    #[inline(always)]
                    |packet, stack, results, _| {
                        trace_triangles::<S, Q>(simd, (blas, ChildRef::ROOT), packet, stack, results);
                    },
                );
            },
        ),
        StartLevel::Top(world) => simd.vectorize(
            #[inline(always)]
            || {
                let mut instances = Instances::new(Q::empty());
                trace_from(
                    simd,
                    level,
                    (rays, len, MISS),
                    &mut packets,
                    query,
                    #[inline(always)]
                    |packet, stack, results, span| {
                        instances.trace_top_level::<S, Q>(simd, *world, (rays, span), packet, stack, results);
                    },
                );
            },
        ),
    }
    packets.single_rays
}

/// Groups the rays into packets and calls `trace` for each.
///
/// * `(rays, len, inst)` — the first `len` rays, and the instance id of hits in leaves.
#[inline(always)]
fn trace_from<S: Simd, Q: PacketQuery>(
    simd: S,
    level: &StartLevel<'_>,
    (rays, len, inst): (&RayStream<'_>, usize, u32),
    packets: &mut Packets,
    query: &mut Q,
    mut trace: impl FnMut(&mut Packet, &mut PacketStack, &mut Q::Results, Span),
) {
    let (mut results, diagonal) = (Q::empty(), level.bounds().diagonal());
    for start in (0..len).step_by(RAYS) {
        let span = Span { start, len };
        if packets.skip(span) {
            continue;
        }
        let valid = packets.load(simd, level, rays, span);
        Q::clear(&mut results, inst);
        packets.for_each_class(
            simd,
            start,
            diagonal,
            valid,
            #[inline(always)]
            |packet, stack| trace(packet, stack, &mut results, span),
        );
        query.store(simd, &mut results, &packets.packet, &packets.packet.terminated, span);
    }
}

/// Traces the active rays of a packet through the triangles of a bottom level.
#[inline(always)]
fn trace_triangles<S: Simd, Q: PacketQuery>(
    simd: S,
    (blas, start): (&Blas, ChildRef),
    packet: &mut Packet,
    stack: &mut PacketStack,
    results: &mut Q::Results,
) {
    traverse_packet(
        simd,
        (blas.bvh(), start),
        packet,
        stack,
        Q::ANY,
        Prefetcher::of(&blas.bvh().nodes, blas.blocks()),
        #[inline(always)]
        |packet, items, masks| Q::test_leaf(simd, results, &blas.blocks()[items], packet, masks),
    );
}
