//! Tree layouts: one pipeline from the binary tree of the builders to the wide trees that rays traverse.
//!
//! ```text
//!  builder ─► Bvh2 ─► reinsertion ─► decide, 8 ─► collapse ─► Bvh8 ─► occlusion ─► traversal on the CPU
//!                                                              │
//!     ┌──────────────────────── bvh2_from_bvh8 ◄───────────────┘
//!     └─────► Bvh2 ─► reinsertion ─► decide, 4 ─► bvh4 ─► Bvh4 ─────────────────► traversal on the GPU
//! ```
//!
//! * [`bvh2`]: the canonical binary tree, from which all other layouts are computed.
//! * [`reinsertion`]: moves subtrees to where they lower the SAH cost.
//! * [`collapse_costs`]: decides which binary nodes become wide nodes and which subtrees become one leaf; [`collapse`]
//!   carries the decisions out.
//! * [`bvh8`]: nodes with eight children as structure of arrays; [`occlusion`] computes the order in which any-hit
//!   queries visit them.
//! * [`bvh2_from_bvh8`]: converts an eight-wide tree back to a binary one whose leaves hold one item or two
//!   ([`triangle_pairs`]).
//! * [`bvh4`]: nodes with four children side by side, ordered by [`hit_probability`]; [`entry_points`] lists the nodes
//!   from which instances of the tree may be entered.
//!
//! The GPU's tree is computed from the eight-wide one, since a BLAS keeps that one and refits update it. Leaves of up
//! to 32 triangles are taken apart, so that triangles with a common edge can be paired even if the builder's blocks of
//! four separate them. The inner nodes of the first binary tree are lost, but reinsertion finds better ones.
//!
//! All steps minimise one cost, the surface area heuristic: a ray that hits a box hits a box inside it with a
//! probability equal to the ratio of their surface areas. The cost of a tree is
//!
//! ```text
//!  Σ inner nodes  area × node  +  Σ leaves  area × blocks      (divided by the area of the root)
//! ```
//!
//! | step | node | block |
//! |---|---|---|
//! | builders, `decide, 8` | [`traversal_cost`] | four triangles, or one other primitive |
//! | `bvh2_from_bvh8` | – | one triangle, one instance |
//! | `decide, 4` | `NODE_COST` | one triangle, one instance |
//! | reinsertion | 1 | leaves are unchanged |
//!
//! Areas are [`Aabb::half_area`](sunfleck_math::Aabb::half_area). Builders compare the sides of one split and scale
//! lengths by the size of the node or tree first (`SimdAabb::half_area`), so that areas neither overflow nor underflow.
//!
//! [`traversal_cost`]: crate::BuildOptions::traversal_cost

mod bvh2;
mod bvh2_from_bvh8;
mod bvh4;
mod bvh8;
mod collapse;
mod collapse_costs;
mod entry_points;
mod hit_probability;
mod measure;
mod occlusion;
mod reinsertion;
mod triangle_pairs;
mod validate;

pub(crate) use bvh2::{Bvh2, Bvh2Node, push_pair};
pub(crate) use bvh2_from_bvh8::{LeafItems, bvh2_from_bvh8};
pub use bvh4::{Bvh4, Bvh4Content, Bvh4Entry, Bvh4Slot};
pub(crate) use bvh8::{Bvh8, Bvh8Node, ChildRef, ITEM_LIMIT, LEAF_LIMIT, WIDTH};
pub(crate) use collapse::{NODES_PER_TASK, collapse, count_items};
pub(crate) use collapse_costs::{CollapseCosts, CollapseDecision, CostModel, decide_collapse};
pub(crate) use entry_points::ByArea;
#[cfg(test)]
pub(crate) use entry_points::EntryPoint;
pub use entry_points::EntryPoints;
pub use hit_probability::HitProbabilities;
pub(crate) use occlusion::{LeafHitProbability, ORDERING_BYTES};
pub(crate) use reinsertion::{REINSERTION_BYTES, Reinsertion};

#[allow(clippy::cast_possible_truncation, reason = "callers limit the primitives to 2^28")]
pub(crate) fn index(i: usize) -> u32 {
    i as u32
}
