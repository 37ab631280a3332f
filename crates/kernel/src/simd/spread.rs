//! Broadcast of one lane within each group of four.

use fearless_simd::{Simd, SimdBase, f32x16, u8x64};

/// Broadcasts lane `lane % 4` of each group of four lanes to all lanes of the group.
#[inline(always)]
pub(crate) fn spread<S: Simd>(simd: S, source: f32x16<S>, lane: usize) -> f32x16<S> {
    source.swizzle_dyn_within_blocks(u8x64::from_slice(simd, &BYTES[lane & 3]))
}

/// `BYTES[lane]`: indices of the source bytes for [`spread`].
const BYTES: [[u8; 64]; 4] = {
    let mut bytes = [[0; 64]; 4];
    let mut lane = 0;
    while lane < 4 {
        let mut i = 0;
        while i < 64 {
            bytes[lane][i] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15][4 * lane + i % 4];
            i += 1;
        }
        lane += 1;
    }
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn all_levels_spread_alike() {
        let source: [f32; 16] = std::array::from_fn(|i| i as f32 - 7.5);
        for level in [Level::fallback(), Level::new()] {
            for lane in 0..4 {
                let spread = dispatch!(level, simd => {
                    spread(simd, f32x16::load_array(simd, source), lane).to_array()
                });
                assert_eq!(spread, std::array::from_fn(|i| source[i / 4 * 4 + lane]), "{level:?}, {lane}");
            }
        }
    }
}
