//! Traversal stack of one ray, and its steps from node to node.

use fearless_simd::{
    Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8, f32x16, mask32x8, mask32x16, u32x8, u32x16,
};

use crate::layout::{Bvh8Node, ChildRef, WIDTH};
use crate::primitive::RayNumbers;
use crate::primitive::ray_numbers::{self as number, FAR, NEAR, T_FAR, T_NEAR};
use crate::simd::{bits, permute};

/// Capacity of the stack, with room for one more chunk since whole vectors are stored.
const CAPACITY: usize = 32 + CHUNK;

/// Number of entries that are compared at once.
const CHUNK: usize = 16;

/// Traversal stack of one ray: children with the distances of their boxes, the next one on top. All entries begin
/// before the end of the ray's interval: [`shorten`](TraversalStack::shorten) removes the others.
#[repr(C, align(64))]
pub(crate) struct TraversalStack {
    child: [u32; CAPACITY],
    t: [f32; CAPACITY],
    len: usize,
    spilled: Vec<(u32, f32)>,
}

/// Returns one row of a node: eight numbers, one per child.
#[inline(always)]
fn row<S: Simd>(simd: S, floats: &[f32; 64], start: u32) -> f32x8<S> {
    let start = start as usize & 56;
    f32x8::from_slice(simd, &floats[start..start + 8])
}

/// Returns the distances at which a ray enters and leaves the boxes of a node's children.
#[inline(always)]
fn slab_test<S: Simd>(simd: S, node: &Bvh8Node, ray: &RayNumbers, rows: &[u32; 3]) -> (f32x8<S>, f32x8<S>) {
    let floats = node.floats();
    let number = |i: usize| f32x8::splat(simd, ray.0[i]);
    let near =
        |axis: usize| (row(simd, floats, rows[axis]) - number(NEAR + axis)) * number(number::rdir(axis));
    let far =
        |axis: usize| (row(simd, floats, rows[axis] ^ 8) - number(FAR + axis)) * number(number::rdir(axis));
    let entry = near(0).max(near(1)).max(near(2).max(number(T_NEAR)));
    let exit = far(0).min(far(1)).min(far(2).min(number(T_FAR)));
    (entry, exit)
}

impl TraversalStack {
    pub(crate) fn new() -> Self {
        Self {
            child: [ChildRef::EMPTY.bits(); CAPACITY],
            t: [f32::NEG_INFINITY; CAPACITY],
            len: 1,
            spilled: Vec::new(),
        }
    }

    /// Clears the stack down to the sentinel [`ChildRef::EMPTY`], which marks its end.
    #[inline(always)]
    pub(crate) fn reset(&mut self) {
        self.len = 1;
        self.spilled.clear();
    }

    /// Returns the rest of a leaf, or else the next child; with `hold`, the same leaf again. Branch-free.
    #[inline(always)]
    pub(crate) fn rest_or_pop(&mut self, leaf: ChildRef, hold: bool) -> ChildRef {
        let below = self.len.wrapping_sub(1);
        let top = ChildRef::from_bits(self.child.get(below).copied().unwrap_or(ChildRef::EMPTY.bits()));
        let next = if leaf.has_rest() { leaf.rest() } else { top };
        self.len = if leaf.has_rest() | hold { self.len } else { below };
        if hold { leaf } else { next }
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> ChildRef {
        self.len = self.len.wrapping_sub(1);
        ChildRef::from_bits(self.child[self.len])
    }

    /// Tests the children of `node` and pushes those that the ray hits, the one to visit next on top. Branch-free.
    ///
    /// * `rows` — rows of the entry planes in [`Bvh8Node::floats`]; see [`Bvh8Node::entered_rows`].
    /// * `any` — whether any hit ends the query, so that distances are not needed.
    /// * `order` — shift that selects the permutation in [`Bvh8Node::order`].
    #[inline(always)]
    pub(crate) fn visit<S: Simd>(
        &mut self,
        simd: S,
        node: &Bvh8Node,
        ray: &RayNumbers,
        rows: &[u32; 3],
        order: u32,
        any: bool,
    ) {
        let (entry, exit) = slab_test(simd, node, ray, rows);
        self.push_hit_children(simd, node, entry, entry.simd_le(exit), order, any);
    }

    /// As [`visit`](Self::visit), and returns the next child. Branches on the number of children hit: a single ray
    /// has to wait for every result, so a misprediction costs less than a round trip through the stack.
    #[inline(always)]
    pub(crate) fn visit_and_pop<S: Simd>(
        &mut self,
        simd: S,
        node: &Bvh8Node,
        ray: &RayNumbers,
        rows: &[u32; 3],
        order: u32,
        any: bool,
    ) -> ChildRef {
        let (entry, exit) = slab_test(simd, node, ray, rows);
        let hit = entry.simd_le(exit);
        let hits = bits(hit);
        match hits & hits.wrapping_sub(1) {
            0 if hits == 0 => self.pop(),
            0 => node.children[hits.trailing_zeros() as usize & 7],
            _ => {
                self.push_hit_children(simd, node, entry, hit, order, any);
                self.pop()
            }
        }
    }

    /// Pushes children in visiting order, without gaps.
    #[inline(always)]
    fn push_hit_children<S: Simd>(
        &mut self,
        simd: S,
        node: &Bvh8Node,
        entry: f32x8<S>,
        hit: mask32x8<S>,
        order: u32,
        any: bool,
    ) {
        // No child is the root, whose reference is 0.
        let none = u32x8::splat(simd, ChildRef::ROOT.bits());
        let children = u32x8::load_array(simd, node.children.map(ChildRef::bits));
        let hit = hit.select(children, none);
        let order = u32x8::load_array_ref(simd, &node.order) >> order;
        let children = permute(simd, f32x8::from_bits(hit), order).to_bits();
        let keep = children.simd_ne(none);
        if self.len > CAPACITY - CHUNK {
            self.spill();
        }
        let start = self.len;
        if let Some(destination) = self.child.get_mut(start..start + WIDTH) {
            children.compress(keep).store_slice(destination);
        }
        if !any && let Some(destination) = self.t.get_mut(start..start + WIDTH) {
            permute(simd, entry, order).compress(keep).store_slice(destination);
        }
        self.len = start + bits(keep).count_ones() as usize;
    }

    /// Removes the entries that begin after the new end of the interval.
    #[inline(always)]
    pub(crate) fn shorten<S: Simd>(&mut self, simd: S, t_far: f32) {
        let (end, t_far) = (self.len, f32x16::splat(simd, t_far));
        let (mut from, mut to) = (0, 0);
        while from < end {
            let (Some(child), Some(t)) = (self.child.get(from..from + CHUNK), self.t.get(from..from + CHUNK))
            else {
                break;
            };
            let (child, t) = (u32x16::from_slice(simd, child), f32x16::from_slice(simd, t));
            let used = u32::MAX >> (32 - (end - from).min(CHUNK));
            let keep = bits(t.simd_le(t_far)) & used;
            let mask = mask32x16::from_bitmask(simd, keep.into());
            if let Some(destination) = self.child.get_mut(to..to + CHUNK) {
                child.compress(mask).store_slice(destination);
            }
            if let Some(destination) = self.t.get_mut(to..to + CHUNK) {
                t.compress(mask).store_slice(destination);
            }
            from += CHUNK;
            to += keep.count_ones() as usize;
        }
        self.len = to;
    }

    /// Moves all entries but the sentinel to the heap, for unusually deep trees.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        let entries = self.child[1..self.len].iter().copied().zip(self.t[1..self.len].iter().copied());
        self.spilled.extend(entries);
        self.len = 1;
    }

    /// Returns the next entry on the heap that begins within the interval, once the stack is empty; `None` if there
    /// is none.
    #[inline(always)]
    pub(crate) fn unspill(&mut self, t_far: f32) -> Option<ChildRef> {
        if self.spilled.is_empty() { None } else { self.unspill_some(t_far) }
    }

    #[cold]
    #[inline(never)]
    fn unspill_some(&mut self, t_far: f32) -> Option<ChildRef> {
        self.len = 1;
        while let Some((child, t)) = self.spilled.pop() {
            if t <= t_far {
                return Some(ChildRef::from_bits(child));
            }
        }
        None
    }

    /// Returns whether the sentinel has been popped, so that only the heap may hold more.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Pushes a child that is visited unconditionally.
    #[inline(always)]
    pub(crate) fn push(&mut self, child: ChildRef) {
        if self.len > CAPACITY - CHUNK {
            self.spill();
        }
        if let (Some(destination), Some(t)) = (self.child.get_mut(self.len), self.t.get_mut(self.len)) {
            (*destination, *t) = (child.bits(), f32::NEG_INFINITY);
            self.len += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_do_not_fit_are_spilled_and_restored() {
        let mut stack = TraversalStack::new();
        let count = 200u32;
        assert!(count as usize > CAPACITY, "some must spill");
        for round in 0..2 {
            stack.reset();
            (1..=count).for_each(|i| stack.push(ChildRef::node(i)));
            let mut popped = Vec::new();
            loop {
                match stack.pop() {
                    ChildRef::EMPTY => {}
                    child => popped.push(child),
                }
                if stack.is_empty() {
                    match stack.unspill(0.0) {
                        Some(child) => popped.push(child),
                        None => break,
                    }
                }
            }
            let expected: Vec<_> = (1..=count).rev().map(ChildRef::node).collect();
            assert_eq!(popped, expected, "last in, first out, round {round}");
        }
    }
}
