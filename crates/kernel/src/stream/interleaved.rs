//! Incoherent rays: several in flight at once, one step of each in turn.
//!
//! A step of a single ray — node, stack, next node — is a chain of dependent instructions and a branch that cannot be
//! foreseen; a core spends most of its time waiting for either. Here each of [`SLOTS`] rays takes one step in turn, so
//! that the chains of several overlap; what to do next is not branched on but decides in which list a slot waits; and
//! the memory that a step needs has been asked for a whole round before.

use fearless_simd::{Simd, SimdBase, SimdMask};
use sunfleck_math::Aabb;

use super::RayStream;
use crate::blas::Blas;
use crate::layout::{Bvh8Node, ChildRef};
use crate::primitive::{BATCH, Candidate, RayBatch, TriangleBlock, TriangleRay, block_hits};
use crate::simd::Start;
use crate::traversal::Flight;

/// Rays in flight.
const SLOTS: usize = 32;

/// Nodes of this size, bytes, stay near the core.
const CACHE: usize = 1 << 19;

/// Node steps that are taken together.
const GROUP: usize = 8;

/// Where the result of a ray goes.
pub(crate) trait Sink {
    /// Whether the first hit found ends the ray.
    const ANY: bool;
    /// Ray number `i` is done: the closest hit, or for [`ANY`](Self::ANY) one hit. `prim` is [`MISS`](super::MISS) where there
    /// is none.
    fn done(&mut self, i: usize, prim: u32, hit: &Candidate);
}

/// A ray in flight.
struct Slot {
    flight: Flight,
    ray: TriangleRay,
    /// Next child to visit.
    next: ChildRef,
    order: u32,
    rows: [u32; 3],
    best: Candidate,
    prim: u32,
    /// Index in the stream.
    index: usize,
}

/// Slots that wait for the same kind of step, first in, first out.
struct Queue {
    ring: [u8; 2 * SLOTS],
    head: usize,
    tail: usize,
}

impl Queue {
    const EMPTY: Self = Self { ring: [0; 2 * SLOTS], head: 0, tail: 0 };

    #[inline(always)]
    fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head)
    }

    #[inline(always)]
    fn push(&mut self, slot: usize) {
        self.ring[self.tail % (2 * SLOTS)] = slot as u8;
        self.tail = self.tail.wrapping_add(1);
    }

    #[inline(always)]
    fn pop(&mut self) -> usize {
        let slot = self.ring[self.head % (2 * SLOTS)];
        self.head = self.head.wrapping_add(1);
        usize::from(slot) % SLOTS
    }
}

/// What slots wait for: a node, a leaf, or another ray.
struct Queues([Queue; 3]);

const NODE: usize = 0;
const LEAF: usize = 1;
const DONE: usize = 2;

impl Queues {
    #[inline(always)]
    fn push(&mut self, slot: usize, next: ChildRef) {
        let kind = usize::from(next.is_leaf()) + usize::from(next == ChildRef::EMPTY);
        self.0[kind].push(slot);
    }
}

/// Which rays of a stream to trace.
#[derive(Clone, Copy)]
pub(crate) enum Selection<'a> {
    /// So many from the start on.
    First(usize),
    /// Those with these indices.
    These(&'a [usize]),
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
    fn load<S: Simd>(&mut self, simd: S) -> bool {
        self.start = self.next;
        let raw = match self.selection {
            Selection::First(len) if self.start < len => self.rays.load(simd, self.start, len - self.start),
            Selection::These(indices) if self.start < indices.len() => {
                self.rays.gather(simd, &indices[self.start..indices.len().min(self.start + BATCH)])
            }
            _ => return false,
        };
        self.batch.prepare(simd, &raw, &self.bounds);
        self.lanes = self.batch.valid;
        self.next += BATCH;
        true
    }

    /// Takes a ray out of the batch and puts it into a slot; false when there are no more.
    #[inline(always)]
    fn board<S: Simd, K: Sink>(&mut self, simd: S, slot: &mut Slot) -> bool {
        while self.lanes == 0 {
            if !self.load(simd) {
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
        slot.prim = u32::MAX;
        slot.index = match self.selection {
            Selection::First(_) => self.start + lane,
            Selection::These(indices) => indices.get(self.start + lane).copied().unwrap_or(usize::MAX),
        };
        true
    }
}

/// Traces rays of a stream against one bottom level. Rays that hit nothing may be left out of the results.
#[inline(always)]
pub(crate) fn trace<S: Simd, K: Sink>(
    simd: S,
    blas: &Blas,
    rays: &RayStream<'_>,
    selection: Selection<'_>,
    sink: &mut K,
) {
    let nodes = &*blas.bvh().nodes;
    if nodes.is_empty() {
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
    if size_of_val(nodes) > CACHE {
        run(simd, blas, &mut waiting, sink, true);
    } else {
        run(simd, blas, &mut waiting, sink, false);
    }
}

#[inline(always)]
fn run<S: Simd, K: Sink>(simd: S, blas: &Blas, waiting: &mut Waiting<'_>, sink: &mut K, large: bool) {
    let nodes = &*blas.bvh().nodes;
    let places = Places { nodes: Start::of(nodes), blocks: Start::of(blas.blocks()) };
    let mut slots: Box<[Slot; SLOTS]> = Box::new(std::array::from_fn(|_| Slot::new()));
    let mut queues = Queues([Queue::EMPTY; 3]);
    for (i, slot) in slots.iter_mut().enumerate() {
        if waiting.board::<S, K>(simd, slot) {
            queues.push(i, ChildRef::ROOT);
        }
    }

    // As long as there are rays enough, steps come in groups of a fixed size: loops that end where they always end.
    loop {
        let counts = [queues.0[NODE].len(), queues.0[LEAF].len(), queues.0[DONE].len()];
        let (kind, count) = if counts[NODE] >= GROUP {
            (NODE, GROUP)
        } else if counts[LEAF] >= GROUP / 2 {
            (LEAF, GROUP / 2)
        } else if counts[DONE] > 0 {
            (DONE, counts[DONE])
        } else if counts[NODE] > 0 {
            (NODE, counts[NODE])
        } else if counts[LEAF] > 0 {
            (LEAF, counts[LEAF])
        } else {
            break;
        };
        match kind {
            NODE if count == GROUP => {
                let ids: [usize; GROUP] = std::array::from_fn(|_| queues.0[NODE].pop());
                for i in ids {
                    visit_next::<S, K>(simd, i, &mut slots, &mut queues, nodes, places, large);
                }
            }
            NODE => {
                for _ in 0..count {
                    let i = queues.0[NODE].pop();
                    visit_next::<S, K>(simd, i, &mut slots, &mut queues, nodes, places, large);
                }
            }
            LEAF if count == GROUP / 2 => {
                let ids: [usize; GROUP / 2] = std::array::from_fn(|_| queues.0[LEAF].pop());
                for i in ids {
                    test_next::<S, K>(simd, i, &mut slots, &mut queues, blas.blocks(), places, large);
                }
            }
            LEAF => {
                for _ in 0..count {
                    let i = queues.0[LEAF].pop();
                    test_next::<S, K>(simd, i, &mut slots, &mut queues, blas.blocks(), places, large);
                }
            }
            _ => {
                for _ in 0..count {
                    let i = queues.0[DONE].pop();
                    let slot = &mut slots[i];
                    if slot.flight.has_spilled() && !(K::ANY && slot.prim != u32::MAX) {
                        slot.next = slot.flight.unspill(slot.best.t);
                        queues.push(i, slot.next);
                        continue;
                    }
                    sink.done(slot.index, slot.prim, &slot.best);
                    if waiting.board::<S, K>(simd, slot) {
                        queues.push(i, ChildRef::ROOT);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn visit_next<S: Simd, K: Sink>(
    simd: S,
    i: usize,
    slots: &mut [Slot; SLOTS],
    queues: &mut Queues,
    nodes: &[Bvh8Node],
    places: Places,
    large: bool,
) {
    let slot = &mut slots[i];
    slot.visit::<S, K>(simd, nodes);
    if large {
        places.aim(slot.next);
    }
    queues.push(i, slot.next);
}

#[inline(always)]
fn test_next<S: Simd, K: Sink>(
    simd: S,
    i: usize,
    slots: &mut [Slot; SLOTS],
    queues: &mut Queues,
    blocks: &[TriangleBlock],
    places: Places,
    large: bool,
) {
    let slot = &mut slots[i];
    slot.test::<S, K>(simd, blocks);
    if large {
        places.aim(slot.next);
    }
    queues.push(i, slot.next);
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
            prim: u32::MAX,
            index: 0,
        }
    }

    #[inline(always)]
    fn visit<S: Simd, K: Sink>(&mut self, simd: S, nodes: &[Bvh8Node]) {
        let Some(node) = nodes.get(self.next.node_index()) else { return };
        self.next =
            self.flight.visit(simd, node, &self.ray.slabs, &self.rows, self.ray.t_near(), self.best.t, self.order, K::ANY);
    }

    /// Tests the first block of a leaf; the rest of it is what comes next.
    #[inline(always)]
    fn test<S: Simd, K: Sink>(&mut self, simd: S, blocks: &[TriangleBlock]) {
        let Some(triangles) = blocks.get(self.next.items().start) else { return };
        let hits = block_hits(simd, triangles, &self.ray, self.best.t, false);
        if hits.mask.any_true() {
            let (ts, us, vs) = (hits.t.to_array(), hits.u.to_array(), hits.v.to_array());
            let mut mask = hits.mask.to_bitmask();
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize & 3;
                let (t, prim) = (ts[lane], triangles.prim_ids[lane]);
                if t < self.best.t || t == self.best.t && prim < self.prim {
                    self.best = Candidate { t, u: us[lane], v: vs[lane] };
                    self.prim = prim;
                }
                mask &= mask - 1;
            }
            if K::ANY {
                self.next = ChildRef::EMPTY;
                return;
            }
            self.flight.shorten(simd, self.best.t);
        }
        self.next = self.flight.rest_or_pop(self.next);
    }
}
