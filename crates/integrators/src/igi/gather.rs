//! Light from virtual point lights: for each of them sixteen points at once, the shadow rays of some in one stream.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;
use sunfleck_transport::vectors::LANES;

use super::blocks::{Blocks, Points};
use super::chance::{seeds_of_pairs, uniforms};
use super::shadow_rays::ShadowRays;
use super::transfer::{geometry, lanes, light_on};
use super::vpl::{Shine, Vpl, Vpls, intensity};
use crate::view::View;

/// A stream has about so many rays.
const STREAM: usize = 4096;

/// The shadow rays of some shares of VPLs, and what arrives on each if nothing is in the way.
#[derive(Debug, Default)]
pub(super) struct Gather {
    rays: ShadowRays,
    /// Of each pair of a VPL and a block: irradiance over intensity, 1/m²; over 1 for lights infinitely far away. 0 where no light
    /// arrives.
    geometry: Vec<[f32; LANES]>,
    pairs: Vec<Pair>,
    /// What a VPL brings to each block in the mean if nothing is in the way; see [`Lit::place`](super::blocks::Lit::place).
    means: Vec<[f32; LANES]>,
}

/// Lanes of a VPL and a block, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// Those with a shadow ray, and those of them that see the VPL.
    asks: u32,
    seen: u32,
    /// Where in the stream the first of these rays is.
    first_ray: u32,
    /// Which of the means.
    mean: u32,
}

/// What all pairs of a frame share.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// [`Vpls::bound`].
    pub(super) bound: f32,
    /// See [`Igi::roulette`](super::Igi::roulette).
    pub(super) roulette: f32,
}

impl Gather {
    /// Adds the light of all VPLs to the blocks that they light. Returns the number of shadow rays.
    #[inline(always)]
    pub(super) fn light<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        vpls: &Vpls,
        points: &Points,
        blocks: &mut Blocks,
        rules: Rules,
    ) -> u64 {
        let per_set = blocks.shares_per_set();
        let sets = vpls.shares.chunks(per_set);
        let (mut rays, mut first) = (0, 0);
        while first < sets.len() {
            // As many sets as make a stream that is worth while and stays in cache
            let (mut last, mut asking) = (first, 0);
            self.clear();
            for shares in sets.clone().skip(first) {
                asking += self.aim(simd, shares, blocks, last * per_set, rules);
                last += 1;
                if asking >= STREAM {
                    break;
                }
            }
            let batch = first * per_set..last * per_set;
            rays += self.trace(simd, view, &vpls.shares, blocks, batch.clone());
            let mut pair = 0;
            for share in batch {
                let lit = blocks.lit_by(share);
                for vpl in &vpls.shares[share] {
                    for block in lit.iter() {
                        self.add(simd, vpl, blocks, block, points, pair, rules);
                        pair += 1;
                    }
                }
            }
            first = last;
        }
        rays
    }

    fn clear(&mut self) {
        self.geometry.clear();
        self.pairs.clear();
        self.means.clear();
    }

    /// What the VPLs of a set bring to the blocks that they light, and who asks about them. Returns how many do.
    ///
    /// VPLs that bring a point much less than the others do get a ray by chance only, which then speaks for those that got none: an
    /// estimate as right as the other, and most rays go where light comes from.
    ///
    /// * `shares` — the VPLs. * `first` — number of the first share.
    #[inline(always)]
    fn aim<S: Simd>(
        &mut self,
        simd: S,
        shares: &[Vec<Vpl>],
        blocks: &Blocks,
        first: usize,
        rules: Rules,
    ) -> usize {
        let (splat, zero) = (|x: f32| f32x16::splat(simd, x), f32x16::splat(simd, 0.0));
        let (mut pair, means) = (self.geometry.len(), self.means.len());

        // What all bring: first to the blocks of the whole set, then to those of each share
        let (all, mut own) = (shares.iter().map(Vec::len).sum::<usize>(), means);
        for (vpls, share) in shares.iter().zip(first..) {
            let lit = blocks.lit_by(share);
            self.means.resize(own + lit.len(), [0.0; LANES]);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let geometry = geometry(simd, vpl, &blocks.blocks[block], rules.bound);
                    self.geometry.push(geometry.to_array());
                    let among = if lit.is_whole(b) { all } else { vpls.len() };
                    let mean = &mut self.means[lit.place(b, means, own)];
                    let part = geometry * splat(vpl.brightness / among as f32);
                    (f32x16::load_array_ref(simd, mean) + part).store_array(mean);
                }
            }
            own += lit.own();
        }

        // Who asks
        let (mut own, mut asking) = (means, 0);
        for (vpls, share) in shares.iter().zip(first..) {
            let lit = blocks.lit_by(share);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let place = lit.place(b, means, own);
                    let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
                    let mean = f32x16::load_array_ref(simd, &self.means[place]);
                    let brought = geometry * splat(vpl.brightness);
                    let mut asks = brought.simd_gt(zero);
                    if bits(asks & brought.simd_lt(mean * splat(rules.roulette))) != 0 {
                        let chance = uniforms(simd, seeds_of_pairs(simd, &blocks.blocks[block], vpl)) * mean;
                        asks &= brought.simd_gt(chance * splat(rules.roulette));
                    }
                    let asks = bits(asks);
                    let mean = u32::try_from(place).unwrap_or(0);
                    self.pairs.push(Pair { asks, mean, ..Pair::default() });
                    asking += asks.count_ones() as usize;
                    pair += 1;
                }
            }
            own += lit.own();
        }
        asking
    }

    /// Traces the shadow rays. Returns how many these are.
    #[inline(always)]
    fn trace<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        shares: &[Vec<Vpl>],
        blocks: &Blocks,
        batch: Range<usize>,
    ) -> u64 {
        self.rays.clear();
        let (mut pair, mut rays) = (0, 0);
        for share in batch {
            let lit = blocks.lit_by(share);
            for vpl in &shares[share] {
                for block in lit.iter() {
                    let of = &mut self.pairs[pair];
                    of.first_ray = self.rays.push(simd, vpl, &blocks.blocks[block], of.asks);
                    rays += u64::from(of.asks.count_ones());
                    pair += 1;
                }
                self.rays.pad();
            }
        }
        self.rays.trace(simd, view);
        for pair in &mut self.pairs {
            pair.seen = self.rays.arrived(pair.asks, pair.first_ray);
        }
        rays
    }

    /// Adds what arrives at a block from a VPL.
    #[inline(always)]
    fn add<S: Simd>(
        &self,
        simd: S,
        vpl: &Vpl,
        blocks: &mut Blocks,
        block: usize,
        points: &Points,
        pair: usize,
        rules: Rules,
    ) {
        let (places, block) = (&blocks.points[block * LANES..], &mut blocks.blocks[block]);
        let (splat, zero) = (|x: f32| f32x16::splat(simd, x), f32x16::splat(simd, 0.0));
        let Pair { seen, mean, .. } = self.pairs[pair];
        if seen == 0 {
            return;
        }
        // What is asked about by chance speaks for what is not
        let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
        let share = splat(rules.roulette / vpl.brightness);
        let found = geometry.max(f32x16::load_array_ref(simd, &self.means[mean as usize]) * share);
        let light = lanes(simd, seen).select(found, zero);
        let of_lanes = light.to_array();
        let (intensity, mut by_lane) = match vpl.shine {
            Shine::EmitterKind(glow) => (intensity(&glow), seen & block.glossy),
            Shine::Glossy(_) => (Vec3::ZERO, seen),
        };
        let together = lanes(simd, seen & !by_lane);
        let light = together.select(light, zero);
        for (row, intensity) in block.irradiance.iter_mut().zip(intensity.to_array()) {
            let sum = f32x16::load_array_ref(simd, row);
            (sum + light * f32x16::splat(simd, intensity)).store_array(row);
        }
        while by_lane != 0 {
            let lane = by_lane.trailing_zeros() as usize % LANES;
            by_lane &= by_lane - 1;
            let Some(point) = points.points.get(places[lane] as usize) else { continue };
            let light = light_on(simd, point, points, vpl) * of_lanes[lane];
            let light = if light.is_finite() { light } else { Vec3::ZERO };
            for (row, light) in block.irradiance.iter_mut().zip(light.to_array()) {
                row[lane] += light;
            }
        }
    }
}

/// The lanes of a mask as bits.
#[inline(always)]
fn bits<S: Simd>(mask: mask32x16<S>) -> u32 {
    u32::try_from(mask.to_bitmask()).unwrap_or(0)
}
