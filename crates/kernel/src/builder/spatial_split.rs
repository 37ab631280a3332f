//! Cuts through triangles: spatial splits [Stich09] with chopped binning, unsplitting, and room for duplicates.
//!
//! A reference may stand for a part of its triangle: the part inside some slabs. The traversal's contract (see
//! [`crate::primitive`]) is that some leaf box is entered no later, and left no earlier, than the *computed* `t` of a
//! hit. That `t` is where the ray comes as close as rounding allows to a point of the triangle; that point lies in one of its
//! parts, and the padding of the slab test makes up for the rounding.

use fearless_simd::{Simd, SimdBase, SimdCombine, SimdSplit, f32x4, f32x8};
use sunfleck_math::Vec3;

use super::object_split::{INTEGER, ObjectSplit, unit_scale};
use super::prim_ref::{Extent, Lanes, PrimRef};
use super::{Context, Corners};

/// Planes are tried between this many slabs per axis.
const BINS: usize = 16;

/// Cuts are tried where the children of the best object split share more than this fraction of the root's area
/// [Stich09, §4.2] …
const MIN_OVERLAP_OF_ROOT: f32 = 5e-4;
/// … and of their parent's: less is not worth the search.
const MIN_OVERLAP_OF_NODE: f32 = 0.2;
/// What a cut must save.
const MAX_COST_RATIO: f32 = 0.99;

/// By how much the box of a part grows: crossings of edges with planes are off by some roundings of coordinates.
#[inline(always)]
fn margin(corners: &[Vec3; 3]) -> f32 {
    let [a, b, c] = corners.map(Vec3::abs);
    a.max(b).max(c).max_element() * (8.0 * f32::EPSILON)
}

/// Whether a triangle may be cut: its size must be one at which f32 neither overflows nor underflows.
pub(super) fn may_split(corners: &[Vec3; 3]) -> bool {
    let (ab, bc, ca) = (corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]);
    let longest = ab.length_squared().max(bc.length_squared()).max(ca.length_squared());
    (1e-15..1e18).contains(&longest)
}

/// A plane that cuts triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpatialSplit {
    slabs: Slabs,
    axis: usize,
    last_left: usize,
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug)]
struct Side {
    bounds: Lanes,
    count: usize,
}

impl SpatialSplit {
    /// The cheapest plane if it beats `rival` and `room` suffices for the duplicates.
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

    /// Cuts. The left side is then at the front, the right one behind it, altogether at most `live` and the room
    /// promised to [`find`](Self::find) many; none where one side would be empty.
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

    /// What goes to the left and to the right.
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
        let cut = triangle.crossing(self.axis, plane);
        let part = |from, to| triangle.part(self.axis, from, to).union(cut).grown(triangle.margin);
        let left = part(f32::NEG_INFINITY, plane).intersection(lanes);
        let right = part(plane, f32::INFINITY).intersection(lanes);
        if left.is_empty() {
            return [None, Some(*r)];
        }
        if right.is_empty() {
            return [Some(*r), None];
        }
        // Whether it is cheaper to keep it whole on one side [Stich09, §4.4]
        let [l, r_side] = &self.sides;
        let area = |b: Lanes| b.half_area(self.slabs.scale);
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

/// The slabs of a node.
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
    fn new(bounds: &Lanes) -> Self {
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

    /// The plane before slab `i`.
    #[inline(always)]
    fn plane(&self, axis: usize, i: usize) -> f32 {
        self.origin[axis] + self.width[axis] * i as f32
    }

    /// All that is before each plane, and all that is behind it, as boxes.
    #[inline(always)]
    fn sides(&self) -> [[[Lanes; 2]; BINS]; 3] {
        let mut sides = [[[Lanes([f32::NEG_INFINITY; 8]); 2]; BINS]; 3];
        for (axis, sides) in sides.iter_mut().enumerate() {
            for (i, [before, behind]) in sides.iter_mut().enumerate() {
                let plane = self.plane(axis, i);
                before.0[axis + 4] = -plane;
                behind.0[axis] = plane;
            }
        }
        sides
    }

    /// The first and the last slab of a reference on each axis; those that are not cut count as where their middle is.
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
        let x = x.max_precise(splat(0.0)).min(splat((BINS - 1) as f32)) + splat(INTEGER);
        let slabs = x.to_array().map(|x| x.to_bits() as usize % BINS);
        [0, 1, 2].map(|axis| (slabs[axis], slabs[axis + 4]))
    }
}

/// Turns [`Lanes`] into the lower corner and the upper one.
const SIGNS: [f32; 8] = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];

/// A triangle to be cut.
struct Triangle {
    corners: [[f32; 3]; 3],
    points: [Lanes; 3],
    margin: f32,
}

impl Triangle {
    #[inline(always)]
    fn new(corners: &[Vec3; 3]) -> Self {
        let margin = margin(corners);
        let corners = corners.map(|c| c.to_array());
        Self { corners, points: corners.map(|[x, y, z]| Lanes([x, y, z, 0.0, -x, -y, -z, 0.0])), margin }
    }

    /// The box around the points at which edges meet a plane.
    #[inline(always)]
    fn crossing(&self, axis: usize, plane: f32) -> Lanes {
        let mut lanes = Lanes::EMPTY;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (self.corners[i], self.corners[j]);
            if (a[axis] <= plane) != (b[axis] <= plane) {
                let s = (plane - a[axis]) / (b[axis] - a[axis]);
                let [x, y, z] = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * s);
                lanes = lanes.union(Lanes([x, y, z, 0.0, -x, -y, -z, 0.0]));
            }
        }
        lanes
    }

    /// Adds the parts in consecutive slabs from `first` on, within the box of the reference, to those of others.
    #[inline(always)]
    fn chop(&self, axis: usize, slabs: &Slabs, first: usize, within: &Lanes, bounds: &mut [Lanes]) {
        let (mut from, mut cut) = (f32::NEG_INFINITY, Lanes::EMPTY);
        let last = bounds.len() - 1;
        for (i, bounds) in bounds.iter_mut().enumerate() {
            let (mut to, mut next) = (f32::INFINITY, Lanes::EMPTY);
            if i < last {
                to = slabs.plane(axis, first + i + 1);
                next = self.crossing(axis, to);
            }
            let part = self.part(axis, from, to).union(cut).union(next).grown(self.margin);
            let part = part.intersection(*within);
            if !part.is_empty() {
                *bounds = bounds.union(part);
            }
            (from, cut) = (to, next);
        }
    }

    /// The box around the corners between two planes.
    #[inline(always)]
    fn part(&self, axis: usize, from: f32, to: f32) -> Lanes {
        let mut lanes = Lanes::EMPTY;
        for (corner, point) in self.corners.iter().zip(&self.points) {
            if corner[axis] >= from && corner[axis] <= to {
                lanes = lanes.union(*point);
            }
        }
        lanes
    }
}

struct Bins {
    bounds: [[Lanes; BINS]; 3],
    entries: [[u32; BINS]; 3],
    exits: [[u32; BINS]; 3],
}

impl Bins {
    /// Parts of triangles in slabs.
    ///
    /// What spans two slabs is cut as a box: that is enough to choose a plane.
    #[inline(always)]
    fn of<S: Simd>(simd: S, refs: &[PrimRef], slabs: &Slabs, corners: &Corners<'_>) -> Self {
        let mut bins =
            Self { bounds: [[Lanes::EMPTY; BINS]; 3], entries: [[0; BINS]; 3], exits: [[0; BINS]; 3] };
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

    #[inline(always)]
    fn best(
        &self,
        count: usize,
        room: usize,
        mut limit: f32,
        slabs: &Slabs,
        context: &Context<'_>,
    ) -> Option<SpatialSplit> {
        let blocks = |count: usize| context.settings.prices.blocks(count);
        let mut best = None;
        for axis in 0..3 {
            let mut right = [Side { bounds: Lanes::EMPTY, count: 0 }; BINS];
            let mut side = right[0];
            for i in (1..BINS).rev() {
                side.bounds = side.bounds.union(self.bounds[axis][i]);
                side.count += self.exits[axis][i] as usize;
                right[i] = side;
            }
            let mut left = Side { bounds: Lanes::EMPTY, count: 0 };
            for i in 0..BINS - 1 {
                left.bounds = left.bounds.union(self.bounds[axis][i]);
                left.count += self.entries[axis][i] as usize;
                let right = right[i + 1];
                // An empty side's area is infinite, its cost undefined.
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
