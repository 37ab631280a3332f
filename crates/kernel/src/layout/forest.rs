//! The cheapest way to lay a binary tree out as a wide one: dynamic programming, bottom-up [Ylitie17, §3.1].
//!
//! A subtree can hang below a wide node as a *forest* of up to eight roots, each a child slot. Its cost is the surface
//! area heuristic's: area × cost of a visit, summed over nodes and blocks of leaves. What is cheapest for n roots
//! follows from what is cheapest for fewer in both children; builders compute it on the way back up, [`choose`] for a
//! tree that is there. (The paper's leaves hold up to three triangles; ours blocks, up to `max_leaf` primitives.)

use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, f32x8, u32x8};

use super::bvh2::Bvh2Node;

/// Most children of a wide node, one for each lane.
const ROOTS: usize = 8;

/// The prices of the surface area heuristic for wide nodes with up to `WIDTH` children, at most eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices<const WIDTH: usize = ROOTS> {
    /// A visit of a wide node, in tests of a block.
    pub(crate) node: f32,
    /// 2 to this power primitives are tested at the price of one.
    pub(crate) block_log2: u32,
    /// Most primitives in a leaf.
    pub(crate) max_leaf: usize,
}

impl<const WIDTH: usize> Prices<WIDTH> {
    /// Blocks that some references fill.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "callers limit the references to 2^28")]
    pub(crate) fn blocks(&self, refs: usize) -> f32 {
        // From i32: there is an instruction for it.
        ((refs + (1 << self.block_log2) - 1) >> self.block_log2) as i32 as f32
    }
}

/// The cost of a subtree as up to 1, 2, … 8 roots, and how many references it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forest {
    cost: [f32; ROOTS],
    refs: usize,
}

impl Forest {
    /// A leaf with a box of this area.
    #[inline]
    pub(crate) fn leaf<const WIDTH: usize>(area: f32, refs: usize, prices: &Prices<WIDTH>) -> Self {
        Self { cost: [area * prices.blocks(refs); ROOTS], refs }
    }

    /// A node over two subtrees.
    #[inline(always)]
    pub(crate) fn join<S: Simd, const WIDTH: usize>(
        simd: S,
        area: f32,
        left: &Self,
        right: &Self,
        prices: &Prices<WIDTH>,
    ) -> (Self, Choice) {
        let refs = left.refs + right.refs;
        // For each number of roots the cheapest share, `k` of them to the left; the first of equal cost wins.
        let none = f32x8::splat(simd, f32::INFINITY);
        let right = f32x8::load_array_ref(simd, &right.cost);
        // `[k - 1]`: what the other roots cost on the right
        let rights = [
            none.slide::<7>(right),
            none.slide::<6>(right),
            none.slide::<5>(right),
            none.slide::<4>(right),
            none.slide::<3>(right),
            none.slide::<2>(right),
            none.slide::<1>(right),
        ];
        let mut cost = none;
        let mut share = u32x8::splat(simd, 0);
        for (k, right) in (1..).zip(rights) {
            let sum = f32x8::splat(simd, left.cost[k - 1]) + right;
            let better = sum.simd_lt(cost);
            cost = better.select(sum, cost);
            share = better.select(u32x8::load_array_ref(simd, &SHARES[k]), share);
        }
        // Where fewer roots are as good, the bits stay 0. (More are never worse.) Deep in a tree sums hide what more bring:
        // the last of eight are not missed, but narrower nodes take as many as they can.
        let fewer = none.slide::<7>(cost);
        let many = cost[WIDTH - 1];
        let share =
            if WIDTH < ROOTS { share } else { cost.simd_lt(fewer).select(share, u32x8::splat(simd, 0)) };
        let mut bits = share.to_array().into_iter().fold(0, |bits, share| bits | share);
        // Costs that are not numbers (boxes too large) still need an answer.
        bits |= u32::from(bits & 7 == 0);

        // One root: a node or a leaf
        let node = area * prices.node + many;
        let leaf = area * prices.blocks(refs);
        let is_leaf = refs <= prices.max_leaf && leaf <= node;
        let one = if is_leaf { leaf } else { node };
        // Up to how many roots one is cheaper
        let cheaper = f32x8::splat(simd, one).simd_le(cost);
        let single = cheaper.to_bitmask().count_ones();
        let mut cost = cheaper.select(f32x8::splat(simd, one), cost).to_array();
        cost[0] = one;
        bits |= u32::from(is_leaf) << Choice::LEAF_SHIFT | single.saturating_sub(1) << Choice::SINGLE_SHIFT;
        (Self { cost, refs }, Choice(bits))
    }
}

/// Notes in each inner node how it is best laid out, when all else is there.
///
/// * `area` — half of the area of the box of a node, by its index.
pub(crate) fn choose<const WIDTH: usize>(
    nodes: &mut [Bvh2Node],
    prices: &Prices<WIDTH>,
    area: impl Fn(&[Bvh2Node], usize) -> f32,
) {
    dispatch!(Level::new(), simd => choose_with(simd, nodes, prices, area));
}

#[inline(always)]
fn choose_with<S: Simd, const WIDTH: usize>(
    simd: S,
    nodes: &mut [Bvh2Node],
    prices: &Prices<WIDTH>,
    area: impl Fn(&[Bvh2Node], usize) -> f32,
) {
    let mut forests = vec![Forest::leaf(0.0, 0, prices); nodes.len()];
    for at in (0..nodes.len()).rev() {
        let area = area(nodes, at);
        forests[at] = match nodes[at].children() {
            Some(children) => {
                let [left, right] = children.map(|child| &forests[child as usize]);
                let (forest, choice) = Forest::join(simd, area, left, right, prices);
                nodes[at] = Bvh2Node::inner(nodes[at].bounds, children[0], choice);
                forest
            }
            None => Forest::leaf(area, nodes[at].leaf_range().map_or(0, |(_, count)| count as usize), prices),
        };
    }
}

/// `SHARES[k]` are the bits of a [`Choice`] that gives `k` roots to the left, for 1 to 8 roots.
const SHARES: [[u32; ROOTS]; ROOTS] = {
    let mut shares = [[0; ROOTS]; ROOTS];
    let mut k = 1u32;
    while (k as usize) < ROOTS {
        let mut roots = 2;
        while roots <= ROOTS {
            shares[k as usize][roots - 1] = k << Choice::shift(roots);
            roots += 1;
        }
        k += 1;
    }
    shares
};

/// How an inner node becomes roots. 25 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice(u32);

impl Choice {
    /// Of a node for which nothing has been chosen yet.
    pub(crate) const NONE: Self = Self(0);
    const SINGLE_SHIFT: usize = 21;
    const LEAF_SHIFT: usize = 24;
    const MASK: u32 = (1 << 25) - 1;

    /// Three bits per number of roots from 2 on.
    const fn shift(roots: usize) -> usize {
        3 * (roots - 2)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits & Self::MASK)
    }

    /// Whether as one root it is a leaf.
    #[inline]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 >> Self::LEAF_SHIFT & 1 != 0
    }

    /// Whether one root is better than up to `roots`.
    #[inline]
    pub(crate) fn prefers_one(self, roots: usize) -> bool {
        roots <= (self.0 >> Self::SINGLE_SHIFT & 7) as usize + 1
    }

    /// How many of 2 to 8 roots the left child and the right one get.
    #[inline]
    pub(crate) fn share(self, roots: usize) -> [usize; 2] {
        let mut roots = roots.clamp(2, ROOTS);
        loop {
            let left = (self.0 >> Self::shift(roots) & 7) as usize;
            if left > 0 {
                return [left, roots - left];
            }
            if roots == 2 {
                return [1, 1];
            }
            roots -= 1;
        }
    }
}
