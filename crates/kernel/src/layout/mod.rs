//! Trees and how nodes are laid out: one pipeline, from what the builders make to what rays walk.
//!
//! ```text
//!  builder ─► Bvh2 ─► reinsertion ─► choose, 8 ─► collapse ─► Bvh8 ─► occlusion ─► rays on the processor
//!                                                              │
//!     ┌───────────────────────────── pairs ◄───────────────────┘
//!     └─────► Bvh2 ─► reinsertion ─► choose, 4 ─► bvh4 ─► Bvh4 ─────────────────► rays on the GPU
//! ```
//!
//! * [`bvh2`]: the canonical binary tree, which all else is made from and of which all is a function.
//! * [`reinsertion`]: subtrees taken out and put back where they cost least.
//! * [`forest`]: which binary nodes become wide ones, and which subtrees one leaf. [`collapse`] follows the choice.
//! * [`bvh8`]: eight children in structure of arrays; [`occlusion`] finds the order in which any hits visit them.
//! * [`pairs`]: a wide tree cut in two again, with leaves of one item or two ([`couples`]).
//! * [`bvh4`]: four children side by side, by [`odds`] of a hit; [`crown`] says where instances of it may be entered.
//!
//! The GPU's tree begins with the wide one, since that is what a bottom level keeps and what refits move. Its leaves, one for up to 32 triangles, are taken apart, and
//! so triangles with a common edge meet that the builder's leaves of four would have kept apart; inner nodes of the binary tree that were opened are not missed, as
//! reinsertion finds better ones.
//!
//! Everything is decided by one model, the surface area heuristic: a ray that meets a box meets one within it with a
//! probability of the ratio of their areas, so that a tree costs
//!
//! ```text
//!  Σ inner nodes  area × node  +  Σ leaves  area × blocks      (over the area of the root)
//! ```
//!
//! | step | node | block |
//! |---|---|---|
//! | builders, `choose, 8` | [`traversal_cost`](crate::BuildOptions::traversal_cost) | four triangles, one of other primitives |
//! | `pairs` | – | one triangle, one instance |
//! | `choose, 4` | `NODE_PRICE` | one triangle, one instance |
//! | reinsertion | 1 | leaves stay as they are |
//!
//! Areas are [`Aabb::half_area`](sunfleck_math::Aabb::half_area). Builders, which compare sides of one cut, take them in units of the node's or the tree's size instead
//! (`Lanes::half_area`), where none overflows or vanishes at any scale.

mod bvh2;
mod bvh4;
mod bvh8;
mod collapse;
mod couples;
mod crown;
mod forest;
mod measure;
mod occlusion;
mod odds;
mod pairs;
mod reinsertion;
mod validate;

pub(crate) use bvh2::{Bvh2, Bvh2Node, push_pair};
pub use bvh4::{Bvh4, Bvh4Content, Bvh4Entry, Bvh4Slot};
pub(crate) use bvh8::{Bvh8, Bvh8Node, ChildRef, ITEM_LIMIT, LEAF_LIMIT, WIDTH};
pub(crate) use collapse::{NODES_PER_TASK, collapse, count_items};
pub use crown::EntryPoints;
pub(crate) use crown::Largest;
#[cfg(test)]
pub(crate) use crown::Place;
pub(crate) use forest::{Choice, Forest, Prices, choose};
pub(crate) use occlusion::{ORDERING, Stops};
pub use odds::HitProbabilities;
pub(crate) use pairs::{Leaves, pairs};
pub(crate) use reinsertion::{REINSERTING, Reinsertion};

#[allow(clippy::cast_possible_truncation, reason = "callers limit the primitives to 2^28")]
pub(crate) fn index(i: usize) -> u32 {
    i as u32
}
