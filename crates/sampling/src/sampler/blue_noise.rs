use super::sobol;
use crate::rng;

/// Within squares of 2^`TILE_BITS` pixels in width, samples complete each other.
const TILE_BITS: u32 = 8;
/// Blocks of samples have 2^`MOST_BLOCK_BITS` at most: with the pixel's place in its tile they fill the 32 bits of an index.
const MOST_BLOCK_BITS: u32 = 32 - 2 * TILE_BITS;

/// A point of a Sobol sequence that runs through a tile along the Z-order curve, so that the samples of every small aligned
/// square of pixels are a net, too, and their errors cancel [Ahmed20, §3].
///
/// In contrast to the paper the number of samples per pixel need not be known beforehand, on which the stride along the curve
/// depends: samples are taken in blocks 1, 1, 2, 4, 8, …, and each block has a sequence of its own with the stride that fits. The
/// price is that the blocks of a pixel are nets, but not their union. Shuffling is base 2, not base 4: the same as in
/// `sobol.rs`, where the low bits of the index are the sample's and the higher ones the pixel's.
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    // Block 0 is sample 0; block b > 0 begins at 2^(b-1) and is as long as all before it
    let block = (32 - sample.leading_zeros()).min(MOST_BLOCK_BITS + 1);
    let block_bits = block.saturating_sub(1);
    let in_block = sample & ((1 << block_bits) - 1);
    // Beyond the last doubling, which long block it is
    let repetition = sample >> MOST_BLOCK_BITS;

    let index = (morton(x, y) << block_bits) | in_block;
    let tile = (x >> TILE_BITS) | ((y >> TILE_BITS) << 16);
    sobol::scrambled(index, rng::pcg4d([tile, block | (repetition << 8), stream, 0x626c_7565]))
}

/// Place of a pixel on the Z-order curve through its tile: the bits of x and y in turns.
#[inline(always)]
const fn morton(x: u32, y: u32) -> u32 {
    spread(x) | (spread(y) << 1)
}

/// The low [`TILE_BITS`] bits, with a gap after each.
#[inline(always)]
const fn spread(x: u32) -> u32 {
    let x = x & 0x00ff;
    let x = (x | (x << 4)) & 0x0f0f;
    let x = (x | (x << 2)) & 0x3333;
    (x | (x << 1)) & 0x5555
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_visits_each_pixel_of_a_tile_once() {
        let mut places: Vec<u32> = (0..65_536).map(|i| morton(i % 256, i / 256)).collect();
        assert_eq!(places[..4], [0, 1, 4, 5], "along x");
        assert_eq!(places[256], 2, "along y");
        places.sort_unstable();
        assert!(places.iter().enumerate().all(|(i, &place)| place as usize == i), "a permutation");
    }

    #[test]
    fn long_runs_repeat_no_block() {
        let [a, b, c] = [65_536, 131_072, 196_608].map(|sample| pair([3, 5], sample, 9));
        assert!(a != b && b != c && a != c, "{a:?}, {b:?}, {c:?}");
    }
}
