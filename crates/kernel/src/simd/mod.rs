//! What the portable vectors lack, in raw instructions where a level has them, each with its portable twin.

mod bits;
mod permute;
mod permute16;
mod prefetch;
mod spread;

pub(crate) use bits::bits;
pub(crate) use permute::permute;
pub(crate) use permute16::permute16;
pub(crate) use prefetch::Start;
pub(crate) use spread::spread;
