//! Sizes of GPU workgroups, and what their threads share.

/// Number of threads of a workgroup.
pub const GROUP: u32 = 64;
/// Number of threads of a workgroup of the kernels that trace rays from the entry points of beams, or in sorted order.
pub const WALKERS: u32 = 2 * GROUP;
/// Number of any-hit queries of a thread where rays are sorted: they take so little time that launching a workgroup is
/// a noticeable share of it.
pub const ORDERED_ANY_SHARE: u32 = 2;
/// Number of rows of 64 pixels whose shadow rays a workgroup traces together.
pub const SHADOW_ROWS: u32 = 4;
/// Number of threads of a workgroup that traces [`SHADOW_ROWS`] rows.
pub const FOUR_ROWS: u32 = SHADOW_ROWS * GROUP;
/// Number of threads that find the entry points of a beam together.
pub const QUAD: u32 = 4;
/// Number of keys that a workgroup sorts together.
pub const SORT_BLOCK: u32 = 2 * GROUP;
