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
use crate::stream::part::Part;
use crate::traversal::{GROUPS, Packet, PacketStack, Places, traverse_packet};

/// Packets in worlds of several instances.
pub(super) struct Instances<F> {
    packet: Box<Packet>,
    stack: PacketStack,
    found: F,
}

impl<F> Instances<F> {
    pub(super) fn new(found: F) -> Self {
        Self { packet: Box::new(Packet::EMPTY), stack: PacketStack::default(), found }
    }

    /// Traces the active rays of a packet through the top level.
    #[inline(always)]
    pub(super) fn trace_world<S: Simd, G: PacketQuery<Found = F>>(
        &mut self,
        simd: S,
        part: Part<'_>,
        (rays, span): (&RayStream<'_>, Span),
        packet: &mut Packet,
        stack: &mut PacketStack,
        found: &mut F,
    ) {
        traverse_packet(
            simd,
            (part.tlas.bvh(), ChildRef::ROOT),
            packet,
            stack,
            G::ANY,
            Places::of(&part.tlas.bvh().nodes, &[]),
            #[inline(always)]
            |packet, items, masks| {
                self.visit::<S, G>(simd, (part, items), (rays, span), (packet, &mut *found), masks)
            },
        );
    }

    /// Traces the rays of `masks` through instances. Returns whether intervals were shortened or rays terminated.
    #[inline(always)]
    fn visit<S: Simd, G: PacketQuery<Found = F>>(
        &mut self,
        simd: S,
        (part, items): (Part<'_>, Range<usize>),
        (rays, span): (&RayStream<'_>, Span),
        (packet, found): (&mut Packet, &mut F),
        masks: &[u32; GROUPS],
    ) -> bool {
        let mut any = false;
        for placed in part.tlas.placed()[items].iter().filter(|placed| part.shows(placed)) {
            let mut left = *masks;
            left.iter_mut().zip(&packet.active).for_each(|(left, active)| *left &= active);
            if let Geometry::Triangles(blas) = &part.tlas.geometries()[placed.geometry as usize] {
                self.load(simd, blas, placed, (rays, span), packet, &mut left);
                self.trace::<S, G>(simd, (blas, placed.start), left);
                packet.leaves += self.packet.leaves;
                any |= G::merge(simd, found, packet, (&self.found, &self.packet), placed.inst());
            } else {
                any |= one_by_one::<S, G>(simd, part, placed, (rays, span), packet, found, left);
            }
        }
        any
    }

    /// Returns the rays in object space, and removes those that can hit nothing from `left`.
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
        // All rays share one origin once it is known
        let mut padded = None;
        for (g, left) in left.iter_mut().enumerate().filter(|(_, left)| **left != 0) {
            let group = &mut self.packet.groups[g];
            if placed.has_identity_transform() {
                // The top level has already tested its box
                let world = &packet.groups[g];
                if let Some(padded) = &padded {
                    group.prepare_as(simd, world, padded);
                } else {
                    group.prepare_in_place(simd, world, packet.class, &blas.bounds());
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

    /// Traces the rays of the packet, class by class.
    #[inline(always)]
    fn trace<S: Simd, G: PacketQuery<Found = F>>(
        &mut self,
        simd: S,
        tree: (&Blas, ChildRef),
        mut left: [u32; GROUPS],
    ) {
        let (packet, stack, found) = (&mut *self.packet, &mut self.stack, &mut self.found);
        G::clear(found, 0);
        packet.ended = [0; GROUPS];
        let mut leaves = 0;
        while packet.pick(simd, &mut left) {
            packet.trace_and_note(
                #[inline(always)]
                |packet| trace_triangles::<S, G>(simd, tree, packet, stack, found),
            );
            leaves += packet.leaves;
        }
        packet.leaves = leaves;
    }
}

/// Traces rays through geometry that is not made of triangles.
#[inline(never)]
fn one_by_one<S: Simd, G: PacketQuery>(
    simd: S,
    part: Part<'_>,
    placed: &PlacedInstance,
    (rays, span): (&RayStream<'_>, Span),
    packet: &mut Packet,
    found: &mut G::Found,
    left: [u32; GROUPS],
) -> bool {
    let mut any = false;
    for (g, mut left) in left.into_iter().enumerate() {
        while left != 0 {
            let lane = left.trailing_zeros() as usize & (BATCH - 1);
            left &= left - 1;
            let Some(mut ray) = rays.get(span.start + g * BATCH + lane) else { continue };
            ray.t_far = packet.groups[g].rows[T_FAR][lane];
            if let Some(hit) = part.tlas.search_instance(simd, placed, &ray, part.mask, G::ANY) {
                G::take(found, packet, g, lane, &hit);
                any = true;
            }
        }
    }
    any
}
