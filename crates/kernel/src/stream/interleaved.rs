//! Incoherent rays: many in flight at once, steps of one kind in groups.
//!
//! A step of a single ray — node, stack, next node — is a chain of dependent instructions that ends in a branch that cannot
//! be foreseen; a core spends most of its time waiting for either. Here the rays in flight wait in queues, by what they
//! need next: a node, a leaf, the update after a hit, or another ray. Groups of one kind are taken from a queue and
//! take one step each; their chains overlap, and within a group there is nothing to foresee. What to do next is decided
//! from what was known a whole group before, so that a wrong guess is noticed early and costs little. And the memory
//! that a step needs has been asked for long before.

use fearless_simd::{Simd, SimdBase};
use sunfleck_math::Aabb;

use super::{MISS, RayStream};
use crate::blas::Blas;
use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::{
    BATCH, BlockHits, Candidate, LANES, RayBatch, TriangleBlock, TriangleRay, block_hits,
};
use crate::simd::{Start, bits};
use crate::traversal::Flight;

/// Rays in flight.
const SLOTS: u32 = 32;

/// Nodes, and leaves, that are taken together.
const GROUP: u32 = 8;
const LEAVES: u32 = 4;

/// Nodes of this size, bytes, stay near the core.
const CACHE: usize = 1 << 19;

/// Where the result of a ray goes.
pub(crate) trait Sink {
    /// Whether the first hit found ends the ray.
    const ANY: bool;
    /// Ray number `i` is done: the closest hit, or for [`ANY`](Self::ANY) one hit. `prim` is [`MISS`] where there is none.
    fn done(&mut self, i: usize, prim: u32, hit: &Candidate);
}

/// The slots that wait for each kind of step, as one bit for each slot.
#[derive(Clone, Copy, Default)]
struct Waits {
    node: u32,
    leaf: u32,
    /// To look at what the leaf test found.
    hit: u32,
    /// To deliver its result and take another ray.
    done: u32,
}

impl Waits {
    /// Notes what a slot waits for; does not branch.
    #[inline(always)]
    fn note(&mut self, slot: u32, next: ChildRef, found: bool) {
        let leaf = u32::from(next.is_leaf());
        let (hit, end) = (u32::from(found), u32::from(next == ChildRef::EMPTY));
        self.hit |= hit << slot;
        self.done |= (end & !hit) << slot;
        self.leaf |= (leaf & !end & !hit) << slot;
        self.node |= ((leaf | hit) ^ 1) << slot;
    }

    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.node |= other.node;
        self.leaf |= other.leaf;
        self.hit |= other.hit;
        self.done |= other.done;
    }
}

/// Takes the lowest bit.
#[inline(always)]
fn take(mask: &mut u32) -> u32 {
    let slot = mask.trailing_zeros();
    *mask &= mask.wrapping_sub(1);
    slot
}

/// A ray in flight.
struct Slot {
    flight: Flight,
    ray: TriangleRay,
    /// Next child to visit; [`ChildRef::EMPTY`] when there is none.
    next: ChildRef,
    order: u32,
    rows: [u32; 3],
    best: Candidate,
    prim: u32,
    /// Index in the stream.
    index: usize,
    /// What the last leaf test found: a bit for each lane, their parameters and triangles.
    found: u32,
    t: [f32; LANES],
    u: [f32; LANES],
    v: [f32; LANES],
    prims: [u32; LANES],
}

/// Which rays of a stream to trace.
#[derive(Clone, Copy)]
pub(crate) enum Selection<'a> {
    /// So many from the start on.
    First(usize),
    /// Those with these indices.
    These(&'a [usize]),
}

impl Selection<'_> {
    fn len(&self) -> usize {
        match self {
            Self::First(len) => *len,
            Self::These(indices) => indices.len(),
        }
    }

    /// The index in the stream of number `i`.
    #[inline(always)]
    fn index(&self, i: usize) -> usize {
        match self {
            Self::First(_) => i,
            Self::These(indices) => indices.get(i).copied().unwrap_or(usize::MAX),
        }
    }
}

/// The rays that have not begun.
struct Waiting<'a> {
    rays: &'a RayStream<'a>,
    selection: Selection<'a>,
    bounds: Aabb,
    batch: RayBatch,
    /// Where the batch begins in the selection.
    start: usize,
    /// Lanes of the batch that have not begun.
    lanes: u32,
    /// Where the next batch begins in the selection.
    next: usize,
}

impl Waiting<'_> {
    /// Loads the next batch, if there is one.
    #[inline(always)]
    fn load<S: Simd, K: Sink>(&mut self, simd: S, sink: &mut K) -> bool {
        self.start = self.next;
        let left = self.selection.len().saturating_sub(self.start);
        if left == 0 {
            return false;
        }
        let raw = match self.selection {
            Selection::First(_) => self.rays.load(simd, self.start, left),
            Selection::These(indices) => {
                self.rays.gather(simd, &indices[self.start..self.start + left.min(BATCH)])
            }
        };
        self.batch.prepare(simd, &raw, &self.bounds);
        self.batch.cull(simd, &self.bounds);
        self.lanes = self.batch.valid;
        self.next += BATCH;
        // Those that can hit nothing are done.
        let mut none = !self.lanes & (u32::MAX >> (32 - left.min(BATCH)));
        while none != 0 {
            let nothing = Candidate { t: f32::INFINITY, u: 0.0, v: 0.0 };
            sink.done(self.selection.index(self.start + none.trailing_zeros() as usize), MISS, &nothing);
            none &= none - 1;
        }
        true
    }

    /// Takes a ray out of the batch and puts it into a slot; false when there are no more.
    #[inline(always)]
    fn board<S: Simd, K: Sink>(&mut self, simd: S, slot: &mut Slot, sink: &mut K) -> bool {
        while self.lanes == 0 {
            if !self.load(simd, sink) {
                return false;
            }
        }
        let lane = self.lanes.trailing_zeros() as usize;
        self.lanes &= self.lanes - 1;
        self.batch.ray(lane, &mut slot.ray);
        slot.flight.reset();
        slot.next = ChildRef::ROOT;
        let octant = self.batch.class[lane & 15] & 7;
        slot.order = 3 * if K::ANY { Bvh8Node::ANY_HIT_ORDER } else { octant };
        slot.rows = Bvh8Node::entered_rows(octant);
        slot.best = Candidate { t: self.batch.t_far[lane & 15], u: 0.0, v: 0.0 };
        slot.prim = MISS;
        slot.found = 0;
        slot.index = self.selection.index(self.start + lane);
        true
    }
}

/// Traces rays of a stream against one bottom level. Each of them is delivered once.
#[inline(never)]
pub(crate) fn trace<S: Simd, K: Sink>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    selection: Selection<'_>,
    sink: &mut K,
) {
    simd.vectorize(
        #[inline(always)]
        || trace_vectorized(simd, blas, rays, selection, sink),
    );
}

#[inline(always)]
fn trace_vectorized<S: Simd, K: Sink>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    selection: Selection<'_>,
    sink: &mut K,
) {
    let nodes = &*blas.bvh().nodes;
    if nodes.is_empty() {
        let nothing = Candidate { t: f32::INFINITY, u: 0.0, v: 0.0 };
        (0..selection.len()).for_each(|i| sink.done(selection.index(i), MISS, &nothing));
        return;
    }
    let mut waiting = Waiting {
        rays,
        selection,
        bounds: blas.bounds(),
        batch: RayBatch::EMPTY,
        start: 0,
        lanes: 0,
        next: 0,
    };
    // Asking for memory early pays where it is far away.
    run(simd, blas, &mut waiting, sink, size_of_val(nodes) > CACHE);
}

#[inline(always)]
fn run<S: Simd, K: Sink>(simd: S, blas: &Blas, waiting: &mut Waiting<'_>, sink: &mut K, large: bool) {
    let (nodes, blocks) = (&*blas.bvh().nodes, blas.blocks());
    let places = Places { nodes: Start::of(nodes), blocks: Start::of(blocks) };
    let mut slots: Box<[Slot; SLOTS as usize]> = Box::new(std::array::from_fn(|_| Slot::new()));
    let slots = &mut *slots;
    let mut waits = Waits::default();
    for (i, slot) in slots.iter_mut().enumerate() {
        waits.node |= u32::from(waiting.board(simd, slot, sink)) << i;
    }
    // What to do next does not depend on what was done last, which may take a while to be known: `last` is added late.
    let mut last = Waits::default();
    // Slots take turns, so that memory that was asked for has time to arrive.
    let mut turn = 0;
    loop {
        let mut now = waits;
        if now.node.count_ones() >= GROUP {
            waits.add(last);
            last = Waits::default();
            let start = turn;
            now.node = now.node.rotate_right(start);
            for _ in 0..GROUP {
                let i = (take(&mut now.node) + start) % SLOTS;
                turn = i + 1;
                waits.node &= !(1 << i);
                let slot = &mut slots[(i % SLOTS) as usize];
                visit::<S, K>(simd, slot, nodes, places, large);
                last.note(i, slot.next, false);
            }
        } else if now.leaf.count_ones() >= LEAVES {
            waits.add(last);
            last = Waits::default();
            for _ in 0..LEAVES {
                let i = take(&mut now.leaf);
                waits.leaf &= !(1 << i);
                let slot = &mut slots[(i % SLOTS) as usize];
                test::<S, K>(simd, slot, blocks, places, large);
                last.note(i, slot.next, slot.found != 0);
            }
        } else if now.hit != 0 {
            waits.add(last);
            last = Waits::default();
            waits.hit &= !now.hit;
            while now.hit != 0 {
                let i = take(&mut now.hit);
                let slot = &mut slots[(i % SLOTS) as usize];
                slot.update(simd);
                if large {
                    places.aim(slot.next);
                }
                last.note(i, slot.next, false);
            }
        } else if now.done != 0 {
            waits.add(last);
            last = Waits::default();
            waits.done &= !now.done;
            while now.done != 0 {
                let i = take(&mut now.done);
                let slot = &mut slots[(i % SLOTS) as usize];
                let flies = if slot.flight.has_spilled() && !(K::ANY && slot.prim != MISS) {
                    slot.next = slot.flight.unspill(slot.best.t);
                    true
                } else {
                    sink.done(slot.index, slot.prim, &slot.best);
                    waiting.board(simd, slot, sink)
                };
                if flies {
                    last.note(i, slot.next, false);
                }
            }
        } else {
            waits.add(last);
            last = Waits::default();
            if waits.node != 0 {
                let i = take(&mut waits.node);
                let slot = &mut slots[(i % SLOTS) as usize];
                visit::<S, K>(simd, slot, nodes, places, large);
                last.note(i, slot.next, false);
            } else if waits.leaf != 0 {
                let i = take(&mut waits.leaf);
                let slot = &mut slots[(i % SLOTS) as usize];
                test::<S, K>(simd, slot, blocks, places, large);
                last.note(i, slot.next, slot.found != 0);
            } else if (waits.hit | waits.done) == 0 {
                return;
            }
        }
    }
}

#[inline(always)]
fn visit<S: Simd, K: Sink>(simd: S, slot: &mut Slot, nodes: &[Bvh8Node], places: Places, large: bool) {
    let Some(node) = nodes.get(slot.next.node_index()) else { return };
    let (ray, t_far) = (&slot.ray, slot.best.t);
    slot.next =
        slot.flight.visit(simd, node, &ray.slabs, &slot.rows, ray.t_near(), t_far, slot.order, K::ANY);
    if large {
        places.aim(slot.next);
    }
}

/// Tests the first block of a leaf; the rest of it is what comes next.
#[inline(always)]
fn test<S: Simd, K: Sink>(simd: S, slot: &mut Slot, blocks: &[TriangleBlock], places: Places, large: bool) {
    let Some(triangles) = blocks.get(slot.next.items().start) else { return };
    let BlockHits { mask, t, u, v } = block_hits(simd, triangles, &slot.ray, slot.best.t, false);
    slot.found = bits(mask);
    if K::ANY {
        // One hit is enough, whichever it is.
        let hit = slot.found != 0;
        let next = slot.flight.rest_or_pop(slot.next, false);
        slot.next = if hit { ChildRef::EMPTY } else { next };
        slot.prim = if hit { triangles.prim_ids[0] } else { slot.prim };
        slot.found = 0;
    } else {
        t.store_array(&mut slot.t);
        u.store_array(&mut slot.u);
        v.store_array(&mut slot.v);
        slot.prims = triangles.prim_ids;
        slot.next = slot.flight.rest_or_pop(slot.next, slot.found != 0);
    }
    if large {
        places.aim(slot.next);
    }
}

/// Where nodes and leaves are in memory.
#[derive(Clone, Copy)]
struct Places {
    nodes: Start,
    blocks: Start,
}

impl Places {
    /// Asks for the memory that the next step will read. There is no branch: it would depend on the end of a long chain
    /// of instructions, and a wrong guess would throw away what was done for the other rays meanwhile.
    #[inline(always)]
    fn aim(self, next: ChildRef) {
        let (leaf, first) = next.masked();
        let node = self.nodes.after(next.node_index() * size_of::<Bvh8Node>());
        let block = self.blocks.after(first * size_of::<TriangleBlock>());
        node.or(block, leaf).prefetch();
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            flight: Flight::new(),
            ray: TriangleRay::UNSET,
            next: ChildRef::EMPTY,
            order: 0,
            rows: [0; 3],
            best: Candidate { t: 0.0, u: 0.0, v: 0.0 },
            prim: MISS,
            index: 0,
            found: 0,
            t: [0.0; LANES],
            u: [0.0; LANES],
            v: [0.0; LANES],
            prims: [0; LANES],
        }
    }

    /// Takes the best of what the leaf test found.
    #[inline(always)]
    fn update<S: Simd>(&mut self, simd: S) {
        let (mut best, mut best_prim) = (self.best, self.prim);
        for lane in 0..LANES {
            let (t, prim) = (self.t[lane], self.prims[lane]);
            let better = (t < best.t) | ((t == best.t) & (prim < best_prim));
            let takes = better & (self.found >> lane & 1 == 1);
            best.t = if takes { t } else { best.t };
            best.u = if takes { self.u[lane] } else { best.u };
            best.v = if takes { self.v[lane] } else { best.v };
            best_prim = if takes { prim } else { best_prim };
        }
        (self.best, self.prim) = (best, best_prim);
        self.found = 0;
        self.flight.shorten(simd, self.best.t);
        self.next = self.flight.rest_or_pop(self.next, false);
    }
}
