//! Conversion of masks to bits.

use fearless_simd::{Simd, SimdMask};

/// Returns the lanes of a mask, at most 32, as bits.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "no mask here has more than sixteen lanes")]
pub(crate) fn bits<S: Simd>(mask: impl SimdMask<S>) -> u32 {
    mask.to_bitmask() as u32
}
