//! Permutation of sixteen lanes by a vector of indices.

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::{Simd, SimdBase, f32x16, u32x16};

/// Returns `source[index[i] % 16]` in lane `i`; bits are unchanged.
#[inline(always)]
pub(crate) fn permute16<S: Simd>(simd: S, source: f32x16<S>, index: u32x16<S>) -> f32x16<S> {
    match simd.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(avx512) => x86::in_avx512(avx512, source.to_array(), index.to_array(), simd),
        _ => {
            let (source, index) = (source.to_array(), index.to_array());
            f32x16::load_array(simd, index.map(|i| source[i as usize & 15]))
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{__m512, __m512i, _mm512_permutexvar_ps};

    use fearless_simd::{Avx512, Simd, SimdBase, SimdInto, f32x16, u32x16};

    #[inline(always)]
    pub(super) fn in_avx512<S: Simd>(
        avx512: Avx512,
        source: [f32; 16],
        index: [u32; 16],
        simd: S,
    ) -> f32x16<S> {
        let (source, index) = (f32x16::load_array(avx512, source), u32x16::load_array(avx512, index));
        let moved: f32x16<Avx512> = permute_avx512(avx512, source.into(), index.into()).simd_into(avx512);
        f32x16::load_array(simd, moved.to_array())
    }

    fearless_simd::kernel!(
        #[inline(always)]
        fn permute_avx512(_avx512: Avx512, source: __m512, index: __m512i) -> __m512 {
            _mm512_permutexvar_ps(index, source)
        }
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn all_levels_permute_alike() {
        let source: [f32; 16] = std::array::from_fn(|i| i as f32 - 7.5);
        let index: [u32; 16] = [3, 10, 17, 24, 31, 38, 5, 12, 19, 26, 33, 0, 7, 14, 21, 28];
        for level in [Level::fallback(), Level::new()] {
            let moved = dispatch!(level, simd => {
                let (source, index) = (f32x16::load_array(simd, source), u32x16::load_array(simd, index));
                permute16(simd, source, index).to_array()
            });
            assert_eq!(moved, index.map(|i| source[i as usize % 16]), "{level:?}");
        }
    }
}
