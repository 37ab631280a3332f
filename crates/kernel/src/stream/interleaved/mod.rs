//! Incoherent rays: many in flight at once, with steps of one kind executed in groups.
//!
//! A step of a single ray — node, stack, next node — is a chain of dependent instructions that ends in a branch that
//! cannot be foreseen; a core spends most of its time waiting for either. Here the rays in flight wait in queues, by
//! what they need next: a node, a leaf, the update after a hit, or another ray. Groups of one kind are taken from a
//! queue and take one step each; their chains overlap, and within a group there is nothing to foresee. What to do
//! next is decided from what was known a whole group before, so that a wrong guess is noticed early and costs little.
//! And the memory that a step needs has been asked for long before.

mod enter;
mod queue_masks;
mod slot;
mod waiting;

use fearless_simd::{Simd, SimdBase};
use sunfleck_math::Aabb;

use super::part::Part;
use super::{MISS, RayStream};
use crate::blas::Blas;
use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{Candidate, FourBlocks, LANES, PairHits, TriangleBlock, intersect_pairs};
use crate::simd::bits;
use crate::traversal::Places;
use enter::Entering;
use queue_masks::{QueueMasks, SLOTS, take};
use slot::Slot;
pub(crate) use waiting::Selection;
use waiting::Waiting;

/// Number of nodes, and of leaves, that are processed together.
const GROUP: usize = 8;
const LEAVES: usize = 4;

/// Receiver of hits.
pub(crate) trait Sink {
    /// Whether any hit terminates the ray.
    const ANY: bool;
    /// Called with the closest hit of ray `i`, or for [`ANY`](Self::ANY) with any hit; not called for misses.
    fn hit(&mut self, i: usize, prim: u32, inst: u32, hit: &Candidate);
}

/// Tree with its leaves, if they hold triangles.
#[derive(Clone, Copy)]
struct Tree<'a> {
    nodes: &'a [Bvh8Node],
    blocks: &'a [TriangleBlock],
}

impl<'a> Tree<'a> {
    #[inline(always)]
    fn of(blas: &'a Blas) -> Self {
        Self { nodes: &blas.bvh().nodes, blocks: blas.blocks() }
    }

    #[inline(always)]
    fn places(self) -> Places {
        Places::of(self.nodes, self.blocks)
    }
}

/// Scene that rays are traced through, and where they start.
struct Scene<'a> {
    part: Part<'a>,
    tree: Tree<'a>,
    bounds: Aabb,
}

/// Traces rays of a stream, and reports each hit once.
#[inline(never)]
pub(crate) fn trace<S: Simd, K: Sink>(
    simd: S,
    part: Part<'_>,
    rays: &RayStream<'_>,
    selection: Selection<'_>,
    sink: &mut K,
) {
    let waiting = Waiting::new(rays, selection);
    match part.as_single() {
        Some(blas) => trace_in::<S, K, false>(simd, part, Tree::of(blas), blas.bounds(), waiting, sink),
        None => {
            let tree = Tree { nodes: &part.tlas.bvh().nodes, blocks: &[] };
            trace_in::<S, K, true>(simd, part, tree, part.tlas.bounds(), waiting, sink);
        }
    }
}

/// * `WORLD` — whether rays start at the top level; otherwise in the triangles of a world of one instance.
#[inline(never)]
fn trace_in<S: Simd, K: Sink, const WORLD: bool>(
    simd: S,
    part: Part<'_>,
    tree: Tree<'_>,
    bounds: Aabb,
    mut waiting: Waiting<'_>,
    sink: &mut K,
) {
    if tree.nodes.is_empty() {
        return;
    }
    let scene = Scene { part, tree, bounds };
    simd.vectorize(
        #[inline(always)]
        || run::<S, K, WORLD>(simd, &scene, &mut waiting, sink),
    );
}

#[inline(always)]
fn run<S: Simd, K: Sink, const WORLD: bool>(
    simd: S,
    scene: &Scene<'_>,
    waiting: &mut Waiting<'_>,
    sink: &mut K,
) {
    // A local copy, so that the compiler can keep its values in registers.
    let scene = &Scene { ..*scene };
    let places = scene.tree.places();
    let mut slots: Box<[Slot<'_>; SLOTS as usize]> = Box::new(std::array::from_fn(|_| Slot::new(scene.tree)));
    let slots = &mut *slots;
    let mut entering = WORLD.then(|| Box::new(Entering::new()));
    let mut waits = QueueMasks::default();
    for (i, slot) in slots.iter_mut().enumerate() {
        waits.node |= u32::from(waiting.board::<S, K, WORLD>(simd, scene, slot)) << i;
    }
    // The choice of the next step does not depend on the last one, whose result may take a while: `last` is added
    // late.
    let mut last = QueueMasks::default();
    // Slots alternate, so that prefetched memory has time to arrive.
    let mut turn = 0;
    loop {
        let mut now = waits;
        if now.node.count_ones() as usize >= GROUP {
            waits.add(last);
            last = QueueMasks::default();
            let start = turn;
            now.node = now.node.rotate_right(start);
            let mut visited = [0; GROUP];
            for visited in &mut visited {
                let i = (take(&mut now.node) + start) % SLOTS;
                turn = i + 1;
                waits.node &= !(1 << i);
                visit::<S, K, WORLD>(simd, scene, &mut slots[i as usize]);
                *visited = i;
            }
            // The next children are read from the stacks once all of them are written.
            for i in visited {
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.next = slot.flight.pop();
                slot.aim::<WORLD>(places);
                last.note(i, slot.wait::<WORLD>(false));
            }
        } else if now.leaf.count_ones() as usize >= LEAVES {
            waits.add(last);
            last = QueueMasks::default();
            let four: [u32; LEAVES] = std::array::from_fn(|_| take(&mut now.leaf));
            for i in four {
                waits.leaf &= !(1 << i);
            }
            test::<S, K, WORLD>(simd, scene, slots, four);
            for i in four {
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.leave_leaf::<K>();
                slot.aim::<WORLD>(places);
                last.note(i, slot.wait::<WORLD>(slot.found != 0));
            }
        } else if now.hit != 0 {
            waits.add(last);
            last = QueueMasks::default();
            waits.hit &= !now.hit;
            while now.hit != 0 {
                let i = take(&mut now.hit);
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.update::<S, WORLD>(simd);
                slot.aim::<WORLD>(places);
                last.note(i, slot.wait::<WORLD>(false));
            }
        } else if WORLD && now.enter != 0 {
            waits.add(last);
            last = QueueMasks::default();
            let Some(entering) = &mut entering else { return };
            entering.enter::<S, K>(simd, scene, waiting.rays, slots, &mut waits.enter, &mut last);
        } else if now.done != 0 {
            waits.add(last);
            last = QueueMasks::default();
            waits.done &= !now.done;
            while now.done != 0 {
                let i = take(&mut now.done);
                let slot = &mut slots[(i % SLOTS) as usize];
                if go_on::<K, WORLD>(scene, slot) || {
                    if slot.prim != MISS {
                        sink.hit(slot.index, slot.prim, slot.inst, &slot.best());
                    }
                    waiting.board::<S, K, WORLD>(simd, scene, slot)
                } {
                    last.note(i, slot.wait::<WORLD>(false));
                }
            }
        } else {
            waits.add(last);
            last = QueueMasks::default();
            if waits.node != 0 {
                let i = take(&mut waits.node);
                let slot = &mut slots[(i % SLOTS) as usize];
                visit::<S, K, WORLD>(simd, scene, slot);
                slot.next = slot.flight.pop();
                last.note(i, slot.wait::<WORLD>(false));
            } else if waits.leaf != 0 {
                let i = take(&mut waits.leaf);
                test::<S, K, WORLD>(simd, scene, slots, [i; LEAVES]);
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.leave_leaf::<K>();
                last.note(i, slot.wait::<WORLD>(slot.found != 0));
            } else if (waits.hit | waits.enter | waits.done) == 0 {
                return;
            }
        }
    }
}

/// Handles an empty stack: leaves an instance, or continues with the entries on the heap. Returns false if there are
/// none.
#[inline(always)]
fn go_on<'a, K: Sink, const WORLD: bool>(scene: &Scene<'a>, slot: &mut Slot<'a>) -> bool {
    if K::ANY && slot.prim != MISS {
        return false;
    }
    let next = match slot.flight.is_empty() {
        true => slot.flight.unspill(slot.ray.0[T_FAR]),
        false => Some(ChildRef::EMPTY),
    };
    match next {
        Some(ChildRef::EMPTY) if WORLD => slot.leave(scene.tree),
        Some(ChildRef::EMPTY) => slot.next = slot.flight.pop(),
        Some(next) => slot.next = next,
        None => return false,
    }
    true
}

#[inline(always)]
fn visit<S: Simd, K: Sink, const WORLD: bool>(simd: S, scene: &Scene<'_>, slot: &mut Slot<'_>) {
    let tree = if WORLD { slot.tree } else { scene.tree };
    let Some(node) = tree.nodes.get(slot.next.node_index()) else { return };
    slot.flight.visit(simd, node, &slot.ray, &slot.rows, slot.order, K::ANY);
}

/// Tests the first blocks of four leaves: sixteen pairs of ray and triangle at once.
#[inline(always)]
fn test<S: Simd, K: Sink, const WORLD: bool>(
    simd: S,
    scene: &Scene<'_>,
    slots: &mut [Slot<'_>; SLOTS as usize],
    four: [u32; LEAVES],
) {
    let four = four.map(|i| (i % SLOTS) as usize);
    let [a, b, c, d] = four.map(|i| &slots[i]);
    let [Some(ba), Some(bb), Some(bc), Some(bd)] =
        [a, b, c, d].map(|slot| blocks::<WORLD>(scene, slot).get(slot.next.items().start))
    else {
        return;
    };
    let (blocks, rays) = ([ba, bb, bc, bd], [a, b, c, d].map(|slot| &slot.ray));
    let pairs = FourBlocks::new(simd, blocks, rays, [&a.rows, &b.rows, &c.rows, &d.rows]);
    let Some(PairHits { mask, t, u, v }) = intersect_pairs(simd, &pairs, 0xffff) else { return };
    let mask = bits(mask);
    for (r, i) in four.into_iter().enumerate() {
        slots[i].found = mask >> (LANES * r) & 0xf;
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

#[inline(always)]
fn blocks<'a, const WORLD: bool>(scene: &Scene<'a>, slot: &Slot<'a>) -> &'a [TriangleBlock] {
    if WORLD { slot.tree.blocks } else { scene.tree.blocks }
}
