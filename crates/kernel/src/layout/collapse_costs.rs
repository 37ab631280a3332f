//! Optimal collapse of a binary tree into a wide one, by dynamic programming from the leaves up [Ylitie17, §3.1].
//!
//! A subtree can be represented below a wide node by a forest of up to eight roots, each of which takes a child slot.
//! Its cost is that of the surface area heuristic: area × cost of a visit, summed over nodes and blocks of leaves. The
//! minimal cost for n roots follows from the minimal costs for fewer roots in both children. Builders compute it while
//! they return from the recursion, [`decide_collapse`] for a finished tree. (Leaves of the paper hold up to three
//! triangles; here they hold blocks of up to `max_leaf` primitives.)

use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, f32x8, u32x8};

use super::bvh2::Bvh2Node;

/// Maximum number of children of a wide node, one for each SIMD lane.
const ROOTS: usize = 8;

/// Costs of the surface area heuristic for wide nodes with up to `WIDTH` ≤ 8 children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostModel<const WIDTH: usize = ROOTS> {
    /// Cost of visiting a wide node, in units of the cost of testing a block.
    pub(crate) node: f32,
    /// Base-2 logarithm of the number of primitives in a block, which are tested together.
    pub(crate) block_log2: u32,
    /// Maximum number of primitives in a leaf.
    pub(crate) max_leaf: usize,
}

impl<const WIDTH: usize> CostModel<WIDTH> {
    /// Returns the number of blocks that `refs` references fill.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "callers limit the references to 2^28")]
    pub(crate) fn blocks(&self, refs: usize) -> f32 {
        // i32 converts to f32 in one instruction.
        ((refs + (1 << self.block_log2) - 1) >> self.block_log2) as i32 as f32
    }
}

/// Minimal SAH costs of a subtree that is represented by at most 1, 2, … 8 roots, and its number of references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollapseCosts {
    cost: [f32; ROOTS],
    refs: usize,
}

impl CollapseCosts {
    /// Returns the costs of a leaf whose box has this area.
    #[inline]
    pub(crate) fn leaf<const WIDTH: usize>(area: f32, refs: usize, cost_model: &CostModel<WIDTH>) -> Self {
        Self { cost: [area * cost_model.blocks(refs); ROOTS], refs }
    }

    /// Returns the costs of the parent of two subtrees, and the decisions that lead to them.
    #[inline(always)]
    pub(crate) fn join<S: Simd, const WIDTH: usize>(
        simd: S,
        area: f32,
        left: &Self,
        right: &Self,
        cost_model: &CostModel<WIDTH>,
    ) -> (Self, CollapseDecision) {
        let refs = left.refs + right.refs;
        // For each number of roots, the cheapest distribution with `k` roots on the left; ties go to the smallest `k`.
        let none = f32x8::splat(simd, f32::INFINITY);
        let right = f32x8::load_array_ref(simd, &right.cost);
        // `rights[k - 1]`: costs of the remaining roots on the right
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
        // For eight-wide nodes, the bits stay 0 where one root fewer costs the same (more roots never cost more).
        // Rounding of the sums can hide the gain of another root, which hardly matters there. Narrower nodes always
        // take as many roots as they can.
        let fewer = none.slide::<7>(cost);
        let many = cost[WIDTH - 1];
        let share =
            if WIDTH < ROOTS { share } else { cost.simd_lt(fewer).select(share, u32x8::splat(simd, 0)) };
        let mut bits = share.to_array().into_iter().fold(0, |bits, share| bits | share);
        // Costs are NaN if boxes are too large; a valid decision is needed nevertheless.
        bits |= u32::from(bits & 7 == 0);

        // One root: either a node or a leaf
        let node = area * cost_model.node + many;
        let leaf = area * cost_model.blocks(refs);
        let is_leaf = refs <= cost_model.max_leaf && leaf <= node;
        let one = if is_leaf { leaf } else { node };
        // Maximum number of roots for which a single root is not more expensive
        let cheaper = f32x8::splat(simd, one).simd_le(cost);
        let single = cheaper.to_bitmask().count_ones();
        let mut cost = cheaper.select(f32x8::splat(simd, one), cost).to_array();
        cost[0] = one;
        bits |= u32::from(is_leaf) << CollapseDecision::LEAF_SHIFT
            | single.saturating_sub(1) << CollapseDecision::SINGLE_SHIFT;
        (Self { cost, refs }, CollapseDecision(bits))
    }
}

/// Computes the collapse decisions of all inner nodes of a finished tree and stores them in the nodes.
///
/// * `area` — returns half of the surface area of a node's box, given its index.
pub(crate) fn decide_collapse<const WIDTH: usize>(
    nodes: &mut [Bvh2Node],
    cost_model: &CostModel<WIDTH>,
    area: impl Fn(&[Bvh2Node], usize) -> f32,
) {
    dispatch!(Level::new(), simd => decide_collapse_with(simd, nodes, cost_model, area));
}

#[inline(always)]
fn decide_collapse_with<S: Simd, const WIDTH: usize>(
    simd: S,
    nodes: &mut [Bvh2Node],
    cost_model: &CostModel<WIDTH>,
    area: impl Fn(&[Bvh2Node], usize) -> f32,
) {
    let mut table = vec![CollapseCosts::leaf(0.0, 0, cost_model); nodes.len()];
    for at in (0..nodes.len()).rev() {
        let area = area(nodes, at);
        table[at] = match nodes[at].children() {
            Some(children) => {
                let [left, right] = children.map(|child| &table[child as usize]);
                let (costs, decision) = CollapseCosts::join(simd, area, left, right, cost_model);
                nodes[at] = Bvh2Node::inner(nodes[at].bounds, children[0], decision);
                costs
            }
            None => CollapseCosts::leaf(
                area,
                nodes[at].leaf_range().map_or(0, |(_, count)| count as usize),
                cost_model,
            ),
        };
    }
}

/// `SHARES[k]` are the bits of a [`CollapseDecision`] that gives `k` roots to the left child, for 1 to 8 roots in all.
const SHARES: [[u32; ROOTS]; ROOTS] = {
    let mut shares = [[0; ROOTS]; ROOTS];
    let mut k = 1u32;
    while (k as usize) < ROOTS {
        let mut roots = 2;
        while roots <= ROOTS {
            shares[k as usize][roots - 1] = k << CollapseDecision::shift(roots);
            roots += 1;
        }
        k += 1;
    }
    shares
};

/// Decisions of how an inner node is represented by 1 to 8 roots. 25 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CollapseDecision(u32);

impl CollapseDecision {
    /// Decisions of a node for which they have not been computed yet.
    pub(crate) const NONE: Self = Self(0);
    const SINGLE_SHIFT: usize = 21;
    const LEAF_SHIFT: usize = 24;
    const MASK: u32 = (1 << 25) - 1;

    /// Returns the position of the bits for a number of roots: three bits each, from two roots on.
    const fn shift(roots: usize) -> usize {
        3 * (roots - 2)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits & Self::MASK)
    }

    /// Returns whether the node is a leaf when it is represented by one root.
    #[inline]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 >> Self::LEAF_SHIFT & 1 != 0
    }

    /// Returns whether one root costs no more than up to `roots` roots.
    #[inline]
    pub(crate) fn prefers_one(self, roots: usize) -> bool {
        roots <= (self.0 >> Self::SINGLE_SHIFT & 7) as usize + 1
    }

    /// Returns how many of `roots` roots (2 to 8) the left and the right child get.
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
