//! Samplers, warps, tabulated distributions.

/// Kind of a sampler: uniforms have nothing to do with each other.
pub const INDEPENDENT: u32 = 0;
/// Samples of a pixel are an Owen-scrambled Sobol sequence.
pub const SOBOL: u32 = 1;
/// Low-discrepancy sequences both in each pixel and across pixels.
pub const BLUE_NOISE: u32 = 2;

/// Tells the seeds of blue noise from others.
pub const BLUE_NOISE_SEED: u32 = 0x626c_7565;
/// Within squares of two to the power of this pixels in width, samples of blue noise complete each other.
pub const TILE_BITS: u32 = 8;
/// Bits of an index that number the pixels of such a tile; the others number the samples.
pub const PIXEL_BITS: u32 = 2 * TILE_BITS;
/// These bits, where they stand lowest.
pub const PIXEL_MASK: u32 = (1 << PIXEL_BITS) - 1;
/// The others.
pub const SAMPLE_MASK: u32 = 0xffff_ffff >> PIXEL_BITS;

/// Triangles of a smaller solid angle (sr) are sampled by area: seen from so far, that is nearly the same, and rounding of the unit vectors to the corners begins to show.
pub const LEAST_SOLID_ANGLE: f32 = 1e-5;
/// How much wider than its cone the density of a direction in a cone is positive, so that rounding carries no sample out of it.
pub const CONE_MARGIN: f32 = 2e-6;

/// How far to stay from the ends of a piece of a tabulated distribution, relative to the place: rounding must not carry a sample into the next piece, which may have no
/// weight.
pub const INSET: f32 = 2.3841858e-7;

/// Cells of a reconstruction filter between the centre and the radius; inside of one, the density is constant.
pub const FILTER_CELLS: u32 = 512;
