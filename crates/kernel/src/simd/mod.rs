//! Vector operations that `fearless_simd` lacks: by intrinsics on SIMD levels that have them, else by portable code.

mod bits;
mod permute;
mod permute16;
mod prefetch;
mod spread;

pub(crate) use bits::bits;
pub(crate) use permute::permute;
pub(crate) use permute16::permute16;
pub(crate) use prefetch::PrefetchAddress;
pub(crate) use spread::spread;
