//! Spatial splits [Stich09], which split triangles by planes, with chopped binning, reference unsplitting, and a limit
//! on the number of duplicates.
//!
//! A reference may refer to a part of its triangle, the part inside some slabs. Traversal requires (see
//! [`crate::primitive`]) that the ray enters the box of at least one leaf no later, and exits it no earlier, than the
//! *computed* `t` of a hit. At that `t` the ray is, up to rounding errors, at a point of the triangle. The point is in
//! one of the parts, and the padding of the slab test covers the rounding errors.

use fearless_simd::{Simd, SimdBase, SimdCombine, SimdSplit, f32x4, f32x8};
use sunfleck_math::Vec3;

use super::object_split::{ObjectSplit, ROUND_TO_INTEGER, unit_scale};
use super::prim_ref::{Extent, PrimRef, SimdAabb};
use super::{Context, Corners};

/// Number of slabs per axis; the planes between them are candidates for a split.
const BINS: usize = 16;

/// Spatial splits are tried if the overlap of the children of the best object split exceeds this fraction of the root's
/// area [Stich09, §4.2] …
const MIN_OVERLAP_OF_ROOT: f32 = 5e-4;
/// … and this fraction of their parent's area; otherwise the search does not pay.
const MIN_OVERLAP_OF_NODE: f32 = 0.2;
/// Maximum cost of a spatial split relative to the best object split.
const MAX_COST_RATIO: f32 = 0.99;

/// Returns the margin of the boxes of parts, which covers the rounding errors of the intersections of edges with
/// planes.
#[inline(always)]
fn margin(corners: &[Vec3; 3]) -> f32 {
    let [a, b, c] = corners.map(Vec3::abs);
    a.max(b).max(c).max_element() * (8.0 * f32::EPSILON)
}

/// Returns whether a triangle may be split: its size must be one at which f32 neither overflows nor underflows.
pub(super) fn may_split(corners: &[Vec3; 3]) -> bool {
    let (ab, bc, ca) = (corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]);
    let longest = ab.length_squared().max(bc.length_squared()).max(ca.length_squared());
    (1e-15..1e18).contains(&longest)
}

/// Split of a set of references by a plane, which splits triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpatialSplit {
    slabs: Slabs,
    axis: usize,
    last_left: usize,
    sides: [SplitSide; 2],
}

/// Box and number of references on one side of a plane.
#[derive(Clone, Copy, Debug)]
struct SplitSide {
    bounds: SimdAabb,
    count: usize,
}

impl SpatialSplit {
    /// Returns the split with the lowest cost, if it is better than `rival` and creates at most `room` duplicates.
    #[inline(always)]
    pub(super) fn find<S: Simd>(
        simd: S,
        refs: &[PrimRef],
        extent: &Extent,
        rival: Option<&ObjectSplit>,
        room: usize,
        context: &Context<'_>,
    ) -> Option<Self> {
        let corners = context.corners?;
        let overlap = rival.map_or(extent.bounds, |r| r.sides[0].intersection(r.sides[1]));
        let apart = overlap.size().into_iter().any(|x| x < 0.0);
        let shared = if apart { 0.0 } else { overlap.half_area(context.scale) };
        let node = extent.bounds.half_area(context.scale);
        if room == 0
            || shared <= MIN_OVERLAP_OF_ROOT * context.root_area
            || shared <= MIN_OVERLAP_OF_NODE * node
        {
            return None;
        }
        let slabs = Slabs::new(&extent.bounds);
        let limit = rival.map_or(f32::INFINITY, |r| r.cost * MAX_COST_RATIO);
        Bins::of(simd, refs, &slabs, corners).best(refs.len(), room, limit, &slabs, context)
    }

    /// Moves the left side to the front and the right side behind it, and returns their ends and extents; `None` if one
    /// side would be empty.
    ///
    /// Together both sides have at most `live` references plus the `room` that was passed to [`find`](Self::find).
    #[inline(always)]
    pub(super) fn partition<S: Simd>(
        &self,
        simd: S,
        refs: &mut [PrimRef],
        live: usize,
        context: &Context<'_>,
    ) -> Option<(usize, usize, [Extent; 2])> {
        let corners = context.corners?;
        let mut sides = [Extent::EMPTY; 2];
        let (mut left, mut right, mut end) = (0, live, live);
        while left < right {
            let r = refs[left];
            let [to_left, to_right] = self.parts(simd, &r, corners);
            if let Some(part) = &to_left {
                refs[left] = *part;
                sides[0].include(part);
                left += 1;
            }
            match (&to_left, &to_right) {
                (Some(_), Some(part)) => {
                    *refs.get_mut(end)? = *part;
                    sides[1].include(part);
                    end += 1;
                }
                (None, part) => {
                    let part = part.unwrap_or(r);
                    sides[1].include(&part);
                    right -= 1;
                    refs[left] = refs[right];
                    refs[right] = part;
                }
                (Some(_), None) => {}
            }
        }
        (left > 0 && left < end).then_some((left, end, sides))
    }

    /// Returns the parts of a reference on the left and on the right side.
    #[inline(always)]
    fn parts<S: Simd>(&self, simd: S, r: &PrimRef, corners: &Corners<'_>) -> [Option<PrimRef>; 2] {
        let lanes = r.lanes();
        let (first, last) = self.slabs.ranges(simd, r, lanes.load(simd))[self.axis];
        if last <= self.last_left {
            return [Some(*r), None];
        }
        if first > self.last_left {
            return [None, Some(*r)];
        }
        let triangle = Triangle::new(&corners(r.prim()));
        let plane = self.slabs.plane(self.axis, self.last_left + 1);
        let crossing = triangle.crossing(self.axis, plane);
        let part = |from, to| triangle.part(self.axis, from, to).union(crossing).grown(triangle.margin);
        let left = part(f32::NEG_INFINITY, plane).intersection(lanes);
        let right = part(plane, f32::INFINITY).intersection(lanes);
        if left.is_empty() {
            return [None, Some(*r)];
        }
        if right.is_empty() {
            return [Some(*r), None];
        }
        // Reference unsplitting: keep it whole if that costs less [Stich09, §4.4].
        let [l, r_side] = &self.sides;
        let area = |b: SimdAabb| b.half_area(self.slabs.scale);
        let (nl, nr) = (l.count as f32, r_side.count as f32);
        let both = area(l.bounds) * nl + area(r_side.bounds) * nr;
        let only_left = area(l.bounds.union(lanes)) * nl + area(r_side.bounds) * (nr - 1.0);
        let only_right = area(l.bounds) * (nl - 1.0) + area(r_side.bounds.union(lanes)) * nr;
        if only_left <= both && only_left <= only_right {
            return [Some(*r), None];
        }
        if only_right <= both {
            return [None, Some(*r)];
        }
        [Some(r.with_bounds(&left)), Some(r.with_bounds(&right))]
    }
}

/// Division of the box of a node into slabs along each axis.
#[derive(Clone, Copy, Debug)]
struct Slabs {
    origin: [f32; 8],
    width: [f32; 3],
    inverse: [f32; 8],
    /// See [`unit_scale`].
    scale: f32,
}

impl Slabs {
    #[inline(always)]
    fn new(bounds: &SimdAabb) -> Self {
        let size = bounds.size();
        let [x, y, z] = [0, 1, 2].map(|axis| bounds.lower(axis));
        let [u, v, w] = size.map(|x| if x > 0.0 { BINS as f32 / x } else { 0.0 });
        Self {
            origin: [x, y, z, 0.0, x, y, z, 0.0],
            width: size.map(|x| x / BINS as f32),
            inverse: [u, v, w, 0.0, u, v, w, 0.0],
            scale: unit_scale(bounds),
        }
    }

    /// Returns the plane before slab `i`.
    #[inline(always)]
    fn plane(&self, axis: usize, i: usize) -> f32 {
        self.origin[axis] + self.width[axis] * i as f32
    }

    /// Returns the half spaces before and behind each plane, as boxes.
    #[inline(always)]
    fn sides(&self) -> [[[SimdAabb; 2]; BINS]; 3] {
        let mut sides = [[[SimdAabb([f32::NEG_INFINITY; 8]); 2]; BINS]; 3];
        for (axis, sides) in sides.iter_mut().enumerate() {
            for (i, [before, behind]) in sides.iter_mut().enumerate() {
                let plane = self.plane(axis, i);
                before.0[axis + 4] = -plane;
                behind.0[axis] = plane;
            }
        }
        sides
    }

    /// Returns the first and the last slab of a reference along each axis. A reference that may not be split is only in
    /// the slab of its centre.
    #[inline(always)]
    fn ranges<S: Simd>(&self, simd: S, r: &PrimRef, lanes: f32x8<S>) -> [(usize, usize); 3] {
        let load = |x: &[f32; 8]| f32x8::load_array_ref(simd, x);
        let splat = |x: f32| f32x8::splat(simd, x);
        let mut corners = lanes * load(&SIGNS);
        if !r.may_be_cut() {
            let (lower, upper) = corners.split();
            let middle = (lower + upper) * f32x4::splat(simd, 0.5);
            corners = middle.combine(middle);
        }
        let x = (corners - load(&self.origin)) * load(&self.inverse) - splat(0.5);
        let x = x.max_precise(splat(0.0)).min(splat((BINS - 1) as f32)) + splat(ROUND_TO_INTEGER);
        let slabs = x.to_array().map(|x| x.to_bits() as usize % BINS);
        [0, 1, 2].map(|axis| (slabs[axis], slabs[axis + 4]))
    }
}

/// Signs that turn a [`SimdAabb`] into its lower and its upper corner.
const SIGNS: [f32; 8] = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];

/// Triangle that is split by planes.
struct Triangle {
    corners: [[f32; 3]; 3],
    points: [SimdAabb; 3],
    margin: f32,
}

impl Triangle {
    #[inline(always)]
    fn new(corners: &[Vec3; 3]) -> Self {
        let margin = margin(corners);
        let corners = corners.map(|c| c.to_array());
        Self { corners, points: corners.map(|[x, y, z]| SimdAabb([x, y, z, 0.0, -x, -y, -z, 0.0])), margin }
    }

    /// Returns the box around the points at which edges cross a plane.
    #[inline(always)]
    fn crossing(&self, axis: usize, plane: f32) -> SimdAabb {
        let mut lanes = SimdAabb::EMPTY;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (self.corners[i], self.corners[j]);
            if (a[axis] <= plane) != (b[axis] <= plane) {
                let s = (plane - a[axis]) / (b[axis] - a[axis]);
                let [x, y, z] = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * s);
                lanes = lanes.union(SimdAabb([x, y, z, 0.0, -x, -y, -z, 0.0]));
            }
        }
        lanes
    }

    /// Adds the boxes of the parts in consecutive slabs from `first` on, clipped to the box of the reference, to
    /// `bounds`.
    #[inline(always)]
    fn chop(&self, axis: usize, slabs: &Slabs, first: usize, within: &SimdAabb, bounds: &mut [SimdAabb]) {
        let (mut from, mut crossing) = (f32::NEG_INFINITY, SimdAabb::EMPTY);
        let last = bounds.len() - 1;
        for (i, bounds) in bounds.iter_mut().enumerate() {
            let (mut to, mut next) = (f32::INFINITY, SimdAabb::EMPTY);
            if i < last {
                to = slabs.plane(axis, first + i + 1);
                next = self.crossing(axis, to);
            }
            let part = self.part(axis, from, to).union(crossing).union(next).grown(self.margin);
            let part = part.intersection(*within);
            if !part.is_empty() {
                *bounds = bounds.union(part);
            }
            (from, crossing) = (to, next);
        }
    }

    /// Returns the box around the vertices between two planes.
    #[inline(always)]
    fn part(&self, axis: usize, from: f32, to: f32) -> SimdAabb {
        let mut lanes = SimdAabb::EMPTY;
        for (corner, point) in self.corners.iter().zip(&self.points) {
            if corner[axis] >= from && corner[axis] <= to {
                lanes = lanes.union(*point);
            }
        }
        lanes
    }
}

/// Boxes of the parts of triangles in all slabs, and the numbers of references that begin and end there.
struct Bins {
    bounds: [[SimdAabb; BINS]; 3],
    entries: [[u32; BINS]; 3],
    exits: [[u32; BINS]; 3],
}

impl Bins {
    /// Bins references by chopped binning.
    ///
    /// For references that span two slabs, the box is split instead of the triangle, which is exact enough to choose a
    /// plane.
    #[inline(always)]
    fn of<S: Simd>(simd: S, refs: &[PrimRef], slabs: &Slabs, corners: &Corners<'_>) -> Self {
        let mut bins =
            Self { bounds: [[SimdAabb::EMPTY; BINS]; 3], entries: [[0; BINS]; 3], exits: [[0; BINS]; 3] };
        let sides = slabs.sides();
        for r in refs {
            let lanes = r.lanes();
            let wide = lanes.load(simd);
            for (axis, (first, last)) in slabs.ranges(simd, r, wide).into_iter().enumerate() {
                let (first, last) = (first % BINS, last % BINS);
                bins.entries[axis][first] += 1;
                bins.exits[axis][last] += 1;
                let bounds = &mut bins.bounds[axis];
                if first == last {
                    bounds[first].include(simd, wide);
                } else if first + 1 == last {
                    let [before, after] = &sides[axis][last];
                    bounds[first].include(simd, wide.max(before.load(simd)));
                    bounds[last].include(simd, wide.max(after.load(simd)));
                } else {
                    let triangle = Triangle::new(&corners(r.prim()));
                    triangle.chop(axis, slabs, first, &lanes, &mut bounds[first..=last]);
                }
            }
        }
        bins
    }

    /// Returns the plane with the lowest cost below `limit` that creates at most `room` duplicates.
    #[inline(always)]
    fn best(
        &self,
        count: usize,
        room: usize,
        mut limit: f32,
        slabs: &Slabs,
        context: &Context<'_>,
    ) -> Option<SpatialSplit> {
        let blocks = |count: usize| context.settings.cost_model.blocks(count);
        let mut best = None;
        for axis in 0..3 {
            let mut right = [SplitSide { bounds: SimdAabb::EMPTY, count: 0 }; BINS];
            let mut side = right[0];
            for i in (1..BINS).rev() {
                side.bounds = side.bounds.union(self.bounds[axis][i]);
                side.count += self.exits[axis][i] as usize;
                right[i] = side;
            }
            let mut left = SplitSide { bounds: SimdAabb::EMPTY, count: 0 };
            for i in 0..BINS - 1 {
                left.bounds = left.bounds.union(self.bounds[axis][i]);
                left.count += self.entries[axis][i] as usize;
                let right = right[i + 1];
                // The area of an empty side is infinite, its cost NaN.
                let cost = left.bounds.half_area(slabs.scale) * blocks(left.count)
                    + right.bounds.half_area(slabs.scale) * blocks(right.count);
                if cost < limit && left.count + right.count <= count + room {
                    limit = cost;
                    best = Some(SpatialSplit { slabs: *slabs, axis, last_left: i, sides: [left, right] });
                }
            }
        }
        best
    }
}
