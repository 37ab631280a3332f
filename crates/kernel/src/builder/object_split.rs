//! Where to cut a set of references in two: binned surface area heuristic [Wald07].

use fearless_simd::{Select, Simd, SimdBase, SimdCombine, SimdMask, SimdSplit, f32x4, f32x8, mask32x8};
use rayon::prelude::*;

use super::forest::Prices;
use super::prim_ref::{Extent, Lanes, PrimRef};
use super::{CHUNK, Settings};

pub(super) const MAX_BINS: usize = 32;

/// Maps centroids to bins, monotonically.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binning {
    count: usize,
    origin: [f32; 4],
    scale: [f32; 4],
}

impl Binning {
    pub(super) fn new(centroids: &Lanes, count: usize) -> Self {
        let mut binning = Self { count, origin: [0.0; 4], scale: [0.0; 4] };
        for (axis, size) in centroids.size().into_iter().enumerate() {
            binning.origin[axis] = centroids.lower(axis);
            // Overflow gives 0 and underflow infinity: everything then lands in few bins, and the median cuts.
            binning.scale[axis] = if size > 0.0 { count as f32 / size } else { 0.0 };
        }
        binning
    }

    /// The bin of each axis; the last one means nothing.
    #[inline(always)]
    fn bins<S: Simd>(&self, simd: S, lanes: f32x8<S>) -> [usize; 4] {
        let (lower, negated_upper) = lanes.split();
        let load = |x: &[f32; 4]| f32x4::load_array_ref(simd, x);
        let splat = |x: f32| f32x4::splat(simd, x);
        let x = ((lower - negated_upper) - load(&self.origin)) * load(&self.scale) - splat(0.5);
        let x = x.max_precise(splat(0.0)).min(splat((self.count - 1) as f32)) + splat(INTEGER);
        x.to_array().map(|x| (x.to_bits() & 31) as usize)
    }

    #[inline(always)]
    fn bin(&self, r: &PrimRef, axis: usize) -> usize {
        to_bin((r.doubled_centroid(axis) - self.origin[axis]) * self.scale[axis], (self.count - 1) as f32)
            as usize
    }
}

/// Adding 2²³ rounds to an integer and leaves it in the low bits.
pub(super) const INTEGER: f32 = 8_388_608.0;

/// `floor(x)`, almost, in 0 to `last`, for `last` below 32.
#[inline(always)]
fn to_bin(x: f32, last: f32) -> u32 {
    let x = x - 0.5;
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < last { x } else { last };
    (x + INTEGER).to_bits() & 31
}

/// A plane that sends references with `bin <= last_left` to the left.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectSplit {
    binning: Binning,
    axis: usize,
    last_left: usize,
    /// Sum over both sides of half area × blocks, over the area of a cube around the node.
    pub(super) cost: f32,
    /// Bounds of both sides.
    pub(super) sides: [Lanes; 2],
}

impl ObjectSplit {
    /// The cheapest plane, or none when all centroids fall into one bin on each axis.
    #[inline(always)]
    pub(super) fn find<S: Simd>(
        simd: S,
        refs: &[PrimRef],
        extent: &Extent,
        settings: &Settings,
    ) -> Option<Self> {
        // Small sets need few bins: more would stay empty.
        let binning = Binning::new(&extent.centroids, settings.bins.min(4 + refs.len() / 8));
        let scale = unit_scale(&extent.bounds);
        let mut best = Best { cost: f32::INFINITY, axis: 0, last_left: 0 };
        let sides = if settings.parallel && refs.len() >= 2 * CHUNK {
            let bins = refs
                .par_chunks(CHUNK)
                .map(|chunk| {
                    Box::new(simd.vectorize(
                        #[inline(always)]
                        || Bins::of(simd, chunk, &binning),
                    ))
                })
                .reduce_with(|a, b| Box::new(a.merged(&b, binning.count)))?;
            bins.sweep(simd, &binning, &settings.prices, scale, &mut best);
            bins.sides(&best, binning.count)
        } else {
            let bins = Bins::of(simd, refs, &binning);
            bins.sweep(simd, &binning, &settings.prices, scale, &mut best);
            bins.sides(&best, binning.count)
        };
        let Best { cost, axis, last_left } = best;
        (cost < f32::INFINITY).then_some(Self { binning, axis, last_left, cost, sides })
    }

    /// Moves the left side to the front; its length, and the extents of both sides, none of which is empty.
    #[inline(always)]
    pub(super) fn partition<S: Simd>(&self, simd: S, refs: &mut [PrimRef]) -> (usize, [Extent; 2]) {
        let empty = Lanes::EMPTY.load(simd);
        let mut centroids = [empty; 2];
        let mut left = 0;
        // Each reference changes places with the first of the right side, and then is the last of the left one, or not:
        // no branch to guess.
        for i in 0..refs.len() {
            let goes_left = self.binning.bin(&refs[i], self.axis) <= self.last_left;
            let (lower, negated_upper) = refs[i].lanes().load(simd).split();
            let centroid = lower - negated_upper;
            let centroid = centroid.combine(-centroid);
            let to_left = mask32x8::splat(simd, goes_left);
            centroids[0] = centroids[0].min(to_left.select(centroid, empty));
            centroids[1] = centroids[1].min(to_left.select(empty, centroid));
            refs.swap(i, left);
            left += usize::from(goes_left);
        }
        let extent =
            |side: usize| Extent { bounds: self.sides[side], centroids: Lanes(centroids[side].to_array()) };
        (left, [extent(0), extent(1)])
    }
}

/// What makes the longest edge of a box 1, so that areas neither overflow nor underflow.
#[inline(always)]
pub(super) fn unit_scale(b: &Lanes) -> f32 {
    let [x, y, z] = b.size();
    let longest = x.max(y).max(z);
    if longest > 0.0 { 1.0 / longest } else { 0.0 }
}

struct Best {
    cost: f32,
    axis: usize,
    last_left: usize,
}

struct Bins {
    bounds: [[Lanes; 3]; MAX_BINS],
    counts: [[u32; 4]; MAX_BINS],
}

impl Bins {
    #[inline(always)]
    fn of<S: Simd>(simd: S, refs: &[PrimRef], binning: &Binning) -> Self {
        let mut bins = Self { bounds: [[Lanes::EMPTY; 3]; MAX_BINS], counts: [[0; 4]; MAX_BINS] };
        for r in refs {
            let lanes = r.lanes().load(simd);
            let [x, y, z, _] = binning.bins(simd, lanes).map(|bin| bin % MAX_BINS);
            for (axis, bin) in [x, y, z].into_iter().enumerate() {
                bins.bounds[bin][axis].include(simd, lanes);
                bins.counts[bin][axis] += 1;
            }
        }
        bins
    }

    fn merged(mut self: Box<Self>, other: &Self, count: usize) -> Self {
        for i in 0..count {
            for axis in 0..3 {
                self.bounds[i][axis] = self.bounds[i][axis].union(other.bounds[i][axis]);
                self.counts[i][axis] += other.counts[i][axis];
            }
        }
        *self
    }

    /// Tries each plane between the bins of all axes; the first of equal cost wins.
    #[inline(always)]
    fn sweep<S: Simd>(&self, simd: S, binning: &Binning, prices: &Prices, scale: f32, best: &mut Best) {
        let blocks = |count: u32| prices.blocks(count as usize);
        let area = |b: f32x8<S>| Lanes(b.to_array()).half_area(scale);
        let count = binning.count.min(MAX_BINS);

        // Costs of the right sides
        let mut right_cost = [[0.0f32; 3]; MAX_BINS];
        let mut right = [Lanes::EMPTY.load(simd); 3];
        let mut right_count = [0; 3];
        for i in (1..count).rev() {
            for axis in 0..3 {
                right[axis] = right[axis].min(self.bounds[i][axis].load(simd));
                right_count[axis] += self.counts[i][axis];
                right_cost[i][axis] = area(right[axis]) * blocks(right_count[axis]);
            }
        }

        // Left sides, and the best sum; an empty side has an infinite or undefined cost
        let mut left = [Lanes::EMPTY.load(simd); 3];
        let mut left_count = [0; 3];
        for i in 0..count - 1 {
            for axis in 0..3 {
                left[axis] = left[axis].min(self.bounds[i][axis].load(simd));
                left_count[axis] += self.counts[i][axis];
                let cost = area(left[axis]) * blocks(left_count[axis]) + right_cost[i + 1][axis];
                if cost < best.cost {
                    *best = Best { cost, axis, last_left: i };
                }
            }
        }
    }

    /// The boxes of both sides.
    #[inline(always)]
    fn sides(&self, best: &Best, count: usize) -> [Lanes; 2] {
        let mut sides = [Lanes::EMPTY; 2];
        for (i, bins) in self.bounds.iter().enumerate().take(count) {
            let side = &mut sides[usize::from(i > best.last_left)];
            *side = side.union(bins[best.axis % 3]);
        }
        sides
    }
}
