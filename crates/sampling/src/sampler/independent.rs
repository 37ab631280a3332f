use crate::rng;

/// Returns two independent hashes of the counters.
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    let [first, second, ..] = rng::pcg4d([x, y, sample, stream]);
    [first, second]
}
