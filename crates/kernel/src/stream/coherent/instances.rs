use std::ops::Range;

use fearless_simd::{Simd, SimdBase, f32x16};

use super::packet_query::PacketQuery;
use super::{Span, trace_triangles};
use crate::blas::Blas;
use crate::geometry::Geometry;
use crate::geometry::instance::PlacedInstance;
use crate::layout::ChildRef;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{BATCH, Padding, corners};
use crate::stream::RayStream;
use crate::stream::masked_tlas::MaskedTlas;
use crate::traversal::{GROUPS, Packet, PacketStack, Prefetcher, traverse_packet};

/// State of packets in worlds of several instances: the packet in object space, its stack and its results.
pub(super) struct Instances<F> {
    packet: Box<Packet>,
    stack: PacketStack,
    results: F,
}

impl<F> Instances<F> {
    pub(super) fn new(results: F) -> Self {
        Self { packet: Box::new(Packet::EMPTY), stack: PacketStack::default(), results }
    }

    /// Traces the active rays of a packet through the top level.
    #[inline(always)]
    pub(super) fn trace_top_level<S: Simd, Q: PacketQuery<Results = F>>(
        &mut self,
        simd: S,
        world: MaskedTlas<'_>,
        (rays, span): (&RayStream<'_>, Span),
        packet: &mut Packet,
        stack: &mut PacketStack,
        results: &mut F,
    ) {
        traverse_packet(
            simd,
            (world.tlas.bvh(), ChildRef::ROOT),
            packet,
            stack,
            Q::ANY,
            Prefetcher::of(&world.tlas.bvh().nodes, &[]),
            #[inline(always)]
            |packet, items, masks| {
                self.visit::<S, Q>(simd, (world, items), (rays, span), (packet, &mut *results), masks)
            },
        );
    }

    /// Traces the rays of `masks` through instances. Returns whether intervals were shortened or rays terminated.
    #[inline(always)]
    fn visit<S: Simd, Q: PacketQuery<Results = F>>(
        &mut self,
        simd: S,
        (world, items): (MaskedTlas<'_>, Range<usize>),
        (rays, span): (&RayStream<'_>, Span),
        (packet, results): (&mut Packet, &mut F),
        masks: &[u32; GROUPS],
    ) -> bool {
        let mut any = false;
        for placed in world.tlas.placed()[items].iter().filter(|placed| world.is_visible(placed)) {
            let mut left = *masks;
            left.iter_mut().zip(&packet.active).for_each(|(left, active)| *left &= active);
            if let Geometry::Triangles(blas) = &world.tlas.geometries()[placed.geometry as usize] {
                self.load(simd, blas, placed, (rays, span), packet, &mut left);
                self.trace::<S, Q>(simd, (blas, placed.start), left);
                packet.leaves += self.packet.leaves;
                any |= Q::merge(simd, results, packet, (&self.results, &self.packet), placed.inst());
            } else {
                any |= one_by_one::<S, Q>(simd, world, placed, (rays, span), packet, results, left);
            }
        }
        any
    }

    /// Transforms the rays into object space, and removes those that can hit nothing from `left`.
    #[inline(always)]
    fn load<S: Simd>(
        &mut self,
        simd: S,
        blas: &Blas,
        placed: &PlacedInstance,
        (rays, span): (&RayStream<'_>, Span),
        packet: &Packet,
        left: &mut [u32; GROUPS],
    ) {
        let (low, high) = corners(simd, &blas.bounds());
        let padding = Padding::Triangles { low, high };
        // Padded origin of a ray of the first group, if all rays share one origin
        let mut padded = None;
        for (g, left) in left.iter_mut().enumerate().filter(|(_, left)| **left != 0) {
            let group = &mut self.packet.groups[g];
            if placed.has_identity_transform() {
                // The top level has already tested the box of the instance, so no rays are culled
                let world_rays = &packet.groups[g];
                if let Some(padded) = &padded {
                    group.prepare_as(simd, world_rays, padded);
                } else {
                    group.prepare_in_place(simd, world_rays, packet.class, &blas.bounds());
                    let lane = left.trailing_zeros() as usize & (BATCH - 1);
                    padded = packet.origin.map(|_| group.padded_origin(lane));
                }
            } else {
                let first = span.start + g * BATCH;
                let mut raw = placed.rays_in_object(simd, &rays.load(simd, first, span.len - first));
                raw.t_far = f32x16::load_array_ref(simd, &packet.groups[g].rows[T_FAR]);
                group.prepare(simd, &raw, &padding);
                group.cull(simd, &low, &high);
            }
            *left &= group.valid;
        }
    }

    /// Traces the rays of `left` in object space, class by class.
    #[inline(always)]
    fn trace<S: Simd, Q: PacketQuery<Results = F>>(
        &mut self,
        simd: S,
        tree: (&Blas, ChildRef),
        mut left: [u32; GROUPS],
    ) {
        let (packet, stack, results) = (&mut *self.packet, &mut self.stack, &mut self.results);
        Q::clear(results, 0);
        packet.terminated = [0; GROUPS];
        let mut leaves = 0;
        while packet.select_class(simd, &mut left) {
            packet.trace_and_record(
                #[inline(always)]
                |packet| trace_triangles::<S, Q>(simd, tree, packet, stack, results),
            );
            leaves += packet.leaves;
        }
        packet.leaves = leaves;
    }
}

/// Traces rays through geometry that is not made of triangles.
#[inline(never)]
fn one_by_one<S: Simd, Q: PacketQuery>(
    simd: S,
    world: MaskedTlas<'_>,
    placed: &PlacedInstance,
    (rays, span): (&RayStream<'_>, Span),
    packet: &mut Packet,
    results: &mut Q::Results,
    left: [u32; GROUPS],
) -> bool {
    let mut any = false;
    for (g, mut left) in left.into_iter().enumerate() {
        while left != 0 {
            let lane = left.trailing_zeros() as usize & (BATCH - 1);
            left &= left - 1;
            let Some(mut ray) = rays.get(span.start + g * BATCH + lane) else { continue };
            ray.t_far = packet.groups[g].rows[T_FAR][lane];
            if let Some(hit) = world.tlas.query_instance(simd, placed, &ray, world.mask, Q::ANY) {
                Q::accept_hit(results, packet, g, lane, &hit);
                any = true;
            }
        }
    }
    any
}
