#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::{Select, Simd, SimdFloat};

/// `b` where it is smaller, else `a`: the same for NaNs and signed zeros on every level.
#[inline(always)]
pub(super) fn min<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if is_one_instruction(simd) { b.min(a) } else { b.simd_lt(a).select(b, a) }
}

/// `b` where it is larger, else `a`.
#[inline(always)]
pub(super) fn max<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if is_one_instruction(simd) { b.max(a) } else { b.simd_gt(a).select(b, a) }
}

/// `a b - c d`; see the twin in [`super::scalar`].
#[inline(always)]
pub(super) fn difference<S: Simd, V: SimdFloat<S>>(a: V, b: V, c: V, d: V) -> V {
    let cd = c * d;
    a.mul_sub_precise(b, cd) - c.mul_sub_precise(d, cd)
}

/// Whether minimum and maximum of this level are `minps` and `maxps`, which are defined in this very way.
#[inline(always)]
fn is_one_instruction<S: Simd>(simd: S) -> bool {
    match simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Sse2(_) | Level::Sse4_2(_) | Level::Avx2(_) | Level::Avx512(_) => true,
        _ => false,
    }
}
