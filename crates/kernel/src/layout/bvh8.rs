use std::ops::Range;

use sunfleck_math::Aabb;

use crate::primitive::ray_numbers as number;

/// Children per node.
pub(crate) const WIDTH: usize = 8;

/// Most leaf items that one child may refer to.
pub(crate) const LEAF_LIMIT: u32 = 8;

/// Most leaf items in one tree.
pub(crate) const ITEM_LIMIT: usize = 1 << ChildRef::FIRST_BITS;

/// An eight-wide tree as one plain array; node 0 is the root.
///
/// Leaves refer to ranges of items — triangle blocks, instances — that belong to somebody else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh8 {
    /// Empty when there is nothing to hit.
    pub(crate) nodes: Vec<Bvh8Node>,
}

/// Eight child boxes as structure of arrays [Wald08, multi-branching trees], where the children are, and in which order to visit them.
///
/// 256 bytes in four cache lines: six planes of 32 bytes, 32 bytes of references, 32 bytes of orders.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Bvh8Node {
    /// `planes[axis][0]` are the lower, `planes[axis][1]` the upper planes. Empty slots: `+∞` and `-∞`.
    pub(crate) planes: [[[f32; WIDTH]; 2]; 3],
    /// Used slots come first.
    pub(crate) children: [ChildRef; WIDTH],
    /// Nine permutations of the slots [Fuetterling17, traversal order], three bits each: bits `3k..3k + 3` of `order[i]` are the slot at place `i` of
    /// permutation `k`, from the one to visit last to the one to visit first. Permutations 0–7 are for closest hits along
    /// the octants of directions (bit `axis` of `k` is set where the direction is negative), number
    /// [`ANY_HIT_ORDER`](Self::ANY_HIT_ORDER) for any hit.
    pub(crate) order: [u32; WIDTH],
}

impl Bvh8Node {
    pub(crate) const EMPTY: Self = Self {
        planes: [[[f32::INFINITY; 8], [f32::NEG_INFINITY; 8]]; 3],
        children: [ChildRef::EMPTY; WIDTH],
        order: [0; WIDTH],
    };

    /// See [`order`](Self::order).
    pub(crate) const ANY_HIT_ORDER: u32 = 8;

    pub(crate) fn set(&mut self, slot: usize, bounds: &Aabb, child: ChildRef) {
        for axis in 0..3 {
            self.planes[axis][0][slot] = bounds.min[axis];
            self.planes[axis][1][slot] = bounds.max[axis];
        }
        self.children[slot] = child;
    }

    /// Computes [`order`](Self::order): for closest hits by the children's centres along the octant's diagonal, for any hit by
    /// merit.
    pub(crate) fn set_order(&mut self, merit: &[f32; WIDTH]) {
        // Unused slots have a NaN for centre, and lie before everything.
        let center =
            self.planes.map(|[min, max]| std::array::from_fn::<_, WIDTH, _>(|i| min[i] * 0.5 + max[i] * 0.5));
        self.order = [0; WIDTH];
        for k in 0..=Self::ANY_HIT_ORDER {
            let flip = [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 });
            let keys: [f32; WIDTH] = std::array::from_fn(|i| match k {
                Self::ANY_HIT_ORDER => merit[i],
                _ => (center[0][i] * flip[0] + center[1][i] * flip[1] + center[2][i] * flip[2]).max(f32::MIN),
            });
            // How many come before it: those with smaller keys, and equal ones in later slots
            let mut place = [0; WIDTH];
            for other in 0..WIDTH {
                for slot in 0..WIDTH {
                    let equal = keys[other] == keys[slot] && other > slot;
                    place[slot] += u32::from(keys[other] < keys[slot] || equal);
                }
            }
            for (slot, place) in (0u32..).zip(place) {
                self.order[place as usize % WIDTH] |= slot << (3 * k);
            }
        }
    }

    pub(crate) fn bounds(&self, slot: usize) -> Aabb {
        let corner = |side: usize| [0, 1, 2].map(|axis: usize| self.planes[axis][side][slot]).into();
        Aabb { min: corner(0), max: corner(1) }
    }

    /// The box around all children.
    pub(crate) fn whole(&self) -> Aabb {
        let low = |axis: usize| self.planes[axis][0].iter().copied().fold(f32::INFINITY, f32::min);
        let high = |axis: usize| self.planes[axis][1].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Aabb { min: [low(0), low(1), low(2)].into(), max: [high(0), high(1), high(2)].into() }
    }

    /// The whole node as numbers, the planes first.
    #[inline(always)]
    pub(crate) fn floats(&self) -> &[f32; 64] {
        bytemuck::cast_ref(self)
    }

    /// Where the planes of an axis begin in [`floats`](Self::floats): the lower ones, or the upper ones where `side` is 1.
    #[inline(always)]
    pub(crate) const fn row(axis: usize, side: u32) -> u32 {
        [0, 16, 32, 32][axis & 3] + 8 * side
    }

    /// Where the planes that rays of a class enter begin in [`floats`](Self::floats), along the renamed axes of
    /// [`RayNumbers`](crate::primitive::RayNumbers); those that are left are at `row ^ 8`.
    #[inline(always)]
    pub(crate) fn entered_rows(class: u32) -> [u32; 3] {
        ENTERED_ROWS[class as usize & 31]
    }

    /// The used slots.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, ChildRef)> + '_ {
        self.children.iter().copied().enumerate().filter(|&(_, child)| child != ChildRef::EMPTY)
    }
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

/// Where a child is: `0nnn…n` is the node with index `n`; `1ccc ffff…f` a leaf of `c + 1` items from `f` on;
/// all ones an empty slot.
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

    /// A leaf of 1 to [`LEAF_LIMIT`] items; the caller keeps `first + count < ITEM_LIMIT`.
    pub(crate) fn leaf(first: u32, count: u32) -> Self {
        debug_assert!((1..=LEAF_LIMIT).contains(&count) && first < Self::FIRST_MASK, "{count} from {first}");
        Self(Self::LEAF | (count - 1) << Self::FIRST_BITS | first)
    }

    /// What [`bits`](Self::bits) gave.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// For vectors of references.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// Index of the node, when it is one.
    #[inline(always)]
    pub(crate) fn node_index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is a leaf of several items.
    #[inline(always)]
    pub(crate) fn has_rest(self) -> bool {
        (self.0 >> Self::FIRST_BITS) & 7 != 0
    }

    /// A leaf of several items without the first.
    #[inline(always)]
    pub(crate) fn rest(self) -> Self {
        Self(self.0.wrapping_sub(1 << Self::FIRST_BITS).wrapping_add(1))
    }

    /// All ones when it is a leaf, else zero; and the leaf's first item, or 0 for an empty slot.
    #[inline(always)]
    pub(crate) fn masked(self) -> (usize, usize) {
        let leaf = 0usize.wrapping_sub((self.0 >> 31) as usize);
        let used = 0usize.wrapping_sub(usize::from(self.0 != Self::EMPTY.0));
        (leaf, (self.0 & Self::FIRST_MASK) as usize & used)
    }

    /// Items of the leaf, when it is one.
    #[inline(always)]
    pub(crate) fn items(self) -> Range<usize> {
        let first = (self.0 & Self::FIRST_MASK) as usize;
        first..first + ((self.0 >> Self::FIRST_BITS) & 7) as usize + 1
    }
}
