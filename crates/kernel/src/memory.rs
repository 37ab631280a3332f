//! How much memory a build needs at one time, and whether it may have it.
//!
//! While the tree grows: 32 bytes per reference, and at most two nodes of 32 bytes for each; while subtrees are reinserted, 76 for each node that there is, or none are. After that, at most: the
//! binary tree, and the finished wide one; or the latter, and what its orders of visits follow from.

use crate::builder::{BuildOptions, PrimRef, Quality};
use crate::error::BuildError;
use crate::layout::{Bvh2, Bvh2Node, Bvh8Node, ITEM_LIMIT, ORDERING, REINSERTING, count_items};
use crate::primitive::{LANES, TriangleBlock};

/// Bytes per reference while a tree grows.
const GROWING: usize = size_of::<PrimRef>() + 2 * size_of::<Bvh2Node>();

/// How many duplicates fit within the options' limits; an error when not even the tree without any does.
pub(crate) fn room_for_duplicates(triangles: usize, options: &BuildOptions) -> Result<usize, BuildError> {
    let wanted = match options.quality {
        Quality::Best => {
            let percent = options.duplicates_percent.min(400) as usize;
            (triangles * percent / 100).min(ITEM_LIMIT - 1 - triangles)
        }
        Quality::Fast | Quality::Balanced => 0,
    };
    let Some(limit) = options.memory_limit else { return Ok(wanted) };
    check(triangles * GROWING, limit)?;
    let affordable = usize::try_from(limit).unwrap_or(usize::MAX) / GROWING - triangles;
    Ok(wanted.min(affordable))
}

/// Whether subtrees can be reinserted: beside the references there are nodes that know their parents, and ordinary ones, or
/// what their layout follows from.
pub(crate) fn has_room_for_reinsertion(refs: usize, nodes: usize, limit: Option<u64>) -> bool {
    let of_node = size_of::<Bvh2Node>() + REINSERTING;
    limit.is_none_or(|limit| (refs * size_of::<PrimRef>() + nodes * of_node) as u64 <= limit)
}

/// Whether the finished tree can be made beside the binary one.
pub(crate) fn check_layout(bvh2: &Bvh2, options: &BuildOptions) -> Result<(), BuildError> {
    let Some(limit) = options.memory_limit else { return Ok(()) };
    let (nodes, blocks) = count_items(bvh2, LANES);
    // Blocks are packed when the binary tree is gone, and put in order when their lists are.
    let lists = blocks * LANES * size_of::<u32>();
    let binary = size_of_val(&*bvh2.nodes) + size_of_val(&*bvh2.prims);
    let packed = blocks * size_of::<TriangleBlock>();
    let beside = (lists + binary.max(packed)).max(packed + nodes * ORDERING);
    check(nodes * size_of::<Bvh8Node>() + beside, limit)
}

fn check(needed: usize, limit: u64) -> Result<(), BuildError> {
    let needed = needed as u64;
    if needed > limit { Err(BuildError::MemoryLimit { needed, limit }) } else { Ok(()) }
}
