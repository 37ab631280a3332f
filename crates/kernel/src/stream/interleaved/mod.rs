//! Incoherent rays: many in flight at once, with steps of one kind executed in groups.
//!
//! A step of a single ray (node, stack, next node) is a chain of dependent instructions that ends in an unpredictable
//! branch; a core spends most of its time waiting for either. Here the rays in flight are queued by their next step:
//! visit a node, test a leaf, accept a hit, enter an instance, or start another ray. A group of rays is taken from one
//! queue, and each of its rays takes one step; their instruction chains overlap, and within a group there are no
//! unpredictable branches. The kind of the next step is chosen from the queues as they were one group earlier, so that
//! a misprediction is detected early and costs little. The memory that a step reads is prefetched when it is queued.

mod enter;
mod pending;
mod queue_masks;
mod slot;

use fearless_simd::{Simd, SimdBase};
use sunfleck_math::Aabb;

use super::masked_tlas::MaskedTlas;
use super::{MISS, RayStream};
use crate::blas::Blas;
use crate::geometry::{BottomLevel, Shapes};
use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{Candidate, FourBlocks, LANES, PairHits, TriangleBlock, intersect_pairs};
use crate::simd::bits;
use crate::traversal::Prefetcher;
use enter::EnteringRays;
use pending::PendingRays;
pub(crate) use pending::Selection;
use queue_masks::{QueueMasks, SLOTS, take_lowest};
use slot::Slot;

/// Number of nodes that are visited together.
const GROUP: usize = 8;

/// Number of leaves that are tested together.
const LEAVES: usize = 4;

/// Receiver of hits.
pub(crate) trait Sink {
    /// Whether any hit terminates the ray.
    const ANY: bool;
    /// Called with the closest hit of ray `i`, or for [`ANY`](Self::ANY) with any hit; not called for misses.
    fn hit(&mut self, i: usize, prim: u32, inst: u32, hit: &Candidate);
}

/// Tree with its leaves: blocks of triangles, or the geometry that holds shapes.
#[derive(Clone, Copy)]
struct Tree<'a> {
    nodes: &'a [Bvh8Node],
    blocks: &'a [TriangleBlock],
    shapes: Option<&'a Shapes>,
}

impl<'a> Tree<'a> {
    #[inline(always)]
    fn of(blas: &'a Blas) -> Self {
        Self { nodes: &blas.bvh().nodes, blocks: blas.blocks(), shapes: None }
    }

    #[inline(always)]
    fn of_shapes(shapes: &'a Shapes) -> Self {
        Self { nodes: &shapes.bvh().nodes, blocks: &[], shapes: Some(shapes) }
    }

    #[inline(always)]
    fn prefetcher(self) -> Prefetcher {
        Prefetcher::of(self.nodes, self.blocks)
    }
}

/// Scene that rays are traced through: its visible instances, the tree in which rays start, and its bounds.
struct Scene<'a> {
    world: MaskedTlas<'a>,
    tree: Tree<'a>,
    bounds: Aabb,
}

/// Traces rays of a stream, and reports each hit once.
#[inline(never)]
pub(crate) fn trace<S: Simd, K: Sink>(
    simd: S,
    world: MaskedTlas<'_>,
    rays: &RayStream<'_>,
    selection: Selection<'_>,
    sink: &mut K,
) {
    let pending = PendingRays::new(rays, selection);
    match world.as_single() {
        Some(blas) => trace_in::<S, K, false>(simd, world, Tree::of(blas), blas.bounds(), pending, sink),
        None => {
            let tree = Tree { nodes: &world.tlas.bvh().nodes, blocks: &[], shapes: None };
            trace_in::<S, K, true>(simd, world, tree, world.tlas.bounds(), pending, sink);
        }
    }
}

/// Traces rays of a stream from the root of `tree`.
///
/// * `TWO_LEVEL` — whether rays start at the top level; otherwise in the triangles of a world of one instance.
#[inline(never)]
fn trace_in<S: Simd, K: Sink, const TWO_LEVEL: bool>(
    simd: S,
    world: MaskedTlas<'_>,
    tree: Tree<'_>,
    bounds: Aabb,
    mut pending: PendingRays<'_>,
    sink: &mut K,
) {
    if tree.nodes.is_empty() {
        return;
    }
    let scene = Scene { world, tree, bounds };
    simd.vectorize(
        #[inline(always)]
        || run::<S, K, TWO_LEVEL>(simd, &scene, &mut pending, sink),
    );
}

#[inline(always)]
fn run<S: Simd, K: Sink, const TWO_LEVEL: bool>(
    simd: S,
    scene: &Scene<'_>,
    pending: &mut PendingRays<'_>,
    sink: &mut K,
) {
    // A local copy, so that the compiler can keep its values in registers.
    let scene = &Scene { ..*scene };
    let prefetcher = scene.tree.prefetcher();
    let mut slots: Box<[Slot<'_>; SLOTS as usize]> = Box::new(std::array::from_fn(|_| Slot::new(scene.tree)));
    let slots = &mut *slots;
    let mut entering = TWO_LEVEL.then(|| Box::new(EnteringRays::new()));
    let mut queues = QueueMasks::default();
    for (i, slot) in slots.iter_mut().enumerate() {
        queues.node |= u32::from(pending.start_next_ray::<S, K, TWO_LEVEL>(simd, scene, slot)) << i;
    }
    // The choice of the next step does not depend on the results of the previous group, which have a long latency:
    // they are collected in `deferred` and added one group later.
    let mut deferred = QueueMasks::default();
    // Slots alternate, so that prefetched memory has time to arrive.
    let mut next_slot = 0;
    loop {
        let mut now = queues;
        if now.node.count_ones() as usize >= GROUP {
            queues.add(deferred);
            deferred = QueueMasks::default();
            let start = next_slot;
            now.node = now.node.rotate_right(start);
            let mut visited = [0; GROUP];
            for visited in &mut visited {
                let i = (take_lowest(&mut now.node) + start) % SLOTS;
                next_slot = i + 1;
                queues.node &= !(1 << i);
                visit::<S, K, TWO_LEVEL>(simd, scene, &mut slots[i as usize]);
                *visited = i;
            }
            // The next children are read from the stacks once all of them are written.
            for i in visited {
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.next = slot.stack.pop();
                slot.prefetch::<TWO_LEVEL>(prefetcher);
                deferred.record(i, slot.next_step::<TWO_LEVEL>(false));
            }
        } else if now.leaf.count_ones() as usize >= LEAVES {
            queues.add(deferred);
            deferred = QueueMasks::default();
            let four: [u32; LEAVES] = std::array::from_fn(|_| take_lowest(&mut now.leaf));
            for i in four {
                queues.leaf &= !(1 << i);
            }
            if TWO_LEVEL && four.iter().any(|&i| slots[(i % SLOTS) as usize].tree.shapes.is_some()) {
                for i in four {
                    test_one::<S, K>(simd, scene, slots, i, &mut entering);
                }
            } else {
                test::<S, K, TWO_LEVEL>(simd, scene, slots, four);
            }
            for i in four {
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.leave_leaf::<K>();
                slot.prefetch::<TWO_LEVEL>(prefetcher);
                deferred.record(i, slot.next_step::<TWO_LEVEL>(slot.candidates != 0));
            }
        } else if now.hit != 0 {
            queues.add(deferred);
            deferred = QueueMasks::default();
            queues.hit &= !now.hit;
            while now.hit != 0 {
                let i = take_lowest(&mut now.hit);
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.accept_closest::<S, TWO_LEVEL>(simd);
                slot.prefetch::<TWO_LEVEL>(prefetcher);
                deferred.record(i, slot.next_step::<TWO_LEVEL>(false));
            }
        } else if TWO_LEVEL && now.enter != 0 {
            queues.add(deferred);
            deferred = QueueMasks::default();
            let Some(entering) = &mut entering else { return };
            entering.enter::<S, K>(simd, scene, pending.rays, slots, &mut queues.enter, &mut deferred);
        } else if now.done != 0 {
            queues.add(deferred);
            deferred = QueueMasks::default();
            queues.done &= !now.done;
            while now.done != 0 {
                let i = take_lowest(&mut now.done);
                let slot = &mut slots[(i % SLOTS) as usize];
                if resume::<K, TWO_LEVEL>(scene, slot) || {
                    if slot.prim != MISS {
                        sink.hit(slot.index, slot.prim, slot.inst, &slot.best());
                    }
                    pending.start_next_ray::<S, K, TWO_LEVEL>(simd, scene, slot)
                } {
                    deferred.record(i, slot.next_step::<TWO_LEVEL>(false));
                }
            }
        } else {
            queues.add(deferred);
            deferred = QueueMasks::default();
            if queues.node != 0 {
                let i = take_lowest(&mut queues.node);
                let slot = &mut slots[(i % SLOTS) as usize];
                visit::<S, K, TWO_LEVEL>(simd, scene, slot);
                slot.next = slot.stack.pop();
                deferred.record(i, slot.next_step::<TWO_LEVEL>(false));
            } else if queues.leaf != 0 {
                let i = take_lowest(&mut queues.leaf);
                if TWO_LEVEL {
                    test_one::<S, K>(simd, scene, slots, i, &mut entering);
                } else {
                    test::<S, K, TWO_LEVEL>(simd, scene, slots, [i; LEAVES]);
                }
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.leave_leaf::<K>();
                deferred.record(i, slot.next_step::<TWO_LEVEL>(slot.candidates != 0));
            } else if (queues.hit | queues.enter | queues.done) == 0 {
                return;
            }
        }
    }
}

/// Handles an empty stack: leaves an instance, or continues with the entries on the heap. Returns false if there are
/// none.
#[inline(always)]
fn resume<'a, K: Sink, const TWO_LEVEL: bool>(scene: &Scene<'a>, slot: &mut Slot<'a>) -> bool {
    if K::ANY && slot.prim != MISS {
        return false;
    }
    let next = match slot.stack.is_empty() {
        true => slot.stack.unspill(slot.ray.0[T_FAR]),
        false => Some(ChildRef::EMPTY),
    };
    match next {
        Some(ChildRef::EMPTY) if TWO_LEVEL => slot.leave(scene.tree),
        Some(ChildRef::EMPTY) => slot.next = slot.stack.pop(),
        Some(next) => slot.next = next,
        None => return false,
    }
    true
}

#[inline(always)]
fn visit<S: Simd, K: Sink, const TWO_LEVEL: bool>(simd: S, scene: &Scene<'_>, slot: &mut Slot<'_>) {
    let tree = if TWO_LEVEL { slot.tree } else { scene.tree };
    let Some(node) = tree.nodes.get(slot.next.node_index()) else { return };
    slot.stack.visit(simd, node, &slot.ray, &slot.rows, slot.order, K::ANY);
}

/// Tests the first blocks of four leaves: sixteen pairs of ray and triangle at once.
#[inline(always)]
fn test<S: Simd, K: Sink, const TWO_LEVEL: bool>(
    simd: S,
    scene: &Scene<'_>,
    slots: &mut [Slot<'_>; SLOTS as usize],
    four: [u32; LEAVES],
) {
    let four = four.map(|i| (i % SLOTS) as usize);
    let [a, b, c, d] = four.map(|i| &slots[i]);
    let [Some(ba), Some(bb), Some(bc), Some(bd)] =
        [a, b, c, d].map(|slot| blocks::<TWO_LEVEL>(scene, slot).get(slot.next.items().start))
    else {
        return;
    };
    let (blocks, rays) = ([ba, bb, bc, bd], [a, b, c, d].map(|slot| &slot.ray));
    let pairs = FourBlocks::new(simd, blocks, rays, [&a.rows, &b.rows, &c.rows, &d.rows]);
    let Some(PairHits { mask, t, u, v }) = intersect_pairs(simd, &pairs, 0xffff) else { return };
    let mask = bits(mask);
    for (r, i) in four.into_iter().enumerate() {
        slots[i].candidates = mask >> (LANES * r) & 0xf;
    }
    if !K::ANY && mask != 0 {
        let hits = [t.to_array(), u.to_array(), v.to_array()];
        for (r, (i, block)) in four.into_iter().zip(blocks).enumerate() {
            let slot = &mut slots[i];
            slot.prims = block.prim_ids;
            for (to, from) in slot.hits.iter_mut().zip(&hits) {
                to.copy_from_slice(&from[LANES * r..LANES * (r + 1)]);
            }
        }
    }
}

/// Tests the first block of one leaf, of triangles or of shapes.
#[inline(never)]
fn test_one<S: Simd, K: Sink>(
    simd: S,
    scene: &Scene<'_>,
    slots: &mut [Slot<'_>; SLOTS as usize],
    i: u32,
    entering: &mut Option<Box<EnteringRays>>,
) {
    let slot = &mut slots[(i % SLOTS) as usize];
    let (Some(shapes), Some(entering)) = (slot.tree.shapes, entering) else {
        return simd.vectorize(
            #[inline(always)]
            || test::<S, K, true>(simd, scene, slots, [i; LEAVES]),
        );
    };
    let ray = &entering.shape_rays[(i % SLOTS) as usize];
    simd.vectorize(
        #[inline(always)]
        || {
            slot.candidates = 0;
            let item = slot.next.items().start;
            slot.prims = shapes.test_nearest(item, ray, slot.ray.0[T_FAR], |lane, hit| {
                slot.candidates |= 1 << lane;
                for (row, value) in slot.hits.iter_mut().zip([hit.t, hit.u, hit.v]) {
                    row[lane] = value;
                }
            });
        },
    );
}

#[inline(always)]
fn blocks<'a, const TWO_LEVEL: bool>(scene: &Scene<'a>, slot: &Slot<'a>) -> &'a [TriangleBlock] {
    if TWO_LEVEL { slot.tree.blocks } else { scene.tree.blocks }
}
