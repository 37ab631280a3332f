//! Random decisions about a point and a virtual point light: functions of seed, pixel, sample, number of previous
//! surfaces, and number of the VPL in its set.
//!
//! They do not depend on the positions of the two, since rounding differs from one device to another and would change
//! the decisions.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, u32x16};
use sunfleck_constants::igi::{ASKING, NO_FILM_ROW};
use sunfleck_sampling::rng::pcg4d;
use sunfleck_transport::AlphaSeed;
use sunfleck_transport::vectors::LANES;

use super::blocks::PointBlock;
use super::vpl::Vpl;
use crate::view::{SampleId, View};

/// Returns the counters from which [`seeds_of`] computes the seed of a point and the first VPL of its set. The next
/// VPLs have the next seeds.
///
/// * `bounce` — number of surfaces that the path of the sample hit before.
#[inline(always)]
pub(super) fn counters_of(view: &View<'_>, id: SampleId, bounce: u32) -> [u32; 4] {
    let [x, y] = id.pixel;
    [x, y, id.sample, view.spec.seed ^ ASKING ^ bounce]
}

/// Returns the seeds of sixteen points from their counters, indexed `[counter][point]`; written as a loop
/// that compilers vectorise.
#[inline(always)]
pub(super) fn seeds_of(counters: &[[u32; LANES]; 4]) -> [u32; LANES] {
    let [x, y, z, w] = counters;
    let mut seeds = [0; LANES];
    for lane in 0..LANES {
        seeds[lane] = pcg4d([x[lane], y[lane], z[lane], w[lane]])[0];
    }
    seeds
}

/// Returns the seeds of the pairs of a VPL and the points of a block.
#[inline(always)]
pub(super) fn seeds_of_pairs<S: Simd>(simd: S, block: &PointBlock, vpl: &Vpl) -> u32x16<S> {
    u32x16::load_array_ref(simd, &block.seeds) + u32x16::splat(simd, vpl.number)
}

/// Returns a uniform random number in [0, 1) for each seed: `unit_f32(pcg(seed))`.
#[inline(always)]
pub(super) fn uniforms<S: Simd>(simd: S, seeds: u32x16<S>) -> f32x16<S> {
    let word = |x: u32| u32x16::splat(simd, x);
    let state = seeds * word(747_796_405) + word(2_891_336_453);
    let mixed = ((state >> ((state >> 28) + word(4))) ^ state) * word(277_803_737);
    let bits = mixed ^ (mixed >> 22);
    // 24 bits: all values are exact
    (bits >> 8).to_float::<f32x16<S>>() * f32x16::splat(simd, 1.0 / 16_777_216.0)
}

/// Returns the seed of the alpha tests of the shadow ray between a point and a VPL.
#[inline(always)]
pub(super) fn alpha_seed(view: &View<'_>, seed: u32) -> AlphaSeed {
    view.alpha_seed(SampleId { pixel: [seed, NO_FILM_ROW], sample: 0 }, 0)
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;
    use sunfleck_sampling::rng::{pcg, unit_f32};

    use super::*;

    #[test]
    fn sixteen_uniforms_equal_single_ones() {
        let mut seeds = [0u32; 16];
        seeds.iter_mut().zip(0u32..).for_each(|(seed, i)| *seed = i.wrapping_mul(0x9e37_79b9));
        let level = fearless_simd::Level::new();
        let found = dispatch!(level, simd => uniforms(simd, u32x16::load_array(simd, seeds)).to_array());
        assert_eq!(found, seeds.map(|seed| unit_f32(pcg(seed))));
    }
}
