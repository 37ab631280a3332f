use sunfleck_constants::sampling::{BLUE_NOISE_SEED, PIXEL_BITS, PIXEL_MASK, SAMPLE_MASK, TILE_BITS};

use super::owen::scramble_reversed;
use crate::rng;

/// Points that fill the square evenly both along the samples of a pixel and across the pixels of any aligned square, so that the
/// errors of neighbours cancel.
///
/// As [Ahmed20] we number pixels along the Z-order curve and let one low-discrepancy sequence run through them. In contrast
/// to that paper the number of samples per pixel need not be known beforehand. Take the base-4 digits of a pixel's place, most
/// significant first, and after them those of the sample, least significant first, as coefficients of a polynomial f
/// over the field of four elements; x and y are the digits of f expanded around 1 and around α [Niederreiter87]. Of f are
/// known: its last coefficients if it is among the first 4^k samples, its first ones in a square of 4^j pixels, and d
/// and k + j - d coefficients around 1 and α in an elementary interval of area 4^-(k+j): as many roots, counted with ∞, as
/// f has coefficients, so exactly one f fits. So 4^k samples of 4^j pixels are a (0, k + j, 2)-net in base 4.
///
/// Places, samples and axes are then Owen-scrambled, each tile and stream by its own seeds, which keeps nets.
#[inline(always)]
pub(super) fn pair([x, y]: [u32; 2], sample: u32, stream: u32) -> [u32; 2] {
    let tile = (x >> TILE_BITS) | ((y >> TILE_BITS) << 16);
    // When its numbers are used up, a tile begins again with other seeds
    let repetition = sample >> (32 - PIXEL_BITS);
    let [shuffle_place, shuffle_sample, scramble_x, scramble_y] =
        rng::pcg4d([tile, repetition, stream, BLUE_NOISE_SEED]);

    // Both numbers reversed, as scrambling wants them; the place stays so, the sample is turned back
    let place = scramble_reversed(morton(x, y).reverse_bits() >> (32 - PIXEL_BITS), shuffle_place);
    let sample = scramble_reversed((sample << PIXEL_BITS).reverse_bits(), shuffle_sample);
    let coefficients = (place & PIXEL_MASK) | ((sample & SAMPLE_MASK).reverse_bits());

    // Reversed, too: the value at 1 or α, which is the first digit, stands lowest
    let around_one = pascal(coefficients);
    let around_alpha = pascal(times_powers_of_alpha(coefficients));
    [
        scramble_reversed(around_one, scramble_x).reverse_bits(),
        scramble_reversed(around_alpha, scramble_y).reverse_bits(),
    ]
}

/// The coefficients of f(z + 1) for those of f(z): the sum over c of C(c, i) times coefficient c. By Lucas' theorem C(c, i) is
/// odd if the bits of c contain those of i, so a sum for each of the four bits of c does it. Addition of digits is exclusive or.
#[inline(always)]
const fn pascal(mut digits: u32) -> u32 {
    digits ^= (digits & 0xcccc_cccc) >> 2;
    digits ^= (digits & 0xf0f0_f0f0) >> 4;
    digits ^= (digits & 0xff00_ff00) >> 8;
    digits ^ (digits >> 16)
}

/// The coefficients of f(αz) for those of f(z): digit c times α^c, where α³ = 1. Expanding this around 1 is to expand f around α
/// but for factors α^-i of the digits, which permute intervals and change no net.
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

/// Each digit b₁α + b₀ times α: as α² = α + 1, that is (b₁ + b₀)α + b₁.
#[inline(always)]
const fn times_alpha(digits: u32) -> u32 {
    let (high, low) = ((digits >> 1) & 0x5555_5555, digits & 0x5555_5555);
    ((high ^ low) << 1) | high
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
    fn long_runs_do_not_repeat() {
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
            // Horner's scheme at 1, again and again: each pass leaves the next coefficient of the expansion
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
