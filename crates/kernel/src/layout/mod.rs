//! Node layouts: plain `#[repr(C)]` arrays that refer to each other by index, converted from the canonical binary tree.

mod bvh8;
mod collapse;
mod couples;
mod crown;
mod measure;
mod occlusion;
mod pairs;
mod reinsert;
mod validate;

pub(crate) use bvh8::{Bvh8, Bvh8Node, ChildRef, ITEM_LIMIT, LEAF_LIMIT, WIDTH};
pub(crate) use collapse::{NODES_PER_TASK, collapse, count_items};
pub(crate) use crown::Largest;
pub use crown::{Crown, PairStart};
pub(crate) use occlusion::{ORDERING, Stops};
pub(crate) use pairs::{Leaves, pairs};
pub use pairs::{PairChild, PairNode, PairTree};
pub(crate) use reinsert::reinsert;
