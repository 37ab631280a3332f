//! Permutation of eight lanes by a vector of indices.

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::{Simd, SimdBase, f32x8, u32x8};

/// Returns `source[index[i] % 8]` in lane `i`; bits are unchanged.
#[inline(always)]
pub(crate) fn permute<S: Simd>(simd: S, source: f32x8<S>, index: u32x8<S>) -> f32x8<S> {
    match simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(avx512) => x86::in_avx512(avx512, source.to_array(), index.to_array(), simd),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(avx2) => x86::in_avx2(avx2, source.to_array(), index.to_array(), simd),
        _ => portable(simd, source, index),
    }
}

#[inline(always)]
fn portable<S: Simd>(simd: S, source: f32x8<S>, index: u32x8<S>) -> f32x8<S> {
    let (source, index) = (source.to_array(), index.to_array());
    f32x8::load_array(simd, index.map(|i| source[i as usize & 7]))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{__m256, __m256i, _mm256_permutevar8x32_ps};

    use fearless_simd::{Avx2, Avx512, Simd, SimdBase, SimdInto, f32x8, u32x8};

    #[inline(always)]
    pub(super) fn in_avx512<S: Simd>(avx512: Avx512, source: [f32; 8], index: [u32; 8], simd: S) -> f32x8<S> {
        let (source, index) = (f32x8::load_array(avx512, source), u32x8::load_array(avx512, index));
        let moved: f32x8<Avx512> = permute_avx512(avx512, source.into(), index.into()).simd_into(avx512);
        f32x8::load_array(simd, moved.to_array())
    }

    #[inline(always)]
    pub(super) fn in_avx2<S: Simd>(avx2: Avx2, source: [f32; 8], index: [u32; 8], simd: S) -> f32x8<S> {
        let (source, index) = (f32x8::load_array(avx2, source), u32x8::load_array(avx2, index));
        let moved: f32x8<Avx2> = permute_avx2(avx2, source.into(), index.into()).simd_into(avx2);
        f32x8::load_array(simd, moved.to_array())
    }

    fearless_simd::kernel!(
        #[inline(always)]
        fn permute_avx512(_avx512: Avx512, source: __m256, index: __m256i) -> __m256 {
            _mm256_permutevar8x32_ps(source, index)
        }
    );

    fearless_simd::kernel!(
        #[inline(always)]
        fn permute_avx2(_avx2: Avx2, source: __m256, index: __m256i) -> __m256 {
            _mm256_permutevar8x32_ps(source, index)
        }
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn all_levels_permute_alike() {
        let source: [f32; 8] = [1.0, -2.0, f32::NAN, -0.0, 5.0, f32::INFINITY, 7.0, 1e-40];
        let index = [7, 8 + 2, 0, 5, 5, 16 + 3, 2, 1];
        let expected = [7, 2, 0, 5, 5, 3, 2, 1].map(|i: usize| source[i].to_bits());
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let narrow = best.as_avx2().map(Level::Avx2);
        #[cfg(not(target_arch = "x86_64"))]
        let narrow = None;
        for level in [Some(Level::fallback()), narrow, Some(best)].into_iter().flatten() {
            let moved = dispatch!(level, simd => {
                let (source, index) = (f32x8::load_array(simd, source), u32x8::load_array(simd, index));
                permute(simd, source, index).to_array()
            });
            assert_eq!(moved.map(f32::to_bits), expected, "{level:?}");
        }
    }
}
