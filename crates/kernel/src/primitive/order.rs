use fearless_simd::{Select, Simd, SimdBase};

/// `b` where it is smaller, else `a`: the same for NaNs and signed zeros on every level (as `minps b, a`).
#[inline(always)]
pub(super) fn min<S: Simd, V: SimdBase<S>>(a: V, b: V) -> V {
    b.simd_lt(a).select(b, a)
}

/// `b` where it is larger, else `a`.
#[inline(always)]
pub(super) fn max<S: Simd, V: SimdBase<S>>(a: V, b: V) -> V {
    b.simd_gt(a).select(b, a)
}
