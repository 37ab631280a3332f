use std::ops::Range;

use fearless_simd::{Simd, SimdBase, f32x16};
use sunfleck_math::Aabb;

use super::packet_query::PacketQuery;
use super::{RAYS, Span, trace_triangles};
use crate::blas::Blas;
use crate::geometry::instance::PlacedInstance;
use crate::geometry::{BottomLevel, Geometry, Shapes};
use crate::layout::ChildRef;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{BATCH, Candidate, LANES, Padding, ShapeRay, corners};
use crate::stream::masked_tlas::MaskedTlas;
use crate::stream::{MISS, RayStream};
use crate::traversal::{GROUPS, Packet, PacketStack, Prefetcher, traverse_packet};

/// State of packets in worlds of several instances: the packet in object space, its stack and its results.
pub(super) struct Instances<F> {
    packet: Box<Packet>,
    stack: PacketStack,
    results: F,
    /// The rays as shapes need them, one per lane of the packet; empty until there are shapes.
    shape_rays: Vec<ShapeRay>,
}

/// Bottom level whose leaves rays are tested against in packets.
#[derive(Clone, Copy)]
enum Bottom<'a> {
    Triangles(&'a Blas),
    Shapes(&'a Shapes),
}

impl Bottom<'_> {
    fn bounds(self) -> Aabb {
        match self {
            Self::Triangles(blas) => blas.bounds(),
            Self::Shapes(shapes) => shapes.bounds(),
        }
    }
}

impl<F> Instances<F> {
    pub(super) fn new(results: F) -> Self {
        Self {
            packet: Box::new(Packet::EMPTY),
            stack: PacketStack::default(),
            results,
            shape_rays: Vec::new(),
        }
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
            let bottom = match &world.tlas.geometries()[placed.geometry as usize] {
                Geometry::Triangles(blas) => Bottom::Triangles(blas),
                Geometry::Shapes(shapes) => Bottom::Shapes(shapes),
                Geometry::User(_) | Geometry::Group(_) => {
                    any |= one_by_one::<S, Q>(simd, world, placed, (rays, span), packet, results, left);
                    continue;
                }
            };
            self.load(simd, bottom, placed, (rays, span), packet, &mut left);
            self.trace::<S, Q>(simd, (bottom, placed.start), left);
            packet.leaves += self.packet.leaves;
            any |= Q::merge(simd, results, packet, (&self.results, &self.packet), placed.inst());
        }
        any
    }

    /// Transforms the rays into object space, and removes those that can hit nothing from `left`.
    #[inline(always)]
    fn load<S: Simd>(
        &mut self,
        simd: S,
        bottom: Bottom<'_>,
        placed: &PlacedInstance,
        (rays, span): (&RayStream<'_>, Span),
        packet: &Packet,
        left: &mut [u32; GROUPS],
    ) {
        let bounds = bottom.bounds();
        let (low, high) = corners(simd, &bounds);
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
                    group.prepare_in_place(simd, world_rays, packet.class, &bounds);
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
        if let Bottom::Shapes(shapes) = bottom {
            self.load_shape_rays(shapes, placed, (rays, span), left);
        }
    }

    /// Prepares the rays of `left` for shapes.
    fn load_shape_rays(
        &mut self,
        shapes: &Shapes,
        placed: &PlacedInstance,
        (rays, span): (&RayStream<'_>, Span),
        left: &[u32; GROUPS],
    ) {
        self.shape_rays.resize(RAYS, ShapeRay::UNSET);
        for (g, &(mut left)) in left.iter().enumerate() {
            while left != 0 {
                let lane = g * BATCH + (left.trailing_zeros() as usize & (BATCH - 1));
                left &= left - 1;
                let ray =
                    rays.get(span.start + lane).and_then(|ray| shapes.prepare(&placed.ray_in_object(&ray)));
                self.shape_rays[lane] = ray.unwrap_or(ShapeRay::UNSET);
            }
        }
    }

    /// Traces the rays of `left` in object space, class by class.
    #[inline(always)]
    fn trace<S: Simd, Q: PacketQuery<Results = F>>(
        &mut self,
        simd: S,
        (bottom, start): (Bottom<'_>, ChildRef),
        mut left: [u32; GROUPS],
    ) {
        let Self { packet, stack, results, shape_rays } = self;
        let packet = &mut **packet;
        Q::clear(results, 0);
        packet.terminated = [0; GROUPS];
        let mut leaves = 0;
        while packet.select_class(simd, &mut left) {
            packet.trace_and_record(
                #[inline(always)]
                |packet| match bottom {
                    Bottom::Triangles(blas) => {
                        trace_triangles::<S, Q>(simd, (blas, start), packet, stack, results);
                    }
                    Bottom::Shapes(shapes) => {
                        trace_shapes::<S, Q>(simd, (shapes, start), shape_rays, packet, stack, results);
                    }
                },
            );
            leaves += packet.leaves;
        }
        packet.leaves = leaves;
    }
}

/// Traces the active rays of a packet through the shapes of a bottom level.
#[inline(never)]
fn trace_shapes<S: Simd, Q: PacketQuery>(
    simd: S,
    (shapes, start): (&Shapes, ChildRef),
    shape_rays: &[ShapeRay],
    packet: &mut Packet,
    stack: &mut PacketStack,
    results: &mut Q::Results,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            traverse_packet(
                simd,
                (shapes.bvh(), start),
                packet,
                stack,
                Q::ANY,
                Prefetcher::of(&shapes.bvh().nodes, &[]),
                #[inline(always)]
                |packet, items, masks| test_shapes::<Q>(results, shapes, shape_rays, packet, items, masks),
            );
        },
    );
}

/// Intersects the rays of `masks` with a leaf of shapes. Returns whether intervals were shortened or rays terminated.
#[inline(always)]
fn test_shapes<Q: PacketQuery>(
    results: &mut Q::Results,
    shapes: &Shapes,
    shape_rays: &[ShapeRay],
    packet: &mut Packet,
    items: Range<usize>,
    masks: &[u32; GROUPS],
) -> bool {
    let mut any = false;
    for (g, &mask) in masks.iter().enumerate() {
        let mut left = mask & packet.active[g];
        while left != 0 {
            let lane = left.trailing_zeros() as usize & (BATCH - 1);
            left &= left - 1;
            for item in items.clone() {
                let (mut closest, mut prim) = (None, MISS);
                let t_far = packet.groups[g].rows[T_FAR][lane];
                let mut candidates = [(0, Candidate { t: 0.0, u: 0.0, v: 0.0 }); LANES];
                let mut count = 0;
                let prims = shapes.test_nearest(item, &shape_rays[g * BATCH + lane], t_far, |k, hit| {
                    candidates[count] = (k, *hit);
                    count += 1;
                });
                for (k, hit) in &candidates[..count] {
                    let is_closer = |best: &Candidate| hit.t < best.t || hit.t == best.t && prims[*k] < prim;
                    if closest.as_ref().is_none_or(is_closer) {
                        (closest, prim) = (Some(*hit), prims[*k]);
                    }
                }
                if let Some(hit) = closest {
                    Q::accept_candidate(results, packet, (g, lane), &hit, prim);
                    any = true;
                    if Q::ANY {
                        break;
                    }
                }
            }
        }
    }
    any
}

/// Traces rays through user geometry or groups.
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
