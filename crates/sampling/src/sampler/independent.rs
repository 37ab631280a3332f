//! Sampler of independent uniforms.

use crate::rng;

/// Returns two independent random words for a pixel, sample and stream.
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    let [first, second, ..] = rng::pcg4d([x, y, sample, stream]);
    [first, second]
}
