//! Stream of shadow rays between VPLs and points.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_constants::igi::SHORT;
use sunfleck_kernel::{Coherence, RayStream};
use sunfleck_transport::vectors::{LANES, load};

use super::blocks::PointBlock;
use super::chance::{alpha_seed, seeds_of_pairs};
use super::vpl::Vpl;
use crate::view::View;

/// Number of rays that the kernel traces together.
const PACKET: usize = 64;
/// The kernel traces the rest of a stream as a packet if it has more than this many rays, else as vectors.
const MAX_WITHOUT_PACKET: usize = 16;

/// Granularity of the length of the arrays, rays.
const GRANULARITY: usize = 4096;

/// Stream of shadow rays as structure of arrays; the allocations are reused.
#[derive(Debug, Default)]
pub(super) struct ShadowRays {
    /// Number of rays; the arrays may be longer.
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

    /// Appends the shadow rays between a VPL and the lanes of a block whose bits are set. Returns the index of the
    /// first of them in the stream.
    #[inline(always)]
    pub(super) fn push<S: Simd>(&mut self, simd: S, vpl: &Vpl, block: &PointBlock, lanes: u32) -> u32 {
        let mask = mask32x16::from_bitmask(simd, u64::from(lanes));
        let (at, points) = (self.len, load(simd, &block.origin));
        self.reserve(at + LANES);
        for axis in 0..3 {
            // Rays start at the VPL, since packets with a common origin are culled more tightly than those with a
            // common end
            let (origin, direction) = match vpl.distant() {
                Some(to_light) => (points[axis].compress(mask), f32x16::splat(simd, to_light[axis])),
                None => {
                    let position = f32x16::splat(simd, vpl.position[axis]);
                    (position, (points[axis] - position).compress(mask))
                }
            };
            origin.store_slice(&mut self.origin[axis][at..at + LANES]);
            direction.store_slice(&mut self.direction[axis][at..at + LANES]);
        }
        seeds_of_pairs(simd, block, vpl).compress(mask).store_slice(&mut self.seeds[at..at + LANES]);
        let distant = vpl.distant().is_some();
        let (start, end) = if distant { (0.0, f32::INFINITY) } else { (SHORT, 1.0 - SHORT) };
        self.t_near[at..at + LANES].fill(start);
        self.t_far[at..at + LANES].fill(end);
        self.len += lanes.count_ones() as usize;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Grows the arrays to at least a number of rays.
    #[inline(always)]
    fn reserve(&mut self, rays: usize) {
        if self.t_far.len() < rays {
            let rays = (2 * rays).next_multiple_of(GRANULARITY);
            for row in self.origin.iter_mut().chain(&mut self.direction) {
                row.resize(rays, 0.0);
            }
            self.t_near.resize(rays, 0.0);
            self.t_far.resize(rays, 0.0);
            self.seeds.resize(rays, 0);
        }
    }

    /// Fills up the last packet with rays of an empty interval, since rays of two VPLs are not coherent.
    #[inline(always)]
    pub(super) fn pad(&mut self) {
        let unit = if self.len % PACKET > MAX_WITHOUT_PACKET { PACKET } else { LANES };
        let (len, padded) = (self.len, self.len.next_multiple_of(unit));
        self.reserve(padded);
        for row in self.origin.iter_mut().chain(&mut self.direction) {
            row[len..padded].fill(0.0);
        }
        self.t_near[len..padded].fill(0.0);
        self.t_far[len..padded].fill(-1.0);
        self.len = padded;
    }

    /// Traces the stream.
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
        view.world.occluded_stream(simd.level(), &stream, Coherence::Coherent, &seed, &mut self.occluded);
    }

    /// Returns the lanes whose rays are unoccluded, after [`trace`](Self::trace).
    ///
    /// * `lanes`, `first` — argument and result of [`push`](Self::push).
    #[inline(always)]
    pub(super) fn unoccluded(&self, lanes: u32, first: u32) -> u32 {
        let (mut remaining, mut unoccluded) = (lanes, lanes);
        for &occluded in self.occluded[first as usize..].iter().take(lanes.count_ones() as usize) {
            let lane = remaining & remaining.wrapping_neg();
            unoccluded &= !(lane * u32::from(occluded));
            remaining ^= lane;
        }
        unoccluded
    }
}
