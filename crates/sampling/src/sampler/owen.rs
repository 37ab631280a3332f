//! Owen scrambling by hashing [Laine11], [Burley20].

/// Owen-scrambles a fraction of 2³² whose bits are in reverse order: whether a bit is flipped depends on the bits
/// *below* it and on the seed. Flips of different seeds are independent if the bits of the seeds are random.
///
/// A hash in which each bit affects only higher bits is such a scramble [Laine11], [Burley20]. The constants are those
/// of [Vegdahl21], with which flips depend on more bits than with those of the papers.
#[inline(always)]
pub(super) const fn scramble_reversed(bits: u32, seed: u32) -> u32 {
    // Multiplication by odd numbers, addition, and exclusive or with an even multiple: all carry upward and are
    // bijections.
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
        fn each_bit_is_flipped_by_those_below_alone(x: u32, seed: u32, bit in 0u32..32) {
            let changed = scramble_reversed(x, seed) ^ scramble_reversed(x ^ (1 << bit), seed);
            prop_assert_eq!(changed.trailing_zeros(), bit, "bits below stay, this bit flips");
        }
    }

    /// Every node of the tree of prefixes flips for half of the seeds, and independently of its sibling.
    #[test]
    fn flips_are_fair_and_independent() {
        const SEEDS: u32 = 4_000;
        let seeds = || (0..SEEDS).map(|i| pcg4d([i, 1, 2, 3])[0]);
        let flips = |prefix: u32, bit: u32, seed: u32| (scramble_reversed(prefix, seed) ^ prefix) >> bit & 1;
        // Five standard deviations of a fair coin
        let tolerance = 5.0 * 0.5 / f64::from(SEEDS).sqrt();
        for bit in 0..8 {
            for prefix in 0..1 << bit {
                let share = seeds().map(|seed| flips(prefix, bit, seed)).sum::<u32>();
                let share = f64::from(share) / f64::from(SEEDS);
                assert!((share - 0.5).abs() < tolerance, "bit {bit} after {prefix:b} flips with {share}");
                // Against the node whose prefix differs in the bit just above it in the tree
                if bit > 0 {
                    let sibling = prefix ^ (1 << (bit - 1));
                    let agree = seeds().filter(|&s| flips(prefix, bit, s) == flips(sibling, bit, s)).count();
                    let agree = agree as f64 / f64::from(SEEDS);
                    assert!(
                        (agree - 0.5).abs() < 0.1,
                        "bit {bit} after {prefix:b} and {sibling:b} agree with {agree}"
                    );
                }
            }
        }
    }
}
