//! Histograms of luminance.

/// Bits of an f32 below its exponent and the first three of its fraction, which number the bins: eight to an octave.
pub const LUMINANCE_SHIFT: u32 = 20;
/// Bins for all finite numbers from 0 on.
pub const LUMINANCE_BINS: u32 = 0x7f80_0000 >> LUMINANCE_SHIFT;
/// Two to the power of this many parts has a bin, by which a mean within it is reckoned: sums of parts of 16 million pixels fit into a word.
pub const LUMINANCE_PART_BITS: u32 = 8;
