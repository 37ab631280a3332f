//! Sixteen pairs of a triangle and a ray: one triangle and sixteen rays, or four of each.

use fearless_simd::{Simd, SimdBase, SimdMask, f32x16, mask32x16, u32x16};

use super::block::{Lanes, TriangleBlock};
use super::order::{max, min};
use super::ray_batch::{BATCH, RayBatch};
use super::scalar::{DET_MAX, DET_MIN, intersect_precise};
use crate::simd::permute16;

/// Where rays meet triangles: the pairs of `mask` do.
pub(crate) struct PacketHit<S: Simd> {
    pub(crate) mask: mask32x16<S>,
    pub(crate) t: f32x16<S>,
    pub(crate) u: f32x16<S>,
    pub(crate) v: f32x16<S>,
}

/// The triangle of each pair.
pub(crate) trait Triangles<S: Simd>: Copy {
    /// One coordinate of one vertex.
    fn coordinate(self, simd: S, vertex: usize, axis: usize) -> f32x16<S>;
}

/// The ray of each pair.
pub(crate) trait Rays<S: Simd>: Copy {
    /// One of the numbers of a batch.
    fn number(self, simd: S, row: &[f32; BATCH]) -> f32x16<S>;
}

/// The same triangle, `[vertex][axis]`, in all pairs.
#[derive(Clone, Copy)]
pub(crate) struct One<'a>(pub(crate) &'a [[f32; 3]; 3]);

impl<S: Simd> Triangles<S> for One<'_> {
    #[inline(always)]
    fn coordinate(self, simd: S, vertex: usize, axis: usize) -> f32x16<S> {
        f32x16::splat(simd, self.0[vertex][axis])
    }
}

/// The four triangles of a block, again and again.
#[derive(Clone, Copy)]
pub(crate) struct Four<'a>(pub(crate) &'a TriangleBlock);

impl<S: Simd> Triangles<S> for Four<'_> {
    #[inline(always)]
    fn coordinate(self, simd: S, vertex: usize, axis: usize) -> f32x16<S> {
        f32x16::block_splat(Lanes::load_array_ref(simd, &self.0.vertices[vertex][axis]))
    }
}

/// Each ray of a batch once.
#[derive(Clone, Copy)]
pub(crate) struct Each;

impl<S: Simd> Rays<S> for Each {
    #[inline(always)]
    fn number(self, simd: S, row: &[f32; BATCH]) -> f32x16<S> {
        f32x16::load_array_ref(simd, row)
    }
}

/// The rays with these lanes.
#[derive(Clone, Copy)]
pub(crate) struct Picked<S: Simd>(pub(crate) u32x16<S>);

impl<S: Simd> Picked<S> {
    /// The first four of some rays, each four times, and their lanes.
    #[inline(always)]
    pub(crate) fn four(simd: S, mut mask: u32) -> (Self, [u32; 4]) {
        let mut lanes = [0; 4];
        for lane in &mut lanes {
            *lane = if mask == 0 { *lane } else { mask.trailing_zeros() };
            mask &= mask.wrapping_sub(1);
        }
        let index = u32x16::load_array(simd, std::array::from_fn(|i| lanes[i / 4]));
        (Self(index), lanes)
    }
}

impl<S: Simd> Rays<S> for Picked<S> {
    #[inline(always)]
    fn number(self, simd: S, row: &[f32; BATCH]) -> f32x16<S> {
        permute16(simd, f32x16::load_array_ref(simd, row), self.0)
    }
}

/// Tests the `active` pairs as [`intersect_triangle`](super::scalar::intersect_triangle) does, with the same bits. The rays
/// are of the same `class`, and their intervals end at `t_far`.
#[inline(always)]
pub(crate) fn intersect_packet<S: Simd, T: Triangles<S>, R: Rays<S>>(
    simd: S,
    triangles: T,
    rays: R,
    batch: &RayBatch,
    class: u32,
    active: u32,
    t_far: &[f32; BATCH],
) -> Option<PacketHit<S>> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let zero = splat(0.0);
    let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]][class as usize >> 3 & 3];

    // Vertices relative to the origins, sheared
    let origin = [
        rays.number(simd, &batch.origin[0]),
        rays.number(simd, &batch.origin[1]),
        rays.number(simd, &batch.origin[2]),
    ];
    let shear = [rays.number(simd, &batch.shear[0]), rays.number(simd, &batch.shear[1])];
    let a = shear_vertex(simd, triangles, 0, axes, &origin, &shear);
    let b = shear_vertex(simd, triangles, 1, axes, &origin, &shear);
    let c = shear_vertex(simd, triangles, 2, axes, &origin, &shear);

    // Edge functions: signs are exact unless zero
    let e0 = c[0] * b[1] - c[1] * b[0];
    let e1 = a[0] * c[1] - a[1] * c[0];
    let e2 = b[0] * a[1] - b[1] * a[0];
    let (low, high) = (e0.min(e1).min(e2), e0.max(e1).max(e2));
    let inside = !(low.simd_lt(zero) & high.simd_gt(zero)) & mask32x16::from_bitmask(simd, active.into());
    if inside.to_bitmask() == 0 {
        return None;
    }

    // Barycentric coordinates and depth
    let det = (e0 + e1) + e2;
    let size = det.abs();
    let in_range = size.simd_ge(splat(DET_MIN)) & size.simd_le(splat(DET_MAX));
    let fast = (low.simd_gt(zero) | high.simd_lt(zero)) & in_range;
    let rdet = splat(1.0) / det;
    let (mut u, mut v) = (e1 * rdet, e2 * rdet);
    let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
    let rdirection_z = rays.number(simd, &batch.rdirection_z);
    let mut t = z * rdirection_z;

    // Zeros and extremes in f64
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

    // Into the triangle's own box
    let (mut entry, mut exit) = (splat(f32::NEG_INFINITY), splat(f32::INFINITY));
    for axis in axes {
        let a = triangles.coordinate(simd, 0, axis);
        let b = triangles.coordinate(simd, 1, axis);
        let c = triangles.coordinate(simd, 2, axis);
        let (low, high) = (min(min(a, b), c), max(max(a, b), c));
        let (near, far) = if class >> axis & 1 == 0 { (low, high) } else { (high, low) };
        let rdir = rays.number(simd, &batch.rdir[axis]);
        entry = max(entry, (near - rays.number(simd, &batch.origin_near[axis])) * rdir);
        exit = min(exit, (far - rays.number(simd, &batch.origin_far[axis])) * rdir);
    }
    t = min(max(t, entry), exit);

    let counts = entry.simd_le(exit)
        & t.simd_ge(rays.number(simd, &batch.t_near))
        & t.simd_le(rays.number(simd, t_far));
    Some(PacketHit { mask: mask & counts, t, u, v })
}

/// A vertex relative to the origins, sheared.
#[inline(always)]
fn shear_vertex<S: Simd, T: Triangles<S>>(
    simd: S,
    triangles: T,
    vertex: usize,
    axes: [usize; 3],
    origin: &[f32x16<S>; 3],
    shear: &[f32x16<S>; 2],
) -> [f32x16<S>; 3] {
    let z = triangles.coordinate(simd, vertex, axes[2]) - origin[2];
    let x = triangles.coordinate(simd, vertex, axes[0]) - origin[0];
    let y = triangles.coordinate(simd, vertex, axes[1]) - origin[1];
    [x - shear[0] * z, y - shear[1] * z, z]
}
