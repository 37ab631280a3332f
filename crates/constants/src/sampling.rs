//! Constants of samplers, warps and tabulated distributions.

/// Kind of sampler: independent uniform random numbers.
pub const INDEPENDENT: u32 = 0;
/// Kind of sampler: the samples of a pixel are an Owen-scrambled Sobol sequence.
pub const SOBOL: u32 = 1;
/// Kind of sampler: low-discrepancy sequences both within each pixel and across pixels.
pub const BLUE_NOISE: u32 = 2;

/// Seed that separates blue noise from other random numbers.
pub const BLUE_NOISE_SEED: u32 = 0x626c_7565;
/// Logarithm to base 2 of the edge of the tiles in which samples of blue noise complement each other, in pixels.
pub const TILE_BITS: u32 = 8;
/// Number of bits of an index that are the number of a pixel in such a tile; the others are the number of the sample.
pub const PIXEL_BITS: u32 = 2 * TILE_BITS;
/// Mask of the bits of the pixel, which are the lowest ones.
pub const PIXEL_MASK: u32 = (1 << PIXEL_BITS) - 1;
/// Mask of the bits of the sample.
pub const SAMPLE_MASK: u32 = 0xffff_ffff >> PIXEL_BITS;

/// Solid angle (sr) below which triangles are sampled by area: that far away the difference is small, and rounding of
/// the unit vectors to the corners begins to show.
pub const LEAST_SOLID_ANGLE: f32 = 1e-5;
/// Relative margin of the cone in which the density of a direction is positive, so that rounding moves no sample
/// outside.
pub const CONE_MARGIN: f32 = 2e-6;

/// Relative distance that samples keep from the ends of a piece of a tabulated distribution: rounding must not move
/// them into the next piece, whose weight may be 0.
pub const INSET: f32 = 2.3841858e-7;

/// Number of cells of a reconstruction filter between its centre and its radius; the density within a cell is constant.
pub const FILTER_CELLS: u32 = 512;
