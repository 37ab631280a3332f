/// Random numbers for placing things: the n-th is a function of (key, n) alone [Steele14].
///
/// Things get their own stream by [`Random::fork`], so what one of them draws does not change another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    key: u64,
    drawn: u64,
}

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        Self { key: mix(u64::from(seed)), drawn: 0 }
    }

    /// The stream of the thing with that number.
    pub(crate) fn fork(&self, thing: u32) -> Self {
        Self { key: mix(self.key ^ mix(u64::from(thing) | 1 << 32)), drawn: 0 }
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.drawn += 1;
        // The upper 24 bits are exact in an f32.
        (mix(self.key.wrapping_add(self.drawn.wrapping_mul(GOLDEN))) >> 40) as f32 / (1 << 24) as f32
    }

    /// In [least, most).
    pub(crate) fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.unit()
    }

    /// In (-size, size).
    pub(crate) fn around_zero(&mut self, size: f32) -> f32 {
        self.between(-size, size)
    }

    /// One of `0..count`.
    pub(crate) fn below(&mut self, count: u32) -> u32 {
        whole(self.unit() * count as f32).min(count.saturating_sub(1))
    }

    /// One of some things, of which there is at least one.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        #[allow(clippy::cast_possible_truncation, reason = "a handful of things")]
        let count = things.len() as u32;
        things[self.below(count) as usize]
    }
}

/// The whole part of a number that is not negative: which of many cells a place is in.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and the whole part is meant"
)]
pub(crate) fn whole(x: f32) -> u32 {
    x as u32
}

/// 2⁶⁴ / golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64 bits that looks random (Stafford's Mix13, as in [Steele14]).
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
