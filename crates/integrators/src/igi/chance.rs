//! What chance decides about a point and a virtual point light: a function of (seed, pixel, sample, surfaces before, number of the VPL in its set).
//!
//! Where the two are has no part in it: rounding changes that from one device to the next, and with it would go all that is decided.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, u32x16};
use sunfleck_constants::igi::{ASKING, NO_FILM_ROW};
use sunfleck_sampling::rng::pcg4d;
use sunfleck_transport::AlphaSeed;
use sunfleck_transport::vectors::LANES;

use super::blocks::Block;
use super::vpl::Vpl;
use crate::view::{SampleId, View};

/// What the seed of a point and the first VPL of its set follows from; those of the next ones follow it.
///
/// * `bounce` — surfaces that the path of the sample had met before.
#[inline(always)]
pub(super) fn counters_of(view: &View<'_>, id: SampleId, bounce: u32) -> [u32; 4] {
    let [x, y] = id.pixel;
    [x, y, id.sample, view.spec.seed ^ ASKING ^ bounce]
}

/// The seeds of sixteen points, `[counter][point]`: all at once, as compilers make vectors of it.
#[inline(always)]
pub(super) fn seeds_of(counters: &[[u32; LANES]; 4]) -> [u32; LANES] {
    let [x, y, z, w] = counters;
    let mut seeds = [0; LANES];
    for lane in 0..LANES {
        seeds[lane] = pcg4d([x[lane], y[lane], z[lane], w[lane]])[0];
    }
    seeds
}

/// Seeds of the pairs of a VPL and the points of a block.
#[inline(always)]
pub(super) fn seeds_of_pairs<S: Simd>(simd: S, block: &Block, vpl: &Vpl) -> u32x16<S> {
    u32x16::load_array_ref(simd, &block.seeds) + u32x16::splat(simd, vpl.number)
}

/// For each seed a number in [0, 1): sixteen of `unit_f32(pcg(seed))`.
#[inline(always)]
pub(super) fn uniforms<S: Simd>(simd: S, seeds: u32x16<S>) -> f32x16<S> {
    let word = |x: u32| u32x16::splat(simd, x);
    let state = seeds * word(747_796_405) + word(2_891_336_453);
    let mixed = ((state >> ((state >> 28) + word(4))) ^ state) * word(277_803_737);
    let bits = mixed ^ (mixed >> 22);
    // 24 bits: all values are exact
    (bits >> 8).to_float::<f32x16<S>>() * f32x16::splat(simd, 1.0 / 16_777_216.0)
}

/// What see-through surfaces decide about the shadow ray between a point and a VPL.
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
    fn sixteen_are_as_many_times_one() {
        let mut seeds = [0u32; 16];
        seeds.iter_mut().zip(0u32..).for_each(|(seed, i)| *seed = i.wrapping_mul(0x9e37_79b9));
        let level = fearless_simd::Level::new();
        let found = dispatch!(level, simd => uniforms(simd, u32x16::load_array(simd, seeds)).to_array());
        assert_eq!(found, seeds.map(|seed| unit_f32(pcg(seed))));
    }
}
