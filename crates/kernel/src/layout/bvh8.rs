//! Eight-wide tree of the CPU: nodes as structure of arrays, with a traversal order for each octant of directions.

use std::ops::Range;

use fearless_simd::{Bytes, Simd, SimdBase, f32x8, u32x8};
use sunfleck_math::Aabb;

use crate::primitive::ray_numbers as number;

/// Maximum number of children per node.
pub(crate) const WIDTH: usize = 8;

/// Maximum number of items in a leaf.
pub(crate) const LEAF_LIMIT: u32 = 8;

/// Upper limit (exclusive) of the number of items in a tree.
pub(crate) const ITEM_LIMIT: usize = 1 << ChildRef::FIRST_BITS;

/// Eight-wide tree as one plain array; node 0 is the root.
///
/// Leaves refer to ranges of items, such as triangle blocks or instances, which the owner of the tree stores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh8 {
    /// Empty if nothing can be hit.
    pub(crate) nodes: Vec<Bvh8Node>,
}

/// Node with eight child boxes as structure of arrays [Wald08, multi-branching trees], references to the children, and
/// traversal orders.
///
/// 256 bytes in four cache lines: six planes of 32 bytes, 32 bytes of references, 32 bytes of orders.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Bvh8Node {
    /// `planes[axis][0]` are the lower planes, `planes[axis][1]` the upper ones. In empty slots they are `+∞` and `-∞`.
    pub(crate) planes: [[[f32; WIDTH]; 2]; 3],
    /// References to the children. Used slots come first.
    pub(crate) children: [ChildRef; WIDTH],
    /// Nine permutations of the slots [Fuetterling17, traversal order], three bits per element.
    ///
    /// Bits `3k..3k + 3` of `order[i]` are element `i` of permutation `k`, from the slot to visit last to the slot to
    /// visit first. Permutations 0–7 are for closest-hit queries, one for each octant of directions (bit `axis` of `k`
    /// is set if the direction is negative); permutation [`ANY_HIT_ORDER`](Self::ANY_HIT_ORDER) is for any-hit queries.
    pub(crate) order: [u32; WIDTH],
}

impl Bvh8Node {
    pub(crate) const EMPTY: Self = Self {
        planes: [[[f32::INFINITY; 8], [f32::NEG_INFINITY; 8]]; 3],
        children: [ChildRef::EMPTY; WIDTH],
        order: [0; WIDTH],
    };

    /// Index of the permutation for any-hit queries; see [`order`](Self::order).
    pub(crate) const ANY_HIT_ORDER: u32 = 8;

    pub(crate) fn set(&mut self, slot: usize, bounds: &Aabb, child: ChildRef) {
        for axis in 0..3 {
            self.planes[axis][0][slot] = bounds.min[axis];
            self.planes[axis][1][slot] = bounds.max[axis];
        }
        self.children[slot] = child;
    }

    /// Computes [`order`](Self::order): for closest hits by the children's centres along the octant's diagonal, for any
    /// hit by merit.
    #[inline(always)]
    pub(crate) fn set_order<S: Simd>(&mut self, simd: S, merit: &[f32; WIDTH]) {
        let splat = |x: f32| f32x8::splat(simd, x);
        let load = |x: &[f32; WIDTH]| f32x8::load_array_ref(simd, x);

        // Coordinates of the child's centre along the diagonals of the eight octants, with the slot in the lowest bits.
        // The centre of an unused slot is NaN, which sorts before all others.
        let [x, y, z] = &self.planes;
        let centers = [center(simd, x), center(simd, y), center(simd, z)];
        let mut keys = [splat(0.0); WIDTH];
        for (slot, key) in keys.iter_mut().enumerate() {
            let [x, y, z] = [centers[0][slot], centers[1][slot], centers[2][slot]];
            let along = splat(x) * load(&FLIPS[0]) + splat(y) * load(&FLIPS[1]) + splat(z) * load(&FLIPS[2]);
            // An infinity with a slot in its lowest bits would be NaN.
            let along = along.max_precise(splat(f32::MIN)).min(splat(f32::MAX));
            *key = with_slot(simd, along, slot);
        }
        // All octants are sorted at once.
        sort(&mut keys);
        let shifts = u32x8::load_array_ref(simd, &[0, 3, 6, 9, 12, 15, 18, 21]);
        for (order, key) in self.order.iter_mut().zip(keys) {
            *order = (slots(simd, key) << shifts).to_array().into_iter().fold(0, |bits, slot| bits | slot);
        }

        // Order by merit: the rank of a slot is the number of slots with smaller merit, or equal merit and larger
        // index.
        let mut rank = [0; WIDTH];
        for other in 0..WIDTH {
            for slot in 0..WIDTH {
                let equal = merit[other] == merit[slot] && other > slot;
                rank[slot] += u32::from(merit[other] < merit[slot] || equal);
            }
        }
        for (slot, rank) in (0u32..).zip(rank) {
            self.order[rank as usize % WIDTH] |= slot << (3 * Self::ANY_HIT_ORDER);
        }
    }

    pub(crate) fn bounds(&self, slot: usize) -> Aabb {
        let corner = |side: usize| [0, 1, 2].map(|axis: usize| self.planes[axis][side][slot]).into();
        Aabb { min: corner(0), max: corner(1) }
    }

    /// Returns the box around all children.
    pub(crate) fn whole(&self) -> Aabb {
        let low = |axis: usize| self.planes[axis][0].iter().copied().fold(f32::INFINITY, f32::min);
        let high = |axis: usize| self.planes[axis][1].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Aabb { min: [low(0), low(1), low(2)].into(), max: [high(0), high(1), high(2)].into() }
    }

    /// Returns the whole node as an array of floats, the planes first.
    #[inline(always)]
    pub(crate) fn floats(&self) -> &[f32; 64] {
        bytemuck::cast_ref(self)
    }

    /// Returns the index in [`floats`](Self::floats) of the lower planes of an axis, or of the upper ones if `side` is
    /// 1.
    #[inline(always)]
    pub(crate) const fn row(axis: usize, side: u32) -> u32 {
        [0, 16, 32, 32][axis & 3] + 8 * side
    }

    /// Returns the indices in [`floats`](Self::floats) of the planes through which rays of a class enter boxes, along
    /// the permuted axes of [`RayNumbers`](crate::primitive::RayNumbers). The planes through which they exit are at
    /// `row ^ 8`.
    #[inline(always)]
    pub(crate) fn entered_rows(class: u32) -> [u32; 3] {
        ENTERED_ROWS[class as usize & 31]
    }

    /// Returns the used slots and their children.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, ChildRef)> + '_ {
        self.children.iter().copied().enumerate().filter(|&(_, child)| child != ChildRef::EMPTY)
    }
}

/// Returns the centres of the boxes along an axis.
#[inline(always)]
fn center<S: Simd>(simd: S, [min, max]: &[[f32; WIDTH]; 2]) -> [f32; WIDTH] {
    let half = f32x8::splat(simd, 0.5);
    (f32x8::load_array_ref(simd, min) * half + f32x8::load_array_ref(simd, max) * half).to_array()
}

/// Replaces the lowest three bits of the keys by the slot, so that among equal keys that of the later slot is smaller.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "three bits")]
fn with_slot<S: Simd>(simd: S, x: f32x8<S>, slot: usize) -> f32x8<S> {
    let bits: u32x8<S> = x.bitcast();
    (bits & u32x8::splat(simd, !7) | u32x8::splat(simd, slot as u32) ^ of_positive(simd, bits)).bitcast()
}

/// Extracts the slots from keys made by [`with_slot`].
#[inline(always)]
fn slots<S: Simd>(simd: S, key: f32x8<S>) -> u32x8<S> {
    let bits: u32x8<S> = key.bitcast();
    (bits & u32x8::splat(simd, 7)) ^ of_positive(simd, bits)
}

/// Returns 7 for positive numbers, which grow with their lowest bits, and 0 for negative ones.
#[inline(always)]
fn of_positive<S: Simd>(simd: S, bits: u32x8<S>) -> u32x8<S> {
    ((bits >> 31) - u32x8::splat(simd, 1)) & u32x8::splat(simd, 7)
}

/// `FLIPS[axis][octant]`: sign of the octant's diagonal, which points from the last child to visit to the first.
const FLIPS: [[f32; 8]; 3] = [
    [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0],
    [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
];

/// Sorts each lane by a sorting network of 19 exchanges. It is unrolled by hand: in a loop, the vectors would be kept
/// in memory.
#[inline(always)]
fn sort<S: Simd>(keys: &mut [f32x8<S>; WIDTH]) {
    let [a, b, c, d, e, f, g, h] = *keys;
    let ([a, b], [c, d], [e, f], [g, h]) = (ordered(a, b), ordered(c, d), ordered(e, f), ordered(g, h));
    let ([a, c], [b, d], [e, g], [f, h]) = (ordered(a, c), ordered(b, d), ordered(e, g), ordered(f, h));
    let ([b, c], [f, g], [a, e], [d, h]) = (ordered(b, c), ordered(f, g), ordered(a, e), ordered(d, h));
    let ([b, f], [c, g]) = (ordered(b, f), ordered(c, g));
    let ([b, e], [d, g]) = (ordered(b, e), ordered(d, g));
    let ([c, e], [d, f]) = (ordered(c, e), ordered(d, f));
    let [d, e] = ordered(d, e);
    *keys = [a, b, c, d, e, f, g, h];
}

#[inline(always)]
fn ordered<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> [f32x8<S>; 2] {
    [a.min(b), a.max(b)]
}

/// See [`Bvh8Node::entered_rows`].
const ENTERED_ROWS: [[u32; 3]; 32] = {
    let mut rows = [[0; 3]; 32];
    let mut class = 0;
    while class < 32 {
        let axes = number::axes(class);
        let mut i = 0;
        while i < 3 {
            rows[class as usize][i] = Bvh8Node::row(axes[i], class >> axes[i] & 1);
            i += 1;
        }
        class += 1;
    }
    rows
};

/// Reference to a child: `0nnn…n` is the node with index `n`, `1ccc ffff…f` a leaf of `c + 1` items from item `f` on,
/// and all ones an empty slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct ChildRef(u32);

impl ChildRef {
    pub(crate) const ROOT: Self = Self(0);
    pub(crate) const EMPTY: Self = Self(u32::MAX);
    pub(crate) const LEAF: u32 = 1 << 31;
    const FIRST_BITS: u32 = 28;
    const FIRST_MASK: u32 = (1 << Self::FIRST_BITS) - 1;

    pub(crate) fn node(index: u32) -> Self {
        debug_assert!(index & Self::LEAF == 0, "node index {index} needs 32 bits");
        Self(index)
    }

    /// Returns a reference to a leaf of 1 to [`LEAF_LIMIT`] items; the caller ensures `first + count < ITEM_LIMIT`.
    pub(crate) fn leaf(first: u32, count: u32) -> Self {
        debug_assert!((1..=LEAF_LIMIT).contains(&count) && first < Self::FIRST_MASK, "{count} from {first}");
        Self(Self::LEAF | (count - 1) << Self::FIRST_BITS | first)
    }

    /// Returns the reference whose [`bits`](Self::bits) are given.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits of the reference, for SIMD vectors of references.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// Returns the index of the node; meaningless for leaves.
    #[inline(always)]
    pub(crate) fn node_index(self) -> usize {
        self.0 as usize
    }

    /// Returns whether it is a leaf of several items.
    #[inline(always)]
    pub(crate) fn has_rest(self) -> bool {
        (self.0 >> Self::FIRST_BITS) & 7 != 0
    }

    /// Returns a leaf of several items without its first item.
    #[inline(always)]
    pub(crate) fn rest(self) -> Self {
        Self(self.0.wrapping_sub(1 << Self::FIRST_BITS).wrapping_add(1))
    }

    /// Returns a mask of all ones for a leaf and zero for a node, and the leaf's first item, or 0 for an empty slot.
    #[inline(always)]
    pub(crate) fn masked(self) -> (usize, usize) {
        let leaf = 0usize.wrapping_sub((self.0 >> 31) as usize);
        let used = 0usize.wrapping_sub(usize::from(self.0 != Self::EMPTY.0));
        (leaf, (self.0 & Self::FIRST_MASK) as usize & used)
    }

    /// Returns the items of the leaf; meaningless for nodes.
    #[inline(always)]
    pub(crate) fn items(self) -> Range<usize> {
        let first = (self.0 & Self::FIRST_MASK) as usize;
        first..first + ((self.0 >> Self::FIRST_BITS) & 7) as usize + 1
    }
}
