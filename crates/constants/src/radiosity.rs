//! Light stored on surfaces.

/// Number of threads that compute rows of the matrix of form factors together.
pub const SWEEP_GROUP: u32 = 256;
/// Number of rows that a workgroup computes.
pub const SWEEP_ROWS: u32 = 4;
/// Number of threads that build several levels of the pyramid of a block of texels together.
pub const PYRAMID_GROUP: u32 = 256;
/// Binary logarithm of the width of that block in texels, and number of levels that are built from it.
pub const PYRAMID_LEVELS: u32 = 5;

/// Stands for the shapes of an instance of triangles.
pub const NO_SHAPES: u32 = 0xffff_ffff;
