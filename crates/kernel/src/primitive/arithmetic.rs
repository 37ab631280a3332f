//! Vector arithmetic with the same bits on every SIMD level.

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::{Select, Simd, SimdFloat};

/// Returns `b` in lanes where it is smaller, else `a`. NaNs and signed zeros give the same bits on every SIMD level.
#[inline(always)]
pub(super) fn min<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if is_one_instruction(simd) { b.min(a) } else { b.simd_lt(a).select(b, a) }
}

/// Returns `b` in lanes where it is larger, else `a`.
#[inline(always)]
pub(super) fn max<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if is_one_instruction(simd) { b.max(a) } else { b.simd_gt(a).select(b, a) }
}

/// Returns `a b - c d`, as the scalar function of the same name in [`super::scalar`].
#[inline(always)]
pub(super) fn difference<S: Simd, V: SimdFloat<S>>(a: V, b: V, c: V, d: V) -> V {
    let cd = c * d;
    a.mul_sub_precise(b, cd) - c.mul_sub_precise(d, cd)
}

/// Returns whether the level computes minimum and maximum by `minps` and `maxps`, which are defined like [`min`] and
/// [`max`].
#[inline(always)]
fn is_one_instruction<S: Simd>(simd: S) -> bool {
    match simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(_) | Level::Sse4_2(_) | Level::Avx2(_) | Level::Avx512(_) => true,
        _ => false,
    }
}
