//! A block of triangles at once.

use fearless_simd::{Select, Simd, SimdBase, SimdMask};

use super::block::{LANES, Lanes, TriangleBlock};
use super::scalar::{Candidate, DET_MAX, DET_MIN, intersect_precise};
use super::triangle_ray::TriangleRay;

/// Tests all triangles of a block as [`intersect_triangle`](super::scalar::intersect_triangle) does, with the same
/// bits, and calls `on_hit` with lane and candidate for each that is hit in `[t_near, t_far]`.
#[inline(always)]
pub(crate) fn intersect_block<S: Simd>(
    simd: S,
    block: &TriangleBlock,
    ray: &TriangleRay,
    t_far: f32,
    mut on_hit: impl FnMut(usize, Candidate),
) {
    let splat = |x: f32| Lanes::splat(simd, x);
    let zero = splat(0.0);

    // Vertices relative to the origin, sheared
    let origin = [splat(ray.origin[0]), splat(ray.origin[1]), splat(ray.origin[2])];
    let shear = [splat(ray.shear[0]), splat(ray.shear[1])];
    let a = sheared(simd, &block.vertices[0], &ray.axes, &origin, &shear);
    let b = sheared(simd, &block.vertices[1], &ray.axes, &origin, &shear);
    let c = sheared(simd, &block.vertices[2], &ray.axes, &origin, &shear);

    // Edge functions: signs are exact unless zero
    let e0 = c[0] * b[1] - c[1] * b[0];
    let e1 = a[0] * c[1] - a[1] * c[0];
    let e2 = b[0] * a[1] - b[1] * a[0];
    // Levels differ in what a minimum makes of NaNs; such a lane ends up outside or in f64 either way.
    let (low, high) = (e0.min(e1).min(e2), e0.max(e1).max(e2));
    let inside = !(low.simd_lt(zero) & high.simd_gt(zero));
    if inside.to_bitmask() == 0 {
        return;
    }

    // Barycentric coordinates and depth
    let det = (e0 + e1) + e2;
    let size = det.abs();
    let in_range = size.simd_ge(splat(DET_MIN)) & size.simd_le(splat(DET_MAX));
    let fast = (low.simd_gt(zero) | high.simd_lt(zero)) & in_range;
    let rdet = splat(1.0) / det;
    let (mut u, mut v) = (e1 * rdet, e2 * rdet);
    let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
    let mut t = z * splat(ray.rdirection_z);

    // Zeros and extremes in f64
    let mut valid = inside.to_bitmask();
    let mut slow = valid & (!fast).to_bitmask();
    if slow != 0 {
        let rows = [a, b, c].map(|vertex| vertex.map(|x| x.to_array()));
        let (mut ts, mut us, mut vs) = (t.to_array(), u.to_array(), v.to_array());
        while slow != 0 {
            let lane = slow.trailing_zeros() as usize % LANES;
            match intersect_precise(rows.map(|vertex| vertex.map(|x| x[lane])), ray.rdirection_z) {
                Some(found) => (ts[lane], us[lane], vs[lane]) = (found.t, found.u, found.v),
                None => valid &= !(1 << lane),
            }
            slow &= slow - 1;
        }
        let load = |array: &[f32; LANES]| Lanes::load_array_ref(simd, array);
        (t, u, v) = (load(&ts), load(&us), load(&vs));
    }

    // Into the triangle's own box
    let (mut entry, mut exit) = (splat(f32::NEG_INFINITY), splat(f32::INFINITY));
    for axis in ray.axes {
        let a = Lanes::load_array_ref(simd, &block.vertices[0][axis]);
        let b = Lanes::load_array_ref(simd, &block.vertices[1][axis]);
        let c = Lanes::load_array_ref(simd, &block.vertices[2][axis]);
        let (low, high) = (min(min(a, b), c), max(max(a, b), c));
        let slabs = &ray.slabs;
        let (near, far) = if slabs.entered[axis] == 0 { (low, high) } else { (high, low) };
        let rdir = splat(slabs.rdir[axis]);
        entry = max(entry, (near - splat(slabs.origin_near[axis])) * rdir);
        exit = min(exit, (far - splat(slabs.origin_far[axis])) * rdir);
    }
    t = min(max(t, entry), exit);

    // Which of them count
    let counts = entry.simd_le(exit) & t.simd_ge(splat(ray.t_near)) & t.simd_le(splat(t_far));
    valid &= counts.to_bitmask();
    if valid != 0 {
        let (ts, us, vs) = (t.to_array(), u.to_array(), v.to_array());
        while valid != 0 {
            let lane = valid.trailing_zeros() as usize % LANES;
            on_hit(lane, Candidate { t: ts[lane], u: us[lane], v: vs[lane] });
            valid &= valid - 1;
        }
    }
}

/// One vertex of each triangle relative to the origin, sheared. No closure: one that is not inlined would be compiled
/// without the SIMD level.
#[inline(always)]
fn sheared<S: Simd>(
    simd: S,
    vertex: &[[f32; LANES]; 3],
    axes: &[usize; 3],
    origin: &[Lanes<S>; 3],
    shear: &[Lanes<S>; 2],
) -> [Lanes<S>; 3] {
    let z = Lanes::load_array_ref(simd, &vertex[axes[2]]) - origin[2];
    let x = Lanes::load_array_ref(simd, &vertex[axes[0]]) - origin[0];
    let y = Lanes::load_array_ref(simd, &vertex[axes[1]]) - origin[1];
    [x - shear[0] * z, y - shear[1] * z, z]
}

/// `b` where it is smaller, else `a`, for NaNs and signed zeros on every level (as `minps b, a`).
#[inline(always)]
fn min<S: Simd>(a: Lanes<S>, b: Lanes<S>) -> Lanes<S> {
    b.simd_lt(a).select(b, a)
}

/// `b` where it is larger, else `a`.
#[inline(always)]
fn max<S: Simd>(a: Lanes<S>, b: Lanes<S>) -> Lanes<S> {
    b.simd_gt(a).select(b, a)
}
