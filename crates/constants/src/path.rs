//! Limits of path tracing in waves.

/// Largest probability with which paths survive Russian roulette.
pub const MOST_SURVIVAL: f32 = 0.95;

/// Bits of the number of a path's next vertex; the higher bits count the panes of thin glass among its vertices.
pub const VERTEX_BITS: u32 = 18;

/// Largest number of mirrors and glass surfaces that the features of a camera ray are followed through.
pub const MOST_FOLLOWED: u32 = 8;

/// Logarithm to base 2 of the edge of a block of pixels.
pub const BLOCK_BITS: u32 = 3;
/// Edge of a block, in pixels.
pub const BLOCK_EDGE: u32 = 1 << BLOCK_BITS;
/// Number of pixels of a block.
pub const BLOCK: u32 = BLOCK_EDGE * BLOCK_EDGE;

/// Largest number of jobs that have paths in flight.
pub const SECTIONS: u32 = 16;
/// Number of kinds of hits that paths are sorted by.
pub const KINDS: u32 = 8;

/// Index, among the dispatch sizes of a step, of that for shadow rays.
pub const SHADOW_SIZE: u32 = 0;
/// Index of the dispatch size for the film.
pub const FILM_SIZE: u32 = 1;
/// Index of the dispatch size for camera rays.
pub const GENERATE_SIZE: u32 = 2;
/// Index of the dispatch size for all live paths.
pub const LIVE_SIZE: u32 = 3;
/// Index of the dispatch size for sorting.
pub const SORT_SIZE: u32 = 4;
/// Number of dispatch sizes.
pub const SIZES: u32 = 5;
