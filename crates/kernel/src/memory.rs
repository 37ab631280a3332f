//! Peak memory of a build, compared with [`BuildOptions::memory_limit`].
//!
//! Building the binary tree takes 32 bytes per reference and at most two nodes of 32 bytes per reference. Reinsertion
//! takes 76 bytes per node; it is skipped if they are not available. The layout then takes at most the binary tree and
//! the finished wide tree, or the wide tree and the estimates from which its traversal orders are computed.

use crate::builder::{BuildOptions, PrimRef, Quality};
use crate::error::BuildError;
use crate::layout::{Bvh2, Bvh2Node, Bvh8Node, ITEM_LIMIT, ORDERING_BYTES, REINSERTION_BYTES, count_items};
use crate::primitive::{LANES, TriangleBlock};

/// Bytes per reference while the binary tree is built.
const BUILD_BYTES_PER_REF: usize = size_of::<PrimRef>() + 2 * size_of::<Bvh2Node>();

/// Returns how many duplicate references of spatial splits fit within the limits of the options.
///
/// # Errors
/// [`BuildError::MemoryLimit`] if not even a tree without duplicates fits.
pub(crate) fn duplicate_capacity(triangles: usize, options: &BuildOptions) -> Result<usize, BuildError> {
    let wanted = match options.quality {
        Quality::Best => {
            let percent = options.duplicates_percent.min(400) as usize;
            (triangles * percent / 100).min(ITEM_LIMIT - 1 - triangles)
        }
        Quality::Fast | Quality::Balanced => 0,
    };
    let Some(limit) = options.memory_limit else { return Ok(wanted) };
    check(triangles * BUILD_BYTES_PER_REF, limit)?;
    let affordable = usize::try_from(limit).unwrap_or(usize::MAX) / BUILD_BYTES_PER_REF - triangles;
    Ok(wanted.min(affordable))
}

/// Returns whether reinsertion fits into the limit. Its peak memory holds the references, the nodes, and a copy of the
/// nodes with links to their parents (later the collapse costs).
pub(crate) fn has_room_for_reinsertion(refs: usize, nodes: usize, limit: Option<u64>) -> bool {
    let bytes_per_node = size_of::<Bvh2Node>() + REINSERTION_BYTES;
    limit.is_none_or(|limit| (refs * size_of::<PrimRef>() + nodes * bytes_per_node) as u64 <= limit)
}

/// Checks that the wide tree fits into the limit, beside the binary tree that it is collapsed from.
///
/// # Errors
/// [`BuildError::MemoryLimit`].
pub(crate) fn check_layout(bvh2: &Bvh2, options: &BuildOptions) -> Result<(), BuildError> {
    let Some(limit) = options.memory_limit else { return Ok(()) };
    let (nodes, blocks) = count_items(bvh2, LANES);
    // Blocks are packed after the binary tree has been freed; traversal orders are computed after the lists have been
    // freed.
    let lists = blocks * LANES * size_of::<u32>();
    let binary = size_of_val(&*bvh2.nodes) + size_of_val(&*bvh2.prims);
    let packed = blocks * size_of::<TriangleBlock>();
    let beside = (lists + binary.max(packed)).max(packed + nodes * ORDERING_BYTES);
    check(nodes * size_of::<Bvh8Node>() + beside, limit)
}

fn check(needed: usize, limit: u64) -> Result<(), BuildError> {
    let needed = needed as u64;
    if needed > limit { Err(BuildError::MemoryLimit { needed, limit }) } else { Ok(()) }
}
