//! Histograms of luminance.

/// Number of low bits of an f32 that the bins drop: its exponent and the first three bits of its fraction number the
/// bins, eight to an octave.
pub const LUMINANCE_SHIFT: u32 = 20;
/// Number of bins for all finite numbers from 0 on.
pub const LUMINANCE_BINS: u32 = 0x7f80_0000 >> LUMINANCE_SHIFT;
/// Logarithm to base 2 of the number of parts of a bin, in which the mean within the bin is measured: sums of the parts
/// of 16 million pixels fit into 32 bits.
pub const LUMINANCE_PART_BITS: u32 = 8;
