//! Object splits by the binned surface area heuristic [Wald07].

use fearless_simd::{Select, Simd, SimdBase, SimdCombine, SimdMask, SimdSplit, f32x4, f32x8, mask32x8};
use rayon::prelude::*;

use super::prim_ref::{Extent, PrimRef, SimdAabb};
use super::{BuildSettings, CHUNK};
use crate::layout::CostModel;

pub(super) const MAX_BINS: usize = 32;

/// Monotone mapping of centroids to bins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binning {
    count: usize,
    origin: [f32; 4],
    scale: [f32; 4],
}

impl Binning {
    pub(super) fn new(centroids: &SimdAabb, count: usize) -> Self {
        let mut binning = Self { count, origin: [0.0; 4], scale: [0.0; 4] };
        for (axis, size) in centroids.size().into_iter().enumerate() {
            binning.origin[axis] = centroids.lower(axis);
            // An overflow gives 0 and an underflow infinity. Then all centroids fall into few bins, and the set is
            // split at the median.
            binning.scale[axis] = if size > 0.0 { count as f32 / size } else { 0.0 };
        }
        binning
    }

    /// Returns the bin along each axis; the last element is unused.
    #[inline(always)]
    fn bins<S: Simd>(&self, simd: S, lanes: f32x8<S>) -> [usize; 4] {
        let (lower, negated_upper) = lanes.split();
        let load = |x: &[f32; 4]| f32x4::load_array_ref(simd, x);
        let splat = |x: f32| f32x4::splat(simd, x);
        let x = ((lower - negated_upper) - load(&self.origin)) * load(&self.scale) - splat(0.5);
        let x = x.max_precise(splat(0.0)).min(splat((self.count - 1) as f32)) + splat(ROUND_TO_INTEGER);
        let [x, y, z, w] = x.to_array();
        [
            (x.to_bits() & 31) as usize,
            (y.to_bits() & 31) as usize,
            (z.to_bits() & 31) as usize,
            (w.to_bits() & 31) as usize,
        ]
    }

    #[inline(always)]
    fn bin(&self, r: &PrimRef, axis: usize) -> usize {
        to_bin((r.doubled_centroid(axis) - self.origin[axis]) * self.scale[axis], (self.count - 1) as f32)
            as usize
    }
}

/// Adding this number, 2²³, rounds to an integer and leaves it in the low bits of the mantissa.
pub(super) const ROUND_TO_INTEGER: f32 = 8_388_608.0;

/// Returns approximately `floor(x)`, clamped to 0 to `last`, for `last` below 32.
#[inline(always)]
fn to_bin(x: f32, last: f32) -> u32 {
    let x = x - 0.5;
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < last { x } else { last };
    (x + ROUND_TO_INTEGER).to_bits() & 31
}

/// Split of a set of references: those with `bin <= last_left` go to the left.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectSplit {
    binning: Binning,
    axis: usize,
    last_left: usize,
    /// SAH cost: the sum of half area × blocks of both sides, with lengths in units of the longest edge of the node.
    pub(super) cost: f32,
    /// Bounds of both sides.
    pub(super) sides: [SimdAabb; 2],
}

impl ObjectSplit {
    /// Returns the split with the lowest cost; `None` if all centroids are in one bin along each axis.
    #[inline(always)]
    pub(super) fn find<S: Simd>(
        simd: S,
        refs: &[PrimRef],
        extent: &Extent,
        settings: &BuildSettings,
        bins: &mut Bins,
    ) -> Option<Self> {
        // Small sets need few bins; more would be empty.
        let binning =
            Binning::new(&extent.centroids, settings.bins.min(4 + refs.len() / settings.refs_per_bin));
        let scale = unit_scale(&extent.bounds);
        let merged;
        let bins = if settings.parallel && refs.len() >= 2 * CHUNK {
            merged = refs
                .par_chunks(CHUNK)
                .map(|chunk| {
                    let mut bins = Bins::new();
                    simd.vectorize(
                        #[inline(always)]
                        || bins.fill(simd, chunk, &binning),
                    );
                    bins
                })
                .reduce_with(|a, b| a.merged(&b, binning.count))?;
            &*merged
        } else {
            bins.fill(simd, refs, &binning);
            bins
        };
        let best = bins.sweep(simd, &binning, &settings.cost_model, scale);
        let sides = bins.sides(simd, &best, binning.count);
        let BestSplit { cost, axis, last_left } = best;
        (cost < f32::INFINITY).then_some(Self { binning, axis, last_left, cost, sides })
    }

    /// Moves the left side to the front, and returns its length and the extents of both sides. No side is empty.
    #[inline(always)]
    pub(super) fn partition<S: Simd>(&self, simd: S, refs: &mut [PrimRef]) -> (usize, [Extent; 2]) {
        let empty = SimdAabb::EMPTY.load(simd);
        let mut centroids = [empty; 2];
        let mut left = 0;
        // Each reference is swapped with the first one of the right side, and then the left side grows by it or not.
        // This avoids an unpredictable branch.
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
        let extent = |side: usize| Extent {
            bounds: self.sides[side],
            centroids: SimdAabb(centroids[side].to_array()),
        };
        (left, [extent(0), extent(1)])
    }
}

/// Returns the factor that makes the longest edge of a box 1, so that areas neither overflow nor underflow.
#[inline(always)]
pub(super) fn unit_scale(b: &SimdAabb) -> f32 {
    let [x, y, z] = b.size();
    let longest = x.max(y).max(z);
    if longest > 0.0 { 1.0 / longest } else { 0.0 }
}

/// Best split that a sweep has found.
struct BestSplit {
    cost: f32,
    axis: usize,
    last_left: usize,
}

/// Bins of all axes. They are reused between splits, since most sets are small and need only a few of them.
pub(super) struct Bins {
    axes: [AxisBins; 3],
}

#[derive(Clone, Copy)]
struct AxisBins {
    bounds: [SimdAabb; MAX_BINS],
    counts: [u32; MAX_BINS],
}

impl Bins {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self { axes: [AxisBins { bounds: [SimdAabb::EMPTY; MAX_BINS], counts: [0; MAX_BINS] }; 3] })
    }

    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, refs: &[PrimRef], binning: &Binning) {
        let count = binning.count.min(MAX_BINS);
        for axis in &mut self.axes {
            axis.bounds[..count].fill(SimdAabb::EMPTY);
            axis.counts[..count].fill(0);
        }
        for r in refs {
            let lanes = r.lanes().load(simd);
            let bins = binning.bins(simd, lanes);
            for (axis, bin) in self.axes.iter_mut().zip(bins) {
                let bin = bin % MAX_BINS;
                axis.bounds[bin].include(simd, lanes);
                axis.counts[bin] += 1;
            }
        }
    }

    fn merged(mut self: Box<Self>, other: &Self, count: usize) -> Box<Self> {
        for (axis, other) in self.axes.iter_mut().zip(&other.axes) {
            for i in 0..count {
                axis.bounds[i] = axis.bounds[i].union(other.bounds[i]);
                axis.counts[i] += other.counts[i];
            }
        }
        self
    }

    /// Evaluates the planes between the bins along all axes; the first of equal cost wins.
    #[inline(always)]
    fn sweep<S: Simd>(&self, simd: S, binning: &Binning, cost_model: &CostModel, scale: f32) -> BestSplit {
        let count = binning.count.min(MAX_BINS);
        let mut best = BestSplit { cost: f32::INFINITY, axis: 0, last_left: 0 };
        for (axis, bins) in self.axes.iter().enumerate() {
            // Costs of the right sides
            let mut right_cost = [0.0f32; MAX_BINS];
            let mut side = SimdAabb::EMPTY.load(simd);
            let mut refs = 0;
            for i in (1..count).rev() {
                side = side.min(bins.bounds[i].load(simd));
                refs += bins.counts[i];
                right_cost[i] = SimdAabb(side.to_array()).half_area(scale) * cost_model.blocks(refs as usize);
            }

            // Left sides, and the lowest sum; the cost of an empty side is infinite or NaN.
            let mut side = SimdAabb::EMPTY.load(simd);
            let mut refs = 0;
            for i in 0..count - 1 {
                side = side.min(bins.bounds[i].load(simd));
                refs += bins.counts[i];
                let cost = SimdAabb(side.to_array()).half_area(scale) * cost_model.blocks(refs as usize)
                    + right_cost[i + 1];
                if cost < best.cost {
                    best = BestSplit { cost, axis, last_left: i };
                }
            }
        }
        best
    }

    /// Returns the boxes of both sides.
    #[inline(always)]
    fn sides<S: Simd>(&self, simd: S, best: &BestSplit, count: usize) -> [SimdAabb; 2] {
        let mut sides = [SimdAabb::EMPTY.load(simd); 2];
        let (left, right) = self.axes[best.axis % 3].bounds[..count].split_at(best.last_left + 1);
        for (side, bins) in sides.iter_mut().zip([left, right]) {
            for bin in bins {
                *side = side.min(bin.load(simd));
            }
        }
        [SimdAabb(sides[0].to_array()), SimdAabb(sides[1].to_array())]
    }
}
