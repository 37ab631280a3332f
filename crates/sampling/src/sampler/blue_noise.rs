//! Sampler of low discrepancy across pixels, whose errors are distributed as blue noise [Ahmed20].

use sunfleck_constants::sampling::{BLUE_NOISE_SEED, PIXEL_BITS, PIXEL_MASK, SAMPLE_MASK, TILE_BITS};

use super::owen::scramble_reversed;
use crate::rng;

/// Returns a point of a sequence that is of low discrepancy both over the samples of a pixel and over the pixels of
/// every aligned square, so that the errors of neighbouring pixels cancel.
///
/// As in [Ahmed20], pixels are numbered along the Z-order curve, and one low-discrepancy sequence runs through them. In
/// contrast to that paper, the number of samples per pixel need not be known in advance.
///
/// The base-4 digits of a pixel's Z-order index, most significant first, followed by those of the sample index, least
/// significant first, are the coefficients of a polynomial f over the field of four elements. The digits of x and y are
/// the coefficients of f expanded around 1 and around α [Niederreiter87]. The first 4^k samples fix the last
/// coefficients of f, a square of 4^j pixels fixes its first ones, and an elementary interval of area 4^-(k+j) fixes d
/// coefficients around 1 and k + j - d around α. Together these are as many conditions as f has coefficients.
/// They define a Hermite interpolation at 0, 1, α and ∞, which exactly one f satisfies. Therefore, 4^k
/// samples of 4^j pixels are a (0, k + j, 2)-net in base 4.
///
/// Z-order indices, sample indices and axes are Owen-scrambled with seeds that depend on the tile and stream, which
/// preserves nets.
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    let tile = (x >> TILE_BITS) | ((y >> TILE_BITS) << 16);
    // When all sample indices of a tile are used, the sequence starts again with other seeds.
    let repetition = sample >> (32 - PIXEL_BITS);
    let [shuffle_pixel, shuffle_sample, scramble_x, scramble_y] =
        rng::pcg4d([tile, repetition, stream, BLUE_NOISE_SEED]);

    // Scrambling needs bit-reversed indices. The index of the pixel stays reversed, that of the sample is reversed
    // back.
    let pixel = scramble_reversed(morton(x, y).reverse_bits() >> (32 - PIXEL_BITS), shuffle_pixel);
    let sample = scramble_reversed((sample << PIXEL_BITS).reverse_bits(), shuffle_sample);
    let coefficients = (pixel & PIXEL_MASK) | ((sample & SAMPLE_MASK).reverse_bits());

    // The expansions are bit-reversed, too: their first digit, the value of f at 1 or α, is in the lowest
    // bits.
    let around_one = pascal(coefficients);
    let around_alpha = pascal(times_powers_of_alpha(coefficients));
    [
        scramble_reversed(around_one, scramble_x).reverse_bits(),
        scramble_reversed(around_alpha, scramble_y).reverse_bits(),
    ]
}

/// Returns the coefficients of f(z + 1) from those of f(z), by Pascal's triangle modulo 2.
///
/// Coefficient i is the sum over c of C(c, i) times coefficient c. By Lucas' theorem, C(c, i) is odd if the bits of c
/// contain those of i, so one step for each of the four bits of c is enough. Addition of digits is exclusive or.
#[inline(always)]
const fn pascal(mut digits: u32) -> u32 {
    digits ^= (digits & 0xcccc_cccc) >> 2;
    digits ^= (digits & 0xf0f0_f0f0) >> 4;
    digits ^= (digits & 0xff00_ff00) >> 8;
    digits ^ (digits >> 16)
}

/// Returns the coefficients of f(αz) from those of f(z): digit c is multiplied by α^c, where α³ = 1.
///
/// Digit i of the expansion of f(αz) around 1 is α^i times digit i of the expansion of f around α. These
/// factors permute intervals and preserve nets.
#[inline(always)]
const fn times_powers_of_alpha(digits: u32) -> u32 {
    /// Digits 0, 3, 6, …
    const ZEROTH: u32 = 0xc30c_30c3;
    /// Digits 1, 4, 7, …
    const FIRST: u32 = 0x0c30_c30c;
    /// Digits 2, 5, 8, …
    const SECOND: u32 = 0x30c3_0c30;
    let alpha = times_alpha(digits);
    // α² = α + 1
    (digits & ZEROTH) | (alpha & FIRST) | ((digits ^ alpha) & SECOND)
}

/// Returns the digits multiplied by α: b₁α + b₀ becomes (b₁ + b₀)α + b₁, since α² = α + 1.
#[inline(always)]
const fn times_alpha(digits: u32) -> u32 {
    let (high, low) = ((digits >> 1) & 0x5555_5555, digits & 0x5555_5555);
    ((high ^ low) << 1) | high
}

/// Returns the index of a pixel on the Z-order curve (Morton order) of its tile: the interleaved bits of x and y.
#[inline(always)]
const fn morton(x: u32, y: u32) -> u32 {
    spread(x) | (spread(y) << 1)
}

/// Returns the low [`TILE_BITS`] bits of `x`, with a zero bit inserted above each.
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
        let mut indices: Vec<u32> = (0..65_536).map(|i| morton(i % 256, i / 256)).collect();
        assert_eq!(indices[..4], [0, 1, 4, 5], "along x");
        assert_eq!(indices[256], 2, "along y");
        indices.sort_unstable();
        assert!(indices.iter().enumerate().all(|(i, &index)| index as usize == i), "a permutation");
    }

    #[test]
    fn sequences_of_a_tile_do_not_repeat() {
        let [a, b, c] = [0, 65_536, 131_072].map(|sample| pair([3, 5], sample, 9));
        assert!(a != b && b != c && a != c, "{a:?}, {b:?}, {c:?}");
    }

    /// Multiplication table of the field of four elements 0, 1, α = 2, α + 1 = 3.
    const TIMES: [[u32; 4]; 4] = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];

    fn digit(digits: u32, i: u32) -> u32 {
        digits >> (2 * i) & 3
    }

    #[test]
    fn powers_of_alpha_follow_the_multiplication_table() {
        for digits in (0..1000).map(|i| rng::pcg4d([i, 0, 0, 0])[0]) {
            let mut power = 1;
            for i in 0..16 {
                let expected = TIMES[power as usize][digit(digits, i) as usize];
                assert_eq!(digit(times_powers_of_alpha(digits), i), expected, "digit {i} of {digits:x}");
                power = TIMES[power as usize][2];
            }
        }
    }

    #[test]
    fn pascal_is_repeated_synthetic_division() {
        for digits in (0..1000).map(|i| rng::pcg4d([i, 1, 0, 0])[0]) {
            // Horner's scheme at 1, repeatedly: each pass yields the next coefficient of the expansion.
            let mut f: Vec<u32> = (0..16).map(|i| digit(digits, i)).collect();
            for first in 0..16 {
                for i in (first..15).rev() {
                    f[i] ^= f[i + 1];
                }
            }
            for (i, coefficient) in (0..).zip(f) {
                assert_eq!(digit(pascal(digits), i), coefficient, "coefficient {i} of {digits:x}");
            }
        }
    }
}
