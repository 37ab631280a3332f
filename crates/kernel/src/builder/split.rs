//! Where to cut: binned surface area heuristic [Wald07].

use rayon::prelude::*;
use sunfleck_math::Aabb;

use super::bvh2::half_area;
use super::prim_ref::{PARALLEL_MIN, PrimRef};

pub(super) const MAX_BINS: usize = 32;

/// A plane that sends references with `bin <= last_left` to the left.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) binning: Binning,
    pub(super) axis: usize,
    pub(super) last_left: usize,
    /// Sum over both sides of half area × leaf blocks.
    pub(super) cost: f64,
}

impl Split {
    #[inline]
    pub(super) fn goes_left(&self, r: &PrimRef) -> bool {
        self.binning.bin(r, self.axis) <= self.last_left
    }
}

/// Maps centroids to bins.
#[derive(Clone, Copy)]
pub(super) struct Binning {
    count: usize,
    origin: [f32; 3],
    scale: [f32; 3],
}

impl Binning {
    pub(super) fn new(centroids: &Aabb, count: usize) -> Self {
        let scale = [0, 1, 2].map(|axis| {
            let extent = centroids.max[axis] - centroids.min[axis];
            // Overflow gives 0 and underflow infinity: everything then lands in few bins, and the median cuts.
            if extent > 0.0 { count as f32 / extent } else { 0.0 }
        });
        Self { count, origin: centroids.min.to_array(), scale }
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "`as` saturates, NaN becomes 0, and `min` keeps it in range"
    )]
    fn bin(&self, r: &PrimRef, axis: usize) -> usize {
        (((r.centroid(axis) - self.origin[axis]) * self.scale[axis]) as u32 as usize).min(self.count - 1)
    }
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb,
    count: usize,
}

impl Bin {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, count: 0 };

    fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), count: self.count + other.count }
    }
}

type Bins = [[Bin; MAX_BINS]; 3];

/// The cheapest plane, or none when all centroids fall into one bin on each axis.
///
/// `block` is the number of primitives that a leaf tests at the price of one.
pub(super) fn find(refs: &[PrimRef], binning: Binning, block: usize, parallel: bool) -> Option<Split> {
    let bins = if parallel && refs.len() >= 2 * PARALLEL_MIN {
        refs.par_chunks(PARALLEL_MIN)
            .map(|chunk| Box::new(fill(chunk, &binning)))
            .reduce_with(|a, b| Box::new(merge(&a, &b)))
            .map(|bins| *bins)?
    } else {
        fill(refs, &binning)
    };
    (0..3).fold(None, |best: Option<Split>, axis| match sweep(&bins[axis], binning, axis, block) {
        Some(split) if best.is_none_or(|b| split.cost < b.cost) => Some(split),
        _ => best,
    })
}

fn fill(refs: &[PrimRef], binning: &Binning) -> Bins {
    let mut bins = [[Bin::EMPTY; MAX_BINS]; 3];
    for r in refs {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let bin = &mut bins[binning.bin(r, axis)];
            bin.bounds = bin.bounds.union(r.bounds);
            bin.count += 1;
        }
    }
    bins
}

fn merge(a: &Bins, b: &Bins) -> Bins {
    std::array::from_fn(|axis| std::array::from_fn(|i| a[axis][i].union(b[axis][i])))
}

/// Tries each plane between the bins of one axis; the first of equal cost wins.
fn sweep(bins: &[Bin; MAX_BINS], binning: Binning, axis: usize, block: usize) -> Option<Split> {
    let weight = |side: &Bin| half_area(&side.bounds) * side.count.div_ceil(block) as f64;

    // Costs of the right sides
    let mut right_cost = [0.0; MAX_BINS];
    let mut right = Bin::EMPTY;
    for i in (1..binning.count).rev() {
        right = right.union(bins[i]);
        right_cost[i] = weight(&right);
    }

    // Left sides, and the best sum
    let total = right.count + bins[0].count;
    let mut best: Option<Split> = None;
    let mut left = Bin::EMPTY;
    for i in 0..binning.count - 1 {
        left = left.union(bins[i]);
        if left.count == 0 || left.count == total {
            continue;
        }
        let cost = weight(&left) + right_cost[i + 1];
        if best.is_none_or(|b| cost < b.cost) {
            best = Some(Split { binning, axis, last_left: i, cost });
        }
    }
    best
}
