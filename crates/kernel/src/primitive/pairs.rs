//! Test of sixteen ray–triangle pairs at once: of one triangle with sixteen rays, of four triangles with four rays, or
//! of four rays with four different triangles each.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x16, mask32x16, u32x16};

use super::arithmetic::{difference, max, min};
use super::block::{LANES, Lanes, TriangleBlock};
use super::ray_batch::{BATCH, RayBatch};
use super::ray_numbers::{
    self as number, FAR, NEAR, NUMBERS, ORIGIN, RDIRECTION_Z, RayNumbers, SHEAR, T_FAR, T_NEAR,
};
use super::scalar::{DET_MAX, EDGE_MIN, intersect_precise};
use crate::simd::{permute16, spread};

/// Hits of sixteen ray–triangle pairs; only those in `mask` are valid.
pub(crate) struct PairHits<S: Simd> {
    pub(crate) mask: mask32x16<S>,
    pub(crate) t: f32x16<S>,
    pub(crate) u: f32x16<S>,
    pub(crate) v: f32x16<S>,
}

/// Sixteen ray–triangle pairs. Axes are permuted for the ray of each pair; see [`RayNumbers`].
pub(crate) trait Pairs<S: Simd> {
    /// Whether the test returns early if all rays miss, at the price of a branch.
    const EARLY: bool;

    /// Returns one coordinate of one vertex of each triangle.
    fn vertex(&self, simd: S, vertex: usize, axis: usize) -> f32x16<S>;

    /// Returns one number of each ray; see [`ray_numbers`](super::ray_numbers).
    fn number(&self, simd: S, number: usize) -> f32x16<S>;

    /// Returns the planes of each triangle's box through which the ray enters and exits.
    fn near_far(&self, simd: S, axis: usize, low: f32x16<S>, high: f32x16<S>) -> (f32x16<S>, f32x16<S>);
}

/// Pairs of one triangle of a block and sixteen rays of one class.
pub(crate) struct OneTriangle<'a> {
    pub(crate) block: &'a TriangleBlock,
    pub(crate) lane: usize,
    pub(crate) rays: &'a RayBatch,
    /// Rows of the entered planes; see [`Bvh8Node::entered_rows`](crate::layout::Bvh8Node::entered_rows).
    pub(crate) rows: [u32; 3],
}

impl<S: Simd> Pairs<S> for OneTriangle<'_> {
    const EARLY: bool = true;

    #[inline(always)]
    fn vertex(&self, simd: S, vertex: usize, axis: usize) -> f32x16<S> {
        f32x16::splat(simd, self.block.row(vertex, self.rows[axis])[self.lane & (LANES - 1)])
    }

    #[inline(always)]
    fn number(&self, simd: S, number: usize) -> f32x16<S> {
        f32x16::load_array_ref(simd, &self.rays.rows[number])
    }

    #[inline(always)]
    fn near_far(&self, _: S, axis: usize, low: f32x16<S>, high: f32x16<S>) -> (f32x16<S>, f32x16<S>) {
        if self.rows[axis] & 8 == 0 { (low, high) } else { (high, low) }
    }
}

/// Pairs of four triangles and four of sixteen rays of one class: pair `4 r + k` is of the ray in lane `lanes[r]` and
/// triangle `k`.
pub(crate) struct FourTriangles<'a, S: Simd> {
    block: &'a TriangleBlock,
    rays: &'a RayBatch,
    rows: [u32; 3],
    pub(crate) lanes: [u32; 4],
    index: u32x16<S>,
}

impl<'a, S: Simd> FourTriangles<'a, S> {
    /// Selects the first four rays of `mask`; if there are fewer, the rest is lane 0.
    #[inline(always)]
    pub(crate) fn new(
        simd: S,
        block: &'a TriangleBlock,
        rays: &'a RayBatch,
        rows: [u32; 3],
        mut mask: u32,
    ) -> Self {
        let mut lanes = [0; 4];
        for lane in &mut lanes {
            *lane = if mask == 0 { *lane } else { mask.trailing_zeros() };
            mask &= mask.wrapping_sub(1);
        }
        let index = u32x16::load_array(simd, std::array::from_fn(|i| lanes[i / 4]));
        Self { block, rays, rows, lanes, index }
    }
}

impl<S: Simd> Pairs<S> for FourTriangles<'_, S> {
    const EARLY: bool = true;

    #[inline(always)]
    fn vertex(&self, simd: S, vertex: usize, axis: usize) -> f32x16<S> {
        f32x16::block_splat(Lanes::load_array_ref(simd, self.block.row(vertex, self.rows[axis])))
    }

    #[inline(always)]
    fn number(&self, simd: S, number: usize) -> f32x16<S> {
        permute16(simd, f32x16::load_array_ref(simd, &self.rays.rows[number]), self.index)
    }

    #[inline(always)]
    fn near_far(&self, _: S, axis: usize, low: f32x16<S>, high: f32x16<S>) -> (f32x16<S>, f32x16<S>) {
        if self.rows[axis] & 8 == 0 { (low, high) } else { (high, low) }
    }
}

/// Pairs of four rays of any class, each with four triangles: pair `4 r + k` is of ray `r` and triangle `k` of its
/// block.
pub(crate) struct FourBlocks<'a, S: Simd> {
    blocks: [&'a TriangleBlock; 4],
    rows: [&'a [u32; 3]; 4],
    /// `numbers[i]` holds the numbers `4 i..4 i + 4` of each ray.
    numbers: [f32x16<S>; NUMBERS / LANES],
}

impl<'a, S: Simd> FourBlocks<'a, S> {
    #[inline(always)]
    pub(crate) fn new(
        simd: S,
        blocks: [&'a TriangleBlock; 4],
        rays: [&RayNumbers; 4],
        rows: [&'a [u32; 3]; 4],
    ) -> Self {
        let numbers =
            [four_of(simd, rays, 0), four_of(simd, rays, 1), four_of(simd, rays, 2), four_of(simd, rays, 3)];
        Self { blocks, rows, numbers }
    }
}

impl<S: Simd> Pairs<S> for FourBlocks<'_, S> {
    const EARLY: bool = false;

    #[inline(always)]
    fn vertex(&self, simd: S, vertex: usize, axis: usize) -> f32x16<S> {
        let [a, b, c, d] = self.blocks;
        join(
            simd,
            Lanes::load_array_ref(simd, a.row(vertex, self.rows[0][axis])),
            Lanes::load_array_ref(simd, b.row(vertex, self.rows[1][axis])),
            Lanes::load_array_ref(simd, c.row(vertex, self.rows[2][axis])),
            Lanes::load_array_ref(simd, d.row(vertex, self.rows[3][axis])),
        )
    }

    #[inline(always)]
    fn number(&self, simd: S, number: usize) -> f32x16<S> {
        spread(simd, self.numbers[number / LANES], number % LANES)
    }

    #[inline(always)]
    fn near_far(&self, simd: S, axis: usize, low: f32x16<S>, high: f32x16<S>) -> (f32x16<S>, f32x16<S>) {
        let negative: mask32x16<S> = self.number(simd, number::rdir(axis)).simd_lt(f32x16::splat(simd, 0.0));
        (negative.select(high, low), negative.select(low, high))
    }
}

/// Returns the numbers `4 i..4 i + 4` of each ray.
#[inline(always)]
fn four_of<S: Simd>(simd: S, rays: [&RayNumbers; 4], i: usize) -> f32x16<S> {
    let numbers = LANES * i..LANES * (i + 1);
    join(
        simd,
        Lanes::from_slice(simd, &rays[0].0[numbers.clone()]),
        Lanes::from_slice(simd, &rays[1].0[numbers.clone()]),
        Lanes::from_slice(simd, &rays[2].0[numbers.clone()]),
        Lanes::from_slice(simd, &rays[3].0[numbers]),
    )
}

#[inline(always)]
fn join<S: Simd>(simd: S, a: Lanes<S>, b: Lanes<S>, c: Lanes<S>, d: Lanes<S>) -> f32x16<S> {
    simd.combine_f32x8(simd.combine_f32x4(a, b), simd.combine_f32x4(c, d))
}

/// Tests the `active` pairs. Hits have the same bits as those of
/// [`intersect_triangle`](super::scalar::intersect_triangle).
#[inline(always)]
pub(crate) fn intersect_pairs<S: Simd, P: Pairs<S>>(simd: S, pairs: &P, active: u32) -> Option<PairHits<S>> {
    let splat = |x: f32| f32x16::splat(simd, x);

    // Vertices relative to the origins, sheared; and boxes, unless an early return may make them unnecessary
    let (a, b, c) = (vertex(simd, pairs, 0), vertex(simd, pairs, 1), vertex(simd, pairs, 2));
    let mut bounds = [a, b];
    if !P::EARLY {
        bounds = extent(simd, &a, &b, &c);
    }
    let (a, b, c) = (shear(simd, pairs, &a), shear(simd, pairs, &b), shear(simd, pairs, &c));

    // Edge functions, with a relative error of at most two roundings
    let e0 = difference(c[0], b[1], c[1], b[0]);
    let e1 = difference(a[0], c[1], a[1], c[0]);
    let e2 = difference(b[0], a[1], b[1], a[0]);
    // SIMD levels differ in the minimum of NaNs. Such a lane either misses or is computed again in f64.
    let (least, most) = (e0.min(e1).min(e2), e0.max(e1).max(e2));
    let (edge_min, minus_edge_min) = (splat(EDGE_MIN), splat(-EDGE_MIN));
    let inside = !(least.simd_lt(minus_edge_min) & most.simd_gt(edge_min))
        & mask32x16::from_bitmask(simd, active.into());
    if P::EARLY && inside.to_bitmask() == 0 {
        return None;
    }

    // Barycentric coordinates and depth
    let det = (e0 + e1) + e2;
    let fast = (least.simd_gt(edge_min) | most.simd_lt(minus_edge_min)) & det.abs().simd_le(splat(DET_MAX));
    let rdet = splat(1.0) / det;
    let (mut u, mut v) = (e1 * rdet, e2 * rdet);
    let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
    let rdirection_z = pairs.number(simd, RDIRECTION_Z);
    let mut t = z * rdirection_z;

    // Zeros and extreme values in f64
    let mut mask = inside;
    let mut slow = (inside & !fast).to_bitmask();
    if slow != 0 {
        let mut valid = inside.to_bitmask();
        while slow != 0 {
            let lane = slow.trailing_zeros() as usize & (BATCH - 1);
            let corners = [a, b, c].map(|vertex| vertex.map(|x| x.as_array()[lane]));
            match intersect_precise(corners, rdirection_z.as_array()[lane]) {
                Some(found) => {
                    (t.as_mut_array()[lane], u.as_mut_array()[lane], v.as_mut_array()[lane]) =
                        (found.t, found.u, found.v);
                }
                None => valid &= !(1 << lane),
            }
            slow &= slow - 1;
        }
        mask = mask32x16::from_bitmask(simd, valid);
    }

    // Clamp to the interval of the triangle's own box
    if P::EARLY {
        let (a, b, c) = (vertex(simd, pairs, 0), vertex(simd, pairs, 1), vertex(simd, pairs, 2));
        bounds = extent(simd, &a, &b, &c);
    }
    let [low, high] = bounds;
    let (mut entry, mut exit) = (splat(f32::NEG_INFINITY), splat(f32::INFINITY));
    for axis in 0..3 {
        let (near, far) = pairs.near_far(simd, axis, low[axis], high[axis]);
        let rdir = pairs.number(simd, number::rdir(axis));
        entry = max(simd, entry, (near - pairs.number(simd, NEAR + axis)) * rdir);
        exit = min(simd, exit, (far - pairs.number(simd, FAR + axis)) * rdir);
    }
    t = min(simd, max(simd, t, entry), exit);

    let counts =
        entry.simd_le(exit) & t.simd_ge(pairs.number(simd, T_NEAR)) & t.simd_le(pairs.number(simd, T_FAR));
    Some(PairHits { mask: mask & counts, t, u, v })
}

#[inline(always)]
fn vertex<S: Simd, P: Pairs<S>>(simd: S, pairs: &P, vertex: usize) -> [f32x16<S>; 3] {
    [pairs.vertex(simd, vertex, 0), pairs.vertex(simd, vertex, 1), pairs.vertex(simd, vertex, 2)]
}

/// Returns the lower and the upper corner of each triangle's box.
#[inline(always)]
fn extent<S: Simd>(
    simd: S,
    a: &[f32x16<S>; 3],
    b: &[f32x16<S>; 3],
    c: &[f32x16<S>; 3],
) -> [[f32x16<S>; 3]; 2] {
    let (mut low, mut high) = (*a, *a);
    for axis in 0..3 {
        low[axis] = min(simd, min(simd, a[axis], b[axis]), c[axis]);
        high[axis] = max(simd, max(simd, a[axis], b[axis]), c[axis]);
    }
    [low, high]
}

/// Returns a vertex relative to the origins, sheared.
#[inline(always)]
fn shear<S: Simd, P: Pairs<S>>(simd: S, pairs: &P, vertex: &[f32x16<S>; 3]) -> [f32x16<S>; 3] {
    let z = vertex[2] - pairs.number(simd, ORIGIN + 2);
    let x = vertex[0] - pairs.number(simd, ORIGIN);
    let y = vertex[1] - pairs.number(simd, ORIGIN + 1);
    [x - pairs.number(simd, SHEAR) * z, y - pairs.number(simd, SHEAR + 1) * z, z]
}
