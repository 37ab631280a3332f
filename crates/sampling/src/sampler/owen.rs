//! Owen scrambling by hashing [Laine11], [Burley20].

/// Owen-scrambles a number in units of 2⁻³² whose bits are in reverse order.
///
/// Whether a bit is flipped depends on the bits *below* it and on the seed. Flips for different seeds are independent
/// if the bits of the seeds are random. A hash in which each bit affects only higher bits is such a scramble [Laine11],
/// [Burley20]. The constants are those of [Vegdahl21], with which flips depend on more bits than with those of the
/// papers.
#[inline(always)]
pub(super) const fn scramble_reversed(bits: u32, seed: u32) -> u32 {
    // Multiplication by odd numbers, addition, and exclusive or with an even multiple: all are bijections in which a
    // bit affects only itself and higher bits.
    let mut x = bits;
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::pcg4d;

    proptest! {
        #[test]
        fn flips_depend_only_on_lower_bits(x: u32, seed: u32, bit in 0u32..32) {
            let changed = scramble_reversed(x, seed) ^ scramble_reversed(x ^ (1 << bit), seed);
            prop_assert_eq!(changed.trailing_zeros(), bit, "lower bits stay, this bit flips");
        }
    }

    /// Tests that every node of the tree of prefixes is flipped by half of the seeds, independently of its sibling.
    #[test]
    fn flips_are_fair_and_independent() {
        const SEEDS: u32 = 4_000;
        let seeds = || (0..SEEDS).map(|i| pcg4d([i, 1, 2, 3])[0]);
        let flips = |prefix: u32, bit: u32, seed: u32| (scramble_reversed(prefix, seed) ^ prefix) >> bit & 1;
        // Five standard deviations of a fair coin
        let tolerance = 5.0 * 0.5 / f64::from(SEEDS).sqrt();
        for bit in 0..8 {
            for prefix in 0..1 << bit {
                let flipped = seeds().map(|seed| flips(prefix, bit, seed)).sum::<u32>();
                let frequency = f64::from(flipped) / f64::from(SEEDS);
                assert!(
                    (frequency - 0.5).abs() < tolerance,
                    "bit {bit} after {prefix:b} flips at {frequency}"
                );
                // The prefixes of siblings differ only in their last bit, `bit - 1`.
                if bit > 0 {
                    let sibling = prefix ^ (1 << (bit - 1));
                    let agree = seeds().filter(|&s| flips(prefix, bit, s) == flips(sibling, bit, s)).count();
                    let agree = agree as f64 / f64::from(SEEDS);
                    assert!(
                        (agree - 0.5).abs() < 0.1,
                        "bit {bit} after {prefix:b} and {sibling:b} agree with frequency {agree}"
                    );
                }
            }
        }
    }
}
