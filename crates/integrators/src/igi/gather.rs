//! Light from virtual point lights: for each of them sixteen points at once, the shadow rays of some in one stream.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_kernel::RayStream;
use sunfleck_math::Vec3;

use super::blocks::{Block, Blocks, Points};
use super::transfer::{geometry, lanes, light_on, uniform};
use super::vpl::{Shine, Vpl, Vpls, intensity};
use crate::vectors::{LANES, load};
use crate::view::{SampleId, View};

/// Shadow rays begin and end a little off the surfaces, as a share of their length.
const SHORT: f32 = 1.0e-4;

/// A stream has about so many rays.
const STREAM: usize = 4096;

/// Rays that the kernel traces together …
const PACKET: usize = 64;
/// … where there are more of them than so many.
const ALONE: usize = 16;

/// The shadow rays of some shares of VPLs, and what arrives on each if nothing is in the way.
#[derive(Debug, Default)]
pub(super) struct Gather {
    /// Number of rays; there is room for more.
    len: usize,
    origin: [Vec<f32>; 3],
    direction: [Vec<f32>; 3],
    t_near: Vec<f32>,
    t_far: Vec<f32>,
    occluded: Vec<bool>,
    /// Of each pair of a VPL and a block: irradiance over intensity, 1/m²; over 1 for lights infinitely far away. 0 where no light
    /// arrives.
    geometry: Vec<[f32; LANES]>,
    /// Lanes with a shadow ray, and where in the stream the first of these is.
    asked: Vec<(u32, u32)>,
    /// What all VPLs bring to each block if nothing is in the way; see [`Lit::place`](super::blocks::Lit::place).
    brought: Vec<[f32; LANES]>,
}

/// What all pairs of a frame share.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// [`Vpls::bound`].
    pub(super) bound: f32,
    /// See [`Igi::roulette`](super::Igi::roulette).
    pub(super) roulette: f32,
    /// Number of the frame.
    pub(super) pass: u32,
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
        let sets = vpls.shares.chunks(blocks.shares_per_set());
        let (mut rays, mut first) = (0, 0);
        while first < sets.len() {
            // As many sets as make a stream that is worth while and stays in cache
            let mut last = first;
            self.clear();
            for shares in sets.clone().skip(first) {
                rays += self.aim(simd, shares, blocks, last * shares.len(), rules);
                last += 1;
                if self.len >= STREAM {
                    break;
                }
            }
            self.trace(simd, view, rules.pass);
            let (mut pair, per_set) = (0, blocks.shares_per_set());
            for (share, vpls) in vpls.shares.iter().enumerate().take(last * per_set).skip(first * per_set) {
                let lit = blocks.lit_by(share);
                for vpl in vpls {
                    for block in lit.iter() {
                        self.add(simd, vpl, blocks, block, points, pair);
                        pair += 1;
                    }
                }
            }
            first = last;
        }
        rays
    }

    fn clear(&mut self) {
        self.len = 0;
        self.geometry.clear();
        self.asked.clear();
    }

    /// The rays from the VPLs of a set to the blocks that they light. Returns how many.
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
    ) -> u64 {
        let (splat, zero) = (|x: f32| f32x16::splat(simd, x), f32x16::splat(simd, 0.0));
        let mut pair = self.geometry.len();

        // What all bring: first to the blocks of the whole set, then to those of each share
        self.brought.clear();
        let mut own = 0;
        for (vpls, share) in shares.iter().zip(first..) {
            let lit = blocks.lit_by(share);
            self.brought.resize(own + lit.len(), [0.0; LANES]);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let geometry = geometry(simd, vpl, &blocks.blocks[block], rules.bound);
                    self.geometry.push(geometry.to_array());
                    let sum = &mut self.brought[lit.place(b, own)];
                    (f32x16::load_array_ref(simd, sum) + geometry * splat(vpl.brightness)).store_array(sum);
                }
            }
            own += lit.own();
        }

        // Rays
        let (all, mut own, mut rays) = (shares.iter().map(Vec::len).sum::<usize>(), 0, 0);
        for (vpls, share) in shares.iter().zip(first..) {
            let lit = blocks.lit_by(share);
            for vpl in vpls {
                for (b, block) in lit.iter().enumerate() {
                    let block = &blocks.blocks[block];
                    let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
                    let brought = f32x16::load_array_ref(simd, &self.brought[lit.place(b, own)]);
                    let among = if lit.is_whole(b) { all } else { vpls.len() };
                    let dim = brought * splat(rules.roulette / among as f32);
                    let is_dim = (geometry * splat(vpl.brightness)).simd_lt(dim);
                    let mut asked = geometry.simd_gt(zero);
                    if (is_dim & asked).to_bitmask() != 0 {
                        let chance = uniform(simd, block, vpl, rules.pass);
                        asked &= (geometry * splat(vpl.brightness)).simd_gt(chance * dim);
                        let weighted = is_dim.select(dim / splat(vpl.brightness), geometry);
                        asked.select(weighted, zero).store_array(&mut self.geometry[pair]);
                    }
                    rays += self.push(simd, vpl, block, asked);
                    pair += 1;
                }
                self.pad();
            }
            own += lit.own();
        }
        rays
    }

    /// Adds the rays of some lanes to the stream. Returns how many.
    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, vpl: &Vpl, block: &Block, asked: mask32x16<S>) -> u64 {
        let bits = u32::try_from(asked.to_bitmask()).unwrap_or(0);
        self.asked.push((bits, u32::try_from(self.len).unwrap_or(u32::MAX)));
        let (at, points) = (self.len, load(simd, &block.origin));
        self.reserve(at + LANES);
        for axis in 0..3 {
            // Rays of one origin are bounded more tightly than rays to one end: so they come from the VPL
            let (from, along) = match vpl.distant() {
                Some(to_light) => (points[axis].compress(asked), f32x16::splat(simd, to_light[axis])),
                None => {
                    let position = f32x16::splat(simd, vpl.position[axis]);
                    (position, (points[axis] - position).compress(asked))
                }
            };
            from.store_slice(&mut self.origin[axis][at..at + LANES]);
            along.store_slice(&mut self.direction[axis][at..at + LANES]);
        }
        let distant = vpl.distant().is_some();
        let (start, end) = if distant { (0.0, f32::INFINITY) } else { (SHORT, 1.0 - SHORT) };
        self.t_near[at..at + LANES].fill(start);
        self.t_far[at..at + LANES].fill(end);
        self.len += bits.count_ones() as usize;
        u64::from(bits.count_ones())
    }

    /// Makes room for so many rays.
    #[inline(always)]
    fn reserve(&mut self, rays: usize) {
        if self.t_far.len() < rays {
            let rays = (2 * rays).next_multiple_of(STREAM);
            for row in self.origin.iter_mut().chain(&mut self.direction) {
                row.resize(rays, 0.0);
            }
            self.t_near.resize(rays, 0.0);
            self.t_far.resize(rays, 0.0);
        }
    }

    /// Fills up the last packet with rays that go nowhere: those to two VPLs have nothing in common.
    #[inline(always)]
    fn pad(&mut self) {
        let unit = if self.len % PACKET > ALONE { PACKET } else { LANES };
        let (len, padded) = (self.len, self.len.next_multiple_of(unit));
        self.reserve(padded);
        for row in self.origin.iter_mut().chain(&mut self.direction) {
            row[len..padded].fill(0.0);
        }
        self.t_near[len..padded].fill(0.0);
        self.t_far[len..padded].fill(-1.0);
        self.len = padded;
    }

    #[inline(always)]
    fn trace<S: Simd>(&mut self, simd: S, view: &View<'_>, sample: u32) {
        let len = self.len;
        let stream = RayStream {
            origin: [&self.origin[0][..len], &self.origin[1][..len], &self.origin[2][..len]],
            t_near: &self.t_near[..len],
            direction: [&self.direction[0][..len], &self.direction[1][..len], &self.direction[2][..len]],
            t_far: &self.t_far[..len],
        };
        // See-through decisions follow from where the ray is
        let seed = |i: usize| {
            let bits = |axis: usize| {
                stream.origin[axis][i].to_bits().rotate_left(16) ^ stream.direction[axis][i].to_bits()
            };
            view.alpha_seed(SampleId { pixel: [bits(0), bits(2)], sample }, bits(1))
        };
        self.occluded.resize(len, false);
        view.world.occluded_stream(simd.level(), &stream, &seed, &mut self.occluded);
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
    ) {
        let (places, block) = (&blocks.points[block * LANES..], &mut blocks.blocks[block]);
        let arrived = self.arrived(pair);
        let (intensity, mut by_lane) = match vpl.shine {
            Shine::Glow(glow) => (intensity(&glow), arrived & block.glossy),
            Shine::Glossy(_) => (Vec3::ZERO, arrived),
        };
        let together = lanes(simd, arrived & !by_lane);
        let geometry = f32x16::load_array_ref(simd, &self.geometry[pair]);
        let geometry = together.select(geometry, f32x16::splat(simd, 0.0));
        for (row, intensity) in block.irradiance.iter_mut().zip(intensity.to_array()) {
            let sum = f32x16::load_array_ref(simd, row);
            (sum + geometry * f32x16::splat(simd, intensity)).store_array(row);
        }
        while by_lane != 0 {
            let lane = by_lane.trailing_zeros() as usize % LANES;
            by_lane &= by_lane - 1;
            let Some(point) = points.points.get(places[lane] as usize) else { continue };
            let light = light_on(simd, point, points, vpl) * self.geometry[pair][lane];
            let light = if light.is_finite() { light } else { Vec3::ZERO };
            for (row, light) in block.irradiance.iter_mut().zip(light.to_array()) {
                row[lane] += light;
            }
        }
    }

    /// Lanes that light arrives on.
    #[inline(always)]
    fn arrived(&self, pair: usize) -> u32 {
        let (asked, first) = self.asked[pair];
        let (mut left, mut arrived) = (asked, asked);
        for &occluded in self.occluded[first as usize..].iter().take(asked.count_ones() as usize) {
            let lane = left & left.wrapping_neg();
            arrived &= !(lane * u32::from(occluded));
            left ^= lane;
        }
        arrived
    }
}
