use sunfleck_math::{Vec2, Vec3, Vec4};

/// Generator of independent uniform random numbers [Steele14, `SplitMix64`].
///
/// It is independent of the crate `sampling`, whose generators are tested with it.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Makes a generator with the given seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a uniform number in [0, 1), a multiple of 2⁻²⁴ as returned by the samplers of the renderer.
    pub fn next_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / 16_777_216.0
    }

    /// Returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

/// Random numbers that a sample function takes as its argument: one or more uniform numbers in [0, 1).
pub trait Uniforms {
    /// Draws the numbers.
    fn draw(random: &mut Random) -> Self;
}

impl Uniforms for f32 {
    fn draw(random: &mut Random) -> Self {
        random.next_f32()
    }
}

impl Uniforms for Vec2 {
    fn draw(random: &mut Random) -> Self {
        Self::from_array(Uniforms::draw(random))
    }
}

impl Uniforms for Vec3 {
    fn draw(random: &mut Random) -> Self {
        Self::from_array(Uniforms::draw(random))
    }
}

impl Uniforms for Vec4 {
    fn draw(random: &mut Random) -> Self {
        Self::from_array(Uniforms::draw(random))
    }
}

impl<const N: usize> Uniforms for [f32; N] {
    fn draw(random: &mut Random) -> Self {
        std::array::from_fn(|_| random.next_f32())
    }
}

/// Pairs such as `(f32, Vec2)`: one number to choose the lobe, and two for the direction.
impl<A: Uniforms, B: Uniforms> Uniforms for (A, B) {
    fn draw(random: &mut Random) -> Self {
        (A::draw(random), B::draw(random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_sequence() {
        // First outputs for seed 1234567 in the reference implementation's documentation
        // (prng.di.unimi.it/splitmix64.c; the values are on rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64)
        let mut random = Random::new(1_234_567);
        let first = [random.next_u64(), random.next_u64(), random.next_u64()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn floats_are_below_one() {
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            assert!((0.0..1.0).contains(&random.next_f32()), "f32");
            assert!((0.0..1.0).contains(&random.next_f64()), "f64");
        }
    }
}
