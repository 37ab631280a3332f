//! Counter-based random numbers: pure functions that map counters to uniforms.

use sunfleck_math::{Vec2, vec2};

/// Returns a hash of four counters; each of its words depends on all of them [Jarzynski20, PCG4D]. A bijection.
///
/// Intended for small counters: the upper bits of a counter affect fewer bits of the words than its lower 16 bits do.
#[inline(always)]
pub const fn pcg4d([x, y, z, w]: [u32; 4]) -> [u32; 4] {
    let [mut x, mut y, mut z, mut w] = [lcg_step(x), lcg_step(y), lcg_step(z), lcg_step(w)];
    // Mix the words twice; in between, mix the upper bits of each word into its lower bits
    let mut round = 0;
    while round < 2 {
        x = x.wrapping_add(y.wrapping_mul(w));
        y = y.wrapping_add(z.wrapping_mul(x));
        z = z.wrapping_add(x.wrapping_mul(y));
        w = w.wrapping_add(y.wrapping_mul(z));
        if round == 0 {
            [x, y, z, w] = [x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)];
        }
        round += 1;
    }
    [x, y, z, w]
}

/// Returns the next state of a linear congruential generator with the constants of [Press92, §7.1].
#[inline(always)]
const fn lcg_step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// Returns a hash of one counter [Jarzynski20, PCG]. A bijection.
#[inline(always)]
pub const fn pcg(counter: u32) -> u32 {
    let state = counter.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    word ^ (word >> 22)
}

/// Returns the upper 24 bits divided by 2²⁴, in [0, `ONE_MINUS_EPSILON`]. The conversion is exact.
#[inline(always)]
pub const fn unit_f32(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Returns a uniform in [0, 1) for four counters.
#[inline(always)]
pub const fn uniform(counters: [u32; 4]) -> f32 {
    unit_f32(pcg4d(counters)[0])
}

/// Returns two independent uniforms in [0, 1) for four counters; the first is [`uniform`].
#[inline(always)]
pub const fn uniform_2d(counters: [u32; 4]) -> Vec2 {
    let [x, y, ..] = pcg4d(counters);
    vec2(unit_f32(x), unit_f32(y))
}

#[cfg(test)]
mod tests {
    use sunfleck_math::float::ONE_MINUS_EPSILON;
    use sunfleck_testkit::chi2;

    use super::*;

    #[test]
    fn floats_span_the_unit_interval() {
        assert_eq!(unit_f32(0), 0.0, "the smallest");
        assert_eq!(unit_f32(u32::MAX), ONE_MINUS_EPSILON, "the largest");
        assert_eq!(unit_f32(1 << 31), 0.5, "the middle");
    }

    #[test]
    fn pcg4d_is_a_bijection() {
        // Inverts each step of the hash
        let inverse_lcg_step = |x: u32| x.wrapping_sub(1_013_904_223).wrapping_mul(4_276_115_653);
        for i in 0..10_000_u32 {
            let counters = [i, i.wrapping_mul(0x9e37_79b9), !i, i << 16];
            let [mut x, mut y, mut z, mut w] = pcg4d(counters);
            for round in 0..2 {
                w = w.wrapping_sub(y.wrapping_mul(z));
                z = z.wrapping_sub(x.wrapping_mul(y));
                y = y.wrapping_sub(z.wrapping_mul(x));
                x = x.wrapping_sub(y.wrapping_mul(w));
                if round == 0 {
                    [x, y, z, w] = [x, y, z, w].map(|v| v ^ (v >> 16));
                }
            }
            assert_eq!([x, y, z, w].map(inverse_lcg_step), counters);
        }
    }

    #[test]
    fn each_bit_of_each_counter_flips_half_of_the_bits() {
        const TRIALS: u32 = 2_000;
        for bit in 0..128 {
            let mut flipped = 0;
            for i in 0..TRIALS {
                let mut counters = [i, 7, 1_000 + i, 3];
                let before = pcg4d(counters);
                counters[bit / 32] ^= 1 << (bit % 32);
                let after = pcg4d(counters);
                flipped += (0..4).map(|word| (before[word] ^ after[word]).count_ones()).sum::<u32>();
            }
            let fraction = f64::from(flipped) / f64::from(TRIALS * 128);
            // Carries propagate only to higher bits, so the upper bits of a counter affect fewer bits.
            let expected = if bit % 32 < 17 { 0.48..0.52 } else { 0.2..0.52 };
            assert!(expected.contains(&fraction), "bit {bit} flips {fraction}");
        }
    }

    #[test]
    fn each_bit_of_a_counter_flips_half_of_the_bits() {
        const TRIALS: u32 = 2_000;
        for bit in 0..32 {
            let flipped: u32 = (0..TRIALS).map(|i| (pcg(i) ^ pcg(i ^ (1 << bit))).count_ones()).sum();
            let fraction = f64::from(flipped) / f64::from(TRIALS * 32);
            assert!((0.48..0.52).contains(&fraction), "bit {bit} flips {fraction}");
        }
    }

    #[test]
    fn consecutive_counters_are_independent() {
        let counter = std::cell::Cell::new(0_u32);
        let next = || unit_f32(pcg(counter.replace(counter.get() + 1)));
        chi2::unit_square(|_: f32| vec2(next(), next()), |_| 1.0).tests(8).check("two uniforms");
    }

    /// Tests pairs of uniforms whose counters differ in one axis, such as those of neighbouring pixels.
    #[test]
    fn neighbours_are_independent() {
        for axis in 0..4 {
            let counter = std::cell::Cell::new(0_u32);
            let pair = |_: f32| {
                let i = counter.replace(counter.get() + 1);
                let mut counters = [i % 640, i / 640, 3, 5];
                let first = uniform(counters);
                counters[axis] += 1_000;
                vec2(first, uniform(counters))
            };
            chi2::unit_square(pair, |_| 1.0).tests(8).check("two uniforms");
            counter.set(0);
            let both = |_: f32| {
                let i = counter.replace(counter.get() + 1);
                let mut counters = [1, 2, 3, 5];
                counters[axis] = i;
                uniform_2d(counters)
            };
            chi2::unit_square(both, |_| 1.0).tests(8).check("both uniforms");
        }
    }
}
