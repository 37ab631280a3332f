//! Paths that travel in waves.

/// Paths survive Russian roulette with this probability at most.
pub const MOST_SURVIVAL: f32 = 0.95;

/// Blocks of pixels have two to the power of this in width and in height.
pub const BLOCK_BITS: u32 = 3;
/// Pixels of a row and of a column of a block.
pub const BLOCK_EDGE: u32 = 1 << BLOCK_BITS;
/// Pixels of a block.
pub const BLOCK: u32 = BLOCK_EDGE * BLOCK_EDGE;

/// So many jobs may have paths in flight at most.
pub const SECTIONS: u32 = 16;
/// Kinds of hits that can be told apart for sorting.
pub const KINDS: u32 = 8;

/// Which of the sizes of a step's dispatches says how many threads shadow rays have.
pub const SHADOW_SIZE: u32 = 0;
/// How many the film has.
pub const FILM_SIZE: u32 = 1;
/// Camera rays.
pub const GENERATE_SIZE: u32 = 2;
/// All paths that travel.
pub const LIVE_SIZE: u32 = 3;
/// What sorts paths.
pub const SORT_SIZE: u32 = 4;
/// How many sizes there are.
pub const SIZES: u32 = 5;
