//! Shadow rays between VPLs and points, in one stream.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_constants::igi::SHORT;
use sunfleck_kernel::RayStream;
use sunfleck_transport::vectors::{LANES, load};

use super::blocks::Block;
use super::chance::{alpha_seed, seeds_of_pairs};
use super::vpl::Vpl;
use crate::view::View;

/// Rays that the kernel traces together …
const PACKET: usize = 64;
/// … where there are more of them than so many.
const ALONE: usize = 16;

/// Room is made for so many at a time.
const ROOM: usize = 4096;

/// A stream in the making; used for one after the other.
#[derive(Debug, Default)]
pub(super) struct ShadowRays {
    /// Number of rays; there is room for more.
    len: usize,
    origin: [Vec<f32>; 3],
    direction: [Vec<f32>; 3],
    t_near: Vec<f32>,
    t_far: Vec<f32>,
    /// See [`seeds_of_pairs`].
    seeds: Vec<u32>,
    occluded: Vec<bool>,
}

impl ShadowRays {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds the rays to a VPL of those lanes of a block whose bits are set. Returns where in the stream the first of them is.
    #[inline(always)]
    pub(super) fn push<S: Simd>(&mut self, simd: S, vpl: &Vpl, block: &Block, lanes: u32) -> u32 {
        let asked = mask32x16::from_bitmask(simd, u64::from(lanes));
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
        seeds_of_pairs(simd, block, vpl).compress(asked).store_slice(&mut self.seeds[at..at + LANES]);
        let distant = vpl.distant().is_some();
        let (start, end) = if distant { (0.0, f32::INFINITY) } else { (SHORT, 1.0 - SHORT) };
        self.t_near[at..at + LANES].fill(start);
        self.t_far[at..at + LANES].fill(end);
        self.len += lanes.count_ones() as usize;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Makes room for so many rays.
    #[inline(always)]
    fn reserve(&mut self, rays: usize) {
        if self.t_far.len() < rays {
            let rays = (2 * rays).next_multiple_of(ROOM);
            for row in self.origin.iter_mut().chain(&mut self.direction) {
                row.resize(rays, 0.0);
            }
            self.t_near.resize(rays, 0.0);
            self.t_far.resize(rays, 0.0);
            self.seeds.resize(rays, 0);
        }
    }

    /// Fills up the last packet with rays that go nowhere: those to two VPLs have nothing in common.
    #[inline(always)]
    pub(super) fn pad(&mut self) {
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

    /// Finds which of them are occluded.
    #[inline(always)]
    pub(super) fn trace<S: Simd>(&mut self, simd: S, view: &View<'_>) {
        let len = self.len;
        let stream = RayStream {
            origin: [&self.origin[0][..len], &self.origin[1][..len], &self.origin[2][..len]],
            t_near: &self.t_near[..len],
            direction: [&self.direction[0][..len], &self.direction[1][..len], &self.direction[2][..len]],
            t_far: &self.t_far[..len],
        };
        let seed = |i: usize| alpha_seed(view, self.seeds[i]);
        self.occluded.resize(len, false);
        view.world.occluded_stream(simd.level(), &stream, &seed, &mut self.occluded);
    }

    /// Of some lanes those whose rays arrive, once they have been traced.
    ///
    /// * `first` — where in the stream they are.
    #[inline(always)]
    pub(super) fn arrived(&self, lanes: u32, first: u32) -> u32 {
        let (mut left, mut arrived) = (lanes, lanes);
        for &occluded in self.occluded[first as usize..].iter().take(lanes.count_ones() as usize) {
            let lane = left & left.wrapping_neg();
            arrived &= !(lane * u32::from(occluded));
            left ^= lane;
        }
        arrived
    }
}
