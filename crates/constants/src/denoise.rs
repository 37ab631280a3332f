//! Denoising.

/// Added to albedos, so that black surfaces and the background can be divided by them too.
pub const LEAST_ALBEDO: f32 = 0.02;

/// Width and height of the blocks whose luminances are averaged to find the exposure of an image.
pub const METERING_BLOCK_EDGE: u32 = 16;
/// Number of pixels of such a block.
pub const METERING_BLOCK_PIXELS: u32 = METERING_BLOCK_EDGE * METERING_BLOCK_EDGE;
/// Luminance of blocks that count as black.
pub const BLACK_LUMINANCE: f32 = 1e-8;
/// Geometric mean of the luminances of the blocks after scaling.
pub const MIDDLE_GREY: f32 = 0.18;
/// Irradiance beyond which its logarithm would overflow.
pub const MOST_IRRADIANCE: f32 = 1e30;
/// Smallest logarithm of the weight of a pixel as a neighbour.
pub const LEAST_CONFIDENCE: f32 = -12.0;
/// Largest logarithm of the weight of a pixel as a neighbour.
pub const MOST_CONFIDENCE: f32 = 4.0;

/// Width, in pixels, of the part of an image that a workgroup convolves.
pub const TILE_WIDTH: u32 = 32;
/// Height, in pixels, of the part of an image that a workgroup convolves.
pub const TILE_HEIGHT: u32 = 8;
/// Number of output channels that a workgroup computes.
pub const TILE_CHANNELS: u32 = 32;
/// Number of threads of a workgroup that convolves: each computes four channels of 8×2 pixels.
pub const CONVOLUTION_THREADS: u32 = TILE_WIDTH * TILE_HEIGHT / 16 * TILE_CHANNELS / 4;
/// Number of input channels that a workgroup holds in shared memory.
pub const INPUT_CHUNK: u32 = 4;
/// Width and height, in pixels, of the part of an image that a workgroup filters, one thread for each.
pub const FILTER_EDGE: u32 = 8;
/// Number of vectors of four outputs of a head: 25 taps, the blend weight, and two that are not used.
pub const HEAD_VECTORS: u32 = 7;
