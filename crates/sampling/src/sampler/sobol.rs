//! Sampler of Owen-scrambled Sobol sequences [Burley20].

use super::owen::scramble_reversed;
use crate::rng;

/// Returns a point of the two-dimensional Sobol sequence, which is shuffled and Owen-scrambled independently for each
/// pixel and stream [Burley20].
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    scrambled(sample, rng::pcg4d([x, y, stream, 0x736f_626f]))
}

/// Returns the scrambled point of an index. The words are the seeds of the shuffling of indices and of the scrambling
/// of each axis.
///
/// Shuffling is Owen scrambling of the index: it maps every aligned block of 2^k indices onto another such block, and
/// the points of each block are a (0, k, 2)-net. Therefore every prefix of 2^k samples is a net, too, in another order.
#[inline(always)]
fn scrambled(index: u32, [shuffle, scramble_x, scramble_y, _]: [u32; 4]) -> [u32; 2] {
    let index = scramble_reversed(index.reverse_bits(), shuffle).reverse_bits();
    let [x, y] = reversed_point(index);
    [scramble_reversed(x, scramble_x).reverse_bits(), scramble_reversed(y, scramble_y).reverse_bits()]
}

/// Returns a point of the Sobol sequence in units of 2⁻³², with the bits of each coordinate in reverse order for
/// scrambling.
///
/// With the bits in reverse order, the generator matrix of the first axis, the van der Corput sequence, is the
/// identity, and that of the second axis is Pascal's triangle modulo 2 [Sobol67]. By Lucas' theorem, bit i is the sum
/// of all bits j such that the bits of j contain those of i. Five shifts compute these sums instead of up to 32 table
/// look-ups.
#[inline(always)]
const fn reversed_point(index: u32) -> [u32; 2] {
    let mut y = index;
    y ^= (y & 0xaaaa_aaaa) >> 1;
    y ^= (y & 0xcccc_cccc) >> 2;
    y ^= (y & 0xf0f0_f0f0) >> 4;
    y ^= (y & 0xff00_ff00) >> 8;
    y ^= y >> 16;
    [index, y]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_follow_from_the_direction_numbers() {
        // Second axis: primitive polynomial x + 1 and m_1 = 1, so m_k = 2 m_(k-1) ⊕ m_(k-1) [Bratley88]
        let mut directions = [1_u32 << 31; 32];
        for k in 1..32 {
            directions[k] = directions[k - 1] ^ (directions[k - 1] >> 1);
        }
        for index in (0..5_000_u32).chain((0..32).map(|k| 1 << k)).chain([u32::MAX, 0xdead_beef]) {
            let y = (0..32).filter(|k| index >> k & 1 == 1).fold(0, |y, k| y ^ directions[k as usize]);
            let point = reversed_point(index).map(u32::reverse_bits);
            assert_eq!(point, [index.reverse_bits(), y], "index {index}");
        }
    }

    #[test]
    fn first_points_are_the_published_ones() {
        // First eight points as commonly published, in natural order, in units of 1/8
        let eighths = |index| reversed_point(index).map(|axis| axis.reverse_bits() >> 29);
        let expected = [[0, 0], [4, 4], [2, 6], [6, 2], [1, 5], [5, 1], [3, 3], [7, 7]];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(eighths), expected);
    }
}
