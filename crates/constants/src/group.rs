//! Threads of GPU kernels, and what groups of them share out.

/// Threads of a group.
pub const GROUP: u32 = 64;
/// Threads of a group of those kernels whose rays begin where beams enter the trees, or are put in order.
pub const WALKERS: u32 = 2 * GROUP;
/// Any hits that a thread looks for where rays are put in order: they are found so soon that to begin a group is a part of their time.
pub const ORDERED_ANY_SHARE: u32 = 2;
/// Rows of pixels whose shadow rays a group traces together.
pub const SHADOW_ROWS: u32 = 4;
/// Threads of such a group.
pub const FOUR_ROWS: u32 = SHADOW_ROWS * GROUP;
/// Threads that find together where a beam enters the trees.
pub const QUAD: u32 = 4;
/// Keys that a group sorts together.
pub const SORT_BLOCK: u32 = 2 * GROUP;
