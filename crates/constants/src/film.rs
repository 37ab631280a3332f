//! Histograms of luminance.

/// Number of low bits of an f32 that are dropped from the index of its bin, which consists of the exponent and the
/// first three bits of the fraction: eight bins per octave.
pub const LUMINANCE_SHIFT: u32 = 20;
/// Number of bins for all finite numbers from 0 on.
pub const LUMINANCE_BINS: u32 = 0x7f80_0000 >> LUMINANCE_SHIFT;
/// Logarithm to base 2 of the number of parts of a bin by which positions within the bin are measured: the sum over 16
/// million pixels fits into 32 bits.
pub const LUMINANCE_PART_BITS: u32 = 8;
