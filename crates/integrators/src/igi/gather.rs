//! Lighting of points by virtual point lights: sixteen points at once for each VPL, with the shadow rays of several
//! sets in one stream.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;
use sunfleck_transport::vectors::LANES;

use super::blocks::{PointBlocks, ShadingPoints};
use super::chance::{seeds_of_pairs, uniforms};
use super::shadow_rays::ShadowRays;
use super::transfer::{effective_intensity, geometry, lanes};
use super::vpl::{Vpl, VplEmission, Vpls, intensity};
use crate::view::View;

/// Target number of rays of a stream.
const STREAM: usize = 4096;

/// Shadow rays of some sets of VPLs, and the unoccluded light of each pair of a VPL and a block.
#[derive(Debug, Default)]
pub(super) struct Gather {
    rays: ShadowRays,
    /// Geometry term of each pair, `[pair][lane]`: irradiance over intensity, 1/m²; dimensionless for lights infinitely
    /// far away. 0 where no light arrives.
    geometry: Vec<[f32; LANES]>,
    pairs: Vec<VplBlockPair>,
    /// Mean unoccluded contribution of a VPL to each point, `[block][lane]`; indexed by
    /// [`LitBlocks::mean_index`](super::blocks::LitBlocks::mean_index).
    means: Vec<[f32; LANES]>,
}

/// A VPL and a block. Lanes are bits of a mask.
#[derive(Clone, Copy, Debug, Default)]
struct VplBlockPair {
    /// Lanes with a shadow ray.
    tested: u32,
    /// Lanes whose shadow ray is unoccluded.
    visible: u32,
    /// Index in the stream of the first of the shadow rays.
    first_ray: u32,
    /// Index into [`Gather::means`].
    mean: u32,
}

/// Parameters that all pairs of a frame share.
#[derive(Clone, Copy)]
pub(super) struct GatherOptions {
    /// [`Vpls::bound`].
    pub(super) bound: f32,
    /// [`Igi::roulette`](super::Igi::roulette).
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
        points: &ShadingPoints,
        blocks: &mut PointBlocks,
        options: GatherOptions,
    ) -> u64 {
        let per_set = blocks.subsets_per_set();
        let sets = vpls.subsets.chunks(per_set);
        let (mut rays, mut first) = (0, 0);
        while first < sets.len() {
            // Collect sets for a stream that is long enough and stays in cache
            let (mut last, mut ray_count) = (first, 0);
            self.clear();
            for subsets in sets.clone().skip(first) {
                ray_count += self.select_rays(simd, subsets, blocks, last * per_set, options);
                last += 1;
                if ray_count >= STREAM {
                    break;
                }
            }
            let batch = first * per_set..last * per_set;
            rays += self.trace(simd, view, &vpls.subsets, blocks, batch.clone());
            let mut pair = 0;
            for subset in batch {
                let lit = blocks.blocks_of_subset(subset);
                for vpl in &vpls.subsets[subset] {
                    for block in lit.iter() {
                        self.add(simd, vpl, blocks, block, points, pair, options);
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

    /// Computes the geometry terms between the VPLs of a set and the blocks that they light, and selects the shadow
    /// rays. Returns the number of shadow rays.
    ///
    /// Russian roulette decides about the rays of VPLs that contribute much less to a point than the mean. The rays
    /// that are traced stand for those that are not, so the estimate stays unbiased, and most rays go to the VPLs that
    /// contribute most.
    ///
    /// * `subsets` — VPLs of the set. * `first` — index of the first subset.
    #[inline(always)]
    fn select_rays<S: Simd>(
        &mut self,
        simd: S,
        subsets: &[Vec<Vpl>],
        blocks: &PointBlocks,
        first: usize,
        options: GatherOptions,
    ) -> usize {
        let (splat, zero) = (|x: f32| f32x16::splat(simd, x), f32x16::splat(simd, 0.0));
        let (mut pair, means) = (self.geometry.len(), self.means.len());

        // Sum up the contributions: first to the blocks of the whole set, then to those of each subset
        let (all, mut own) = (subsets.iter().map(Vec::len).sum::<usize>(), means);
        for (vpls, subset) in subsets.iter().zip(first..) {
            let lit = blocks.blocks_of_subset(subset);
            self.means.resize(own + lit.len(), [0.0; LANES]);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let geometry = geometry(simd, vpl, &blocks.blocks[block], options.bound);
                    self.geometry.push(geometry.to_array());
                    let count = if lit.is_of_set(b) { all } else { vpls.len() };
                    let mean = &mut self.means[lit.mean_index(b, means, own)];
                    let contribution = geometry * splat(vpl.brightness / count as f32);
                    (f32x16::load_array_ref(simd, mean) + contribution).store_array(mean);
                }
            }
            own += lit.own();
        }

        // Select the lanes with a shadow ray
        let (mut own, mut ray_count) = (means, 0);
        for (vpls, subset) in subsets.iter().zip(first..) {
            let lit = blocks.blocks_of_subset(subset);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let mean_index = lit.mean_index(b, means, own);
                    let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
                    let mean = f32x16::load_array_ref(simd, &self.means[mean_index]);
                    let contribution = geometry * splat(vpl.brightness);
                    let mut tested = contribution.simd_gt(zero);
                    if bits(tested & contribution.simd_lt(mean * splat(options.roulette))) != 0 {
                        let chance = uniforms(simd, seeds_of_pairs(simd, &blocks.blocks[block], vpl)) * mean;
                        tested &= contribution.simd_gt(chance * splat(options.roulette));
                    }
                    let tested = bits(tested);
                    let mean = u32::try_from(mean_index).unwrap_or(0);
                    self.pairs.push(VplBlockPair { tested, mean, ..VplBlockPair::default() });
                    ray_count += tested.count_ones() as usize;
                    pair += 1;
                }
            }
            own += lit.own();
        }
        ray_count
    }

    /// Traces the shadow rays. Returns their number.
    #[inline(always)]
    fn trace<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        subsets: &[Vec<Vpl>],
        blocks: &PointBlocks,
        batch: Range<usize>,
    ) -> u64 {
        self.rays.clear();
        let (mut pair, mut rays) = (0, 0);
        for subset in batch {
            let lit = blocks.blocks_of_subset(subset);
            for vpl in &subsets[subset] {
                for block in lit.iter() {
                    let current = &mut self.pairs[pair];
                    current.first_ray = self.rays.push(simd, vpl, &blocks.blocks[block], current.tested);
                    rays += u64::from(current.tested.count_ones());
                    pair += 1;
                }
                self.rays.pad();
            }
        }
        self.rays.trace(simd, view);
        for pair in &mut self.pairs {
            pair.visible = self.rays.unoccluded(pair.tested, pair.first_ray);
        }
        rays
    }

    /// Adds the light from a VPL to the irradiance of a block.
    #[inline(always)]
    fn add<S: Simd>(
        &self,
        simd: S,
        vpl: &Vpl,
        blocks: &mut PointBlocks,
        block: usize,
        points: &ShadingPoints,
        pair: usize,
        options: GatherOptions,
    ) {
        let (point_of_lane, block) = (&blocks.points[block * LANES..], &mut blocks.blocks[block]);
        let (splat, zero) = (|x: f32| f32x16::splat(simd, x), f32x16::splat(simd, 0.0));
        let VplBlockPair { visible, mean, .. } = self.pairs[pair];
        if visible == 0 {
            return;
        }
        // Russian roulette: rays below the threshold stand for those that were not traced
        let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
        let threshold = splat(options.roulette / vpl.brightness);
        let weighted = geometry.max(f32x16::load_array_ref(simd, &self.means[mean as usize]) * threshold);
        let light = lanes(simd, visible).select(weighted, zero);
        let of_lanes = light.to_array();
        // Diffuse pairs are added together, others lane by lane
        let (intensity, mut by_lane) = match vpl.emission {
            VplEmission::Emitter(emitter) => (intensity(&emitter), visible & block.glossy),
            VplEmission::Glossy(_) => (Vec3::ZERO, visible),
        };
        let diffuse = lanes(simd, visible & !by_lane);
        let light = diffuse.select(light, zero);
        for (row, intensity) in block.irradiance.iter_mut().zip(intensity.to_array()) {
            let sum = f32x16::load_array_ref(simd, row);
            (sum + light * f32x16::splat(simd, intensity)).store_array(row);
        }
        while by_lane != 0 {
            let lane = by_lane.trailing_zeros() as usize % LANES;
            by_lane &= by_lane - 1;
            let Some(point) = points.points.get(point_of_lane[lane] as usize) else { continue };
            let light = effective_intensity(simd, point, points, vpl) * of_lanes[lane];
            let light = if light.is_finite() { light } else { Vec3::ZERO };
            for (row, light) in block.irradiance.iter_mut().zip(light.to_array()) {
                row[lane] += light;
            }
        }
    }
}

/// Returns the lanes of a mask as bits.
#[inline(always)]
fn bits<S: Simd>(mask: mask32x16<S>) -> u32 {
    u32::try_from(mask.to_bitmask()).unwrap_or(0)
}
