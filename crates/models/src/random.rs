/// Counter-based random number generator: the n-th number is a function of (key, n) alone [Steele14].
///
/// Every object gets a stream of its own by [`Random::fork`], so the numbers that one object draws do not affect
/// another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    key: u64,
    draw_count: u64,
}

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        Self { key: mix(u64::from(seed)), draw_count: 0 }
    }

    /// Returns the stream with the given index.
    pub(crate) fn fork(&self, stream: u32) -> Self {
        Self { key: mix(self.key ^ mix(u64::from(stream) | 1 << 32)), draw_count: 0 }
    }

    /// Returns a uniform number in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.draw_count += 1;
        // The upper 24 bits are exact in an f32.
        (mix(self.key.wrapping_add(self.draw_count.wrapping_mul(GOLDEN))) >> 40) as f32 / (1 << 24) as f32
    }

    /// Returns a uniform number in [least, most).
    pub(crate) fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.unit()
    }

    /// Returns a uniform number in (-size, size).
    pub(crate) fn around_zero(&mut self, size: f32) -> f32 {
        self.between(-size, size)
    }

    /// Returns one of `0..count` with equal probability.
    pub(crate) fn below(&mut self, count: u32) -> u32 {
        floor_to_u32(self.unit() * count as f32).min(count.saturating_sub(1))
    }

    /// Returns one of the items with equal probability; there must be at least one.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        #[allow(clippy::cast_possible_truncation, reason = "slices are short")]
        let count = items.len() as u32;
        items[self.below(count) as usize]
    }
}

/// Returns the integer part of a non-negative number, such as the cell that contains a coordinate.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and truncation is intended"
)]
pub(crate) fn floor_to_u32(x: f32) -> u32 {
    x as u32
}

/// 2⁶⁴ / golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Finalizer of `SplitMix64`, a bijection of 64 bits: Stafford's Mix13 [Steele14].
pub(crate) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_sequence() {
        // The first outputs of SplitMix64 for seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64")
        let state = |n: u64| 1_234_567u64.wrapping_add(n.wrapping_mul(GOLDEN));
        assert_eq!([mix(state(0)), mix(state(1))], [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn uniform_and_independent() {
        let mut random = Random::new(7).fork(3);
        let numbers: Vec<f32> = (0..10_000).map(|_| random.unit()).collect();
        let mean = numbers.iter().sum::<f32>() / 1e4;
        let neighbours = numbers.windows(2).map(|p| (p[0] - 0.5) * (p[1] - 0.5)).sum::<f32>() / 1e4;
        // Standard deviations: 1/√12/100 = 0.0029 and 1/12/100 = 0.0008
        assert!((mean - 0.5).abs() < 0.012 && neighbours.abs() < 0.0034, "{mean}, {neighbours}");
        assert!(numbers.iter().all(|u| (0.0..1.0).contains(u)), "in range");
        assert!(Random::new(7).fork(4).unit() != Random::new(7).fork(3).unit(), "streams differ");
    }
}
