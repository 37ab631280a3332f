use fearless_simd::Simd;

use super::pending::rows_and_order;
use super::queue_masks::QueueBits;
use super::{Sink, Tree};
use crate::layout::ChildRef;
use crate::primitive::ray_numbers::T_FAR;
use crate::primitive::{Candidate, LANES, RayNumbers};
use crate::stream::MISS;
use crate::traversal::{Prefetcher, TraversalStack};

/// Slot of one ray in flight.
#[repr(C, align(64))]
pub(super) struct Slot<'a> {
    /// The ray; its interval ends at the closest hit so far.
    pub(super) ray: RayNumbers,
    /// See [`rows_and_order`].
    pub(super) rows: [u32; 3],
    pub(super) order: u32,
    /// Next child to visit; [`ChildRef::EMPTY`] when there is none.
    pub(super) next: ChildRef,
    /// Candidates of the last leaf test, one bit per lane.
    pub(super) candidates: u32,
    /// Primitive and instance of the closest hit so far. In any-hit queries, `prim` is 0 once there is a hit.
    pub(super) prim: u32,
    pub(super) inst: u32,
    u: f32,
    v: f32,
    /// Index of the ray in the stream.
    pub(super) index: usize,
    /// Triangles of the last leaf test, and `t`, `u` and `v` of their hits.
    pub(super) prims: [u32; LANES],
    pub(super) hits: [[f32; LANES]; 3],
    pub(super) stack: TraversalStack,
    /// In worlds of several instances: the current tree, whether it is the top level, and the current instance.
    pub(super) tree: Tree<'a>,
    pub(super) top: bool,
    pub(super) instance: u32,
    /// Ray in world space, while it is in an instance.
    world_ray: (RayNumbers, [u32; 3], u32),
}

impl<'a> Slot<'a> {
    pub(super) fn new(tree: Tree<'a>) -> Self {
        Self {
            ray: RayNumbers::UNSET,
            rows: [0; 3],
            order: 0,
            next: ChildRef::EMPTY,
            candidates: 0,
            hits: [[0.0; LANES]; 3],
            prims: [0; LANES],
            stack: TraversalStack::new(),
            prim: MISS,
            inst: MISS,
            u: 0.0,
            v: 0.0,
            index: 0,
            tree,
            top: false,
            instance: 0,
            world_ray: (RayNumbers::UNSET, [0; 3], 0),
        }
    }

    /// Starts a ray at the root.
    #[inline(always)]
    pub(super) fn begin<K: Sink>(&mut self, ray: &RayNumbers, class: u32, index: usize) {
        self.ray = *ray;
        (self.rows, self.order) = rows_and_order::<K>(class);
        self.stack.reset();
        self.next = ChildRef::ROOT;
        (self.prim, self.inst) = (MISS, MISS);
        self.candidates = 0;
        self.index = index;
    }

    /// Returns the next step of the slot.
    ///
    /// * `hit` — whether the leaf test found candidates.
    #[inline(always)]
    pub(super) fn next_step<const TWO_LEVEL: bool>(&self, hit: bool) -> QueueBits {
        QueueBits {
            hit: u32::from(hit),
            end: u32::from(self.next == ChildRef::EMPTY),
            leaf: u32::from(self.next.is_leaf()),
            top: u32::from(TWO_LEVEL && self.top),
        }
    }

    /// Prefetches the memory that the next step will read.
    ///
    /// * `prefetcher` — addresses in worlds of one instance.
    #[inline(always)]
    pub(super) fn prefetch<const TWO_LEVEL: bool>(&self, prefetcher: Prefetcher) {
        let prefetcher = if TWO_LEVEL { self.tree.prefetcher() } else { prefetcher };
        prefetcher.prefetch(self.next);
    }

    /// Continues after a leaf test without candidates.
    #[inline(always)]
    pub(super) fn leave_leaf<K: Sink>(&mut self) {
        if K::ANY {
            // Any hit is enough. A mask instead of an unpredictable branch: all ones is EMPTY.
            let hit = (self.candidates.wrapping_neg().cast_signed() >> 31).cast_unsigned();
            let next = self.stack.rest_or_pop(self.next, false);
            self.next = ChildRef::from_bits(next.bits() | hit);
            self.prim &= !hit;
            self.candidates = 0;
        } else {
            self.next = self.stack.rest_or_pop(self.next, self.candidates != 0);
        }
    }

    /// Accepts the closest candidate of the leaf test.
    #[inline(always)]
    pub(super) fn accept_closest<S: Simd, const TWO_LEVEL: bool>(&mut self, simd: S) {
        let mut best = self.best();
        let mut best_prim = self.prim;
        if TWO_LEVEL && self.inst != self.instance {
            // Ties go to the smaller instance, then to the smaller primitive.
            best_prim = if self.inst < self.instance { 0 } else { MISS };
        }
        let mut accepts_any = false;
        for lane in 0..LANES {
            let (t, prim) = (self.hits[0][lane], self.prims[lane]);
            let better = (t < best.t) | ((t == best.t) & (prim < best_prim));
            let accepts = better & (self.candidates >> lane & 1 == 1);
            best.t = if accepts { t } else { best.t };
            best.u = if accepts { self.hits[1][lane] } else { best.u };
            best.v = if accepts { self.hits[2][lane] } else { best.v };
            best_prim = if accepts { prim } else { best_prim };
            accepts_any |= accepts;
        }
        if !TWO_LEVEL || accepts_any {
            self.prim = best_prim;
            self.inst = self.instance;
        }
        (self.ray.0[T_FAR], self.u, self.v) = (best.t, best.u, best.v);
        self.candidates = 0;
        self.stack.shorten(simd, best.t);
        self.next = self.stack.rest_or_pop(self.next, false);
    }

    /// Accepts a hit on geometry that is not made of triangles.
    pub(super) fn accept<S: Simd>(&mut self, simd: S, prim: u32, hit: &Candidate) {
        (self.prim, self.inst) = (prim, self.instance);
        (self.ray.0[T_FAR], self.u, self.v) = (hit.t, hit.u, hit.v);
        self.stack.shorten(simd, hit.t);
    }

    #[inline(always)]
    pub(super) fn best(&self) -> Candidate {
        Candidate { t: self.ray.0[T_FAR], u: self.u, v: self.v }
    }

    /// Continues in an instance's tree, and marks its end on the stack.
    ///
    /// * `start` — node at which traversal starts.
    #[inline(always)]
    pub(super) fn enter<K: Sink>(&mut self, tree: Tree<'a>, start: ChildRef, ray: &RayNumbers, class: u32) {
        self.world_ray = (self.ray, self.rows, self.order);
        self.tree = tree;
        self.ray = *ray;
        (self.rows, self.order) = rows_and_order::<K>(class);
        if self.next.has_rest() {
            self.stack.push(self.next.rest());
        }
        self.stack.push(ChildRef::EMPTY);
        self.next = start;
        self.top = false;
    }

    /// Continues in the top level.
    #[inline(always)]
    pub(super) fn leave(&mut self, top_level: Tree<'a>) {
        let t_far = self.ray.0[T_FAR];
        (self.ray, self.rows, self.order) = self.world_ray;
        self.ray.0[T_FAR] = t_far;
        self.tree = top_level;
        self.next = self.stack.pop();
        self.top = true;
    }
}
