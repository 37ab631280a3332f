//! Samplers: functions from (seed, pixel, sample, dimension) to uniforms in [0, 1).

mod blue_noise;
mod independent;
mod owen;
mod sobol;

use std::fmt;
use std::str::FromStr;

use sunfleck_constants::sampling as constants;
use sunfleck_math::{Vec2, vec2};

use crate::rng;

/// Kind of sampler, which determines how the uniforms of an image are correlated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[repr(u32)]
pub enum SamplerKind {
    /// Independent uniforms, which converge slowest and whose error is easiest to analyse.
    Independent = constants::INDEPENDENT,
    /// Owen-scrambled Sobol sequence for each pixel [Burley20, shuffling], which converges fastest.
    #[default]
    Sobol = constants::SOBOL,
    /// Sequence of low discrepancy both in each pixel and across pixels [Ahmed20, Z-order]. Errors of neighbouring
    /// pixels cancel when the eye or a filter averages them, so that the noise looks finer. A single pixel converges
    /// slightly slower than with `Sobol`.
    BlueNoise = constants::BLUE_NOISE,
}

/// Error for a name that is not the name of a [`SamplerKind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown sampler '{0}'; the samplers are: independent, sobol, blue-noise")]
pub struct UnknownSampler(pub String);

impl SamplerKind {
    /// All kinds of samplers.
    pub const ALL: &'static [Self; 3] = &[Self::Independent, Self::Sobol, Self::BlueNoise];

    /// Returns the name that options and user interfaces use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Sobol => "sobol",
            Self::BlueNoise => "blue-noise",
        }
    }
}

impl fmt::Display for SamplerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SamplerKind {
    type Err = UnknownSampler;

    fn from_str(name: &str) -> Result<Self, UnknownSampler> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownSampler(name.to_owned()))
    }
}

/// Stateless source of all uniforms of an image: a function of (seed, pixel, sample, dimension).
///
/// * `pixel` — column and row.
/// * `sample` — index of the sample in its pixel, from 0; its uniforms do not depend on the number of samples.
/// * `dimension` — index of the random decision within the sample.
///
/// Dimensions form pairs (0, 1), (2, 3), …. The two dimensions of a pair are stratified together over the samples;
/// different pairs are independent (*padded*). Two-dimensional decisions therefore start at even dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    kind: SamplerKind,
    /// Hash of the seed, so that the streams of similar seeds are uncorrelated.
    key: u32,
}

impl Sampler {
    /// Returns a sampler of a kind; different seeds give different images.
    pub fn new(kind: SamplerKind, seed: u32) -> Self {
        Self { kind, key: rng::pcg4d([seed, 0, 0, 0])[0] }
    }

    /// Returns the kind of the sampler.
    pub fn kind(&self) -> SamplerKind {
        self.kind
    }

    /// Returns a uniform in [0, 1).
    #[inline(always)]
    pub fn get_1d(&self, pixel: [u32; 2], sample: u32, dimension: u32) -> f32 {
        let pair = self.pair(pixel, sample, dimension / 2);
        rng::unit_f32(if dimension.is_multiple_of(2) { pair[0] } else { pair[1] })
    }

    /// Returns the two uniforms in [0, 1) of `dimension` and `dimension + 1`, which are stratified together if
    /// `dimension` is even.
    #[inline(always)]
    pub fn get_2d(&self, pixel: [u32; 2], sample: u32, dimension: u32) -> Vec2 {
        if dimension.is_multiple_of(2) {
            let [x, y] = self.pair(pixel, sample, dimension / 2);
            vec2(rng::unit_f32(x), rng::unit_f32(y))
        } else {
            vec2(self.get_1d(pixel, sample, dimension), self.get_1d(pixel, sample, dimension.wrapping_add(1)))
        }
    }

    /// Fills `u` with the uniforms that [`get_2d`](Self::get_2d) returns for many samples, up to the length of the
    /// shortest slice. There is one loop for each kind, so that the compiler vectorises it.
    ///
    /// * `pixels` — columns and rows.
    /// * `dimension` — even.
    #[inline(always)]
    pub fn fill_2d(&self, pixels: [&[u32]; 2], samples: &[u32], dimension: u32, u: [&mut [f32]; 2]) {
        let stream = self.key ^ (dimension / 2);
        match self.kind {
            SamplerKind::Independent => {
                fill(
                    pixels,
                    samples,
                    u,
                    #[inline(always)]
                    |pixel, sample| independent::pair(pixel, sample, stream),
                );
            }
            SamplerKind::Sobol => fill(
                pixels,
                samples,
                u,
                #[inline(always)]
                |pixel, sample| sobol::pair(pixel, sample, stream),
            ),
            SamplerKind::BlueNoise => {
                fill(
                    pixels,
                    samples,
                    u,
                    #[inline(always)]
                    |pixel, sample| blue_noise::pair(pixel, sample, stream),
                );
            }
        }
    }

    /// Returns the uniforms of dimensions `2 * pair` and `2 * pair + 1` in units of 2⁻³².
    #[inline(always)]
    fn pair(&self, pixel: [u32; 2], sample: u32, pair: u32) -> [u32; 2] {
        // For each seed this is a bijection of `pair`, so different pairs have different streams.
        let stream = self.key ^ pair;
        match self.kind {
            SamplerKind::Independent => independent::pair(pixel, sample, stream),
            SamplerKind::Sobol => sobol::pair(pixel, sample, stream),
            SamplerKind::BlueNoise => blue_noise::pair(pixel, sample, stream),
        }
    }
}

#[inline(always)]
fn fill(
    [x, y]: [&[u32]; 2],
    samples: &[u32],
    [u, v]: [&mut [f32]; 2],
    pair: impl Fn([u32; 2], u32) -> [u32; 2],
) {
    let pixels = x.iter().zip(y).zip(samples);
    for (((&x, &y), &sample), (u, v)) in pixels.zip(u.iter_mut().zip(v)) {
        let bits = pair([x, y], sample);
        [*u, *v] = bits.map(rng::unit_f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &kind in SamplerKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let unknown = "halton".parse::<SamplerKind>().expect_err("not a sampler").to_string();
        assert!(SamplerKind::ALL.iter().all(|kind| unknown.contains(kind.name())), "{unknown}");
    }

    #[test]
    fn get_2d_agrees_with_get_1d() {
        for &kind in SamplerKind::ALL {
            let sampler = Sampler::new(kind, 11);
            for dimension in 0..9 {
                let both = sampler.get_2d([3, 4], 5, dimension);
                let each = [dimension, dimension + 1].map(|d| sampler.get_1d([3, 4], 5, d));
                assert_eq!(both.to_array(), each, "{kind}, dimension {dimension}");
            }
        }
    }

    #[test]
    fn fill_2d_agrees_with_get_2d() {
        let (x, y): (Vec<u32>, Vec<u32>) = (0..37).map(|i| (i * 7, 1000 - i)).unzip();
        let samples: Vec<u32> = (0..37).map(|i| i * i).collect();
        for &kind in SamplerKind::ALL {
            let sampler = Sampler::new(kind, 5);
            let (mut u, mut v) = ([0.0; 37], [0.0; 37]);
            sampler.fill_2d([&x, &y], &samples, 8, [&mut u, &mut v]);
            for i in 0..37 {
                assert_eq!(
                    vec2(u[i], v[i]),
                    sampler.get_2d([x[i], y[i]], samples[i], 8),
                    "{kind}, sample {i}"
                );
            }
        }
    }

    #[test]
    fn largest_counters_give_uniforms_in_range() {
        for &kind in SamplerKind::ALL {
            let u = Sampler::new(kind, u32::MAX).get_2d([u32::MAX; 2], u32::MAX, u32::MAX);
            assert!((0.0..1.0).contains(&u.x) && (0.0..1.0).contains(&u.y), "{kind}: {u}");
        }
    }
}
