//! Test of all triangles of a block at once.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, mask32x4};

use super::arithmetic::{difference, max, min};
use super::block::{LANES, Lanes, TriangleBlock};
use super::scalar::{Candidate, DET_MAX, EDGE_MIN, intersect_precise};
use super::triangle_ray::TriangleRay;

/// Tests all triangles of a block, and calls `on_hit` with lane and candidate for each hit in `[t_near, t_far]`.
///
/// Hits have the same bits as those of [`intersect_triangle`](super::scalar::intersect_triangle).
#[inline(always)]
pub(crate) fn intersect_block<S: Simd>(
    simd: S,
    block: &TriangleBlock,
    ray: &TriangleRay,
    t_far: f32,
    mut on_hit: impl FnMut(usize, Candidate),
) {
    let splat = |x: f32| Lanes::splat(simd, x);

    // Vertices relative to the origin, sheared
    let origin = [splat(ray.origin[0]), splat(ray.origin[1]), splat(ray.origin[2])];
    let shear = [splat(ray.shear[0]), splat(ray.shear[1])];
    let a = shear_vertex(simd, &block.vertices[0], ray.axes, &origin, &shear);
    let b = shear_vertex(simd, &block.vertices[1], ray.axes, &origin, &shear);
    let c = shear_vertex(simd, &block.vertices[2], ray.axes, &origin, &shear);

    // Edge functions, with a relative error of at most two roundings
    let e0 = difference(c[0], b[1], c[1], b[0]);
    let e1 = difference(a[0], c[1], a[1], c[0]);
    let e2 = difference(b[0], a[1], b[1], a[0]);
    // SIMD levels differ in the minimum of NaNs. Such a lane either misses or is computed again in f64.
    let (least, most) = (e0.min(e1).min(e2), e0.max(e1).max(e2));
    let (edge_min, minus_edge_min) = (splat(EDGE_MIN), splat(-EDGE_MIN));
    let inside = !(least.simd_lt(minus_edge_min) & most.simd_gt(edge_min));
    if inside.to_bitmask() == 0 {
        return;
    }

    // Barycentric coordinates and depth
    let det = (e0 + e1) + e2;
    let fast = (least.simd_gt(edge_min) | most.simd_lt(minus_edge_min)) & det.abs().simd_le(splat(DET_MAX));
    let rdet = splat(1.0) / det;
    let (mut u, mut v) = (e1 * rdet, e2 * rdet);
    let z = a[2] + (u * (b[2] - a[2]) + v * (c[2] - a[2]));
    let mut t = z * splat(ray.rdirection_z);

    // Zeros and extreme values in f64
    let mut valid = inside;
    let mut slow = (inside & !fast).to_bitmask();
    if slow != 0 {
        let mut bits = inside.to_bitmask();
        let rows = [a, b, c].map(|vertex| vertex.map(|x| x.to_array()));
        let (mut ts, mut us, mut vs) = (t.to_array(), u.to_array(), v.to_array());
        while slow != 0 {
            let lane = slow.trailing_zeros() as usize % LANES;
            match intersect_precise(rows.map(|vertex| vertex.map(|x| x[lane])), ray.rdirection_z) {
                Some(found) => (ts[lane], us[lane], vs[lane]) = (found.t, found.u, found.v),
                None => bits &= !(1 << lane),
            }
            slow &= slow - 1;
        }
        t = Lanes::load_array(simd, ts);
        u = Lanes::load_array(simd, us);
        v = Lanes::load_array(simd, vs);
        valid = mask32x4::from_bitmask(simd, bits);
    }

    // Clamp to the interval of the triangle's own box
    let (mut entry, mut exit) = (splat(f32::NEG_INFINITY), splat(f32::INFINITY));
    for axis in ray.axes {
        let [a, b, c] = &block.vertices;
        let (a, b, c) = (
            Lanes::load_array_ref(simd, &a[axis]),
            Lanes::load_array_ref(simd, &b[axis]),
            Lanes::load_array_ref(simd, &c[axis]),
        );
        let (low, high) = (min(simd, min(simd, a, b), c), max(simd, max(simd, a, b), c));
        let slabs = &ray.slabs;
        // A select: a branch on the sign of the direction would be unpredictable.
        let negative = mask32x4::splat(simd, slabs.entered[axis] != 0);
        let (near, far) = (negative.select(high, low), negative.select(low, high));
        let rdir = splat(slabs.rdir[axis]);
        entry = max(simd, entry, (near - splat(slabs.origin_near[axis])) * rdir);
        exit = min(simd, exit, (far - splat(slabs.origin_far[axis])) * rdir);
    }
    t = min(simd, max(simd, t, entry), exit);

    // Hits in the interval of the ray
    let counts = entry.simd_le(exit) & t.simd_ge(splat(ray.t_near)) & t.simd_le(splat(t_far));
    let mut hits = (valid & counts).to_bitmask();
    if hits != 0 {
        let (ts, us, vs) = (t.to_array(), u.to_array(), v.to_array());
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize % LANES;
            on_hit(lane, Candidate { t: ts[lane], u: us[lane], v: vs[lane] });
            hits &= hits - 1;
        }
    }
}

/// Returns one vertex of each triangle relative to the origin, sheared.
///
/// It is a function, not a closure, since a closure that is not inlined is compiled without the instruction set.
#[inline(always)]
fn shear_vertex<S: Simd>(
    simd: S,
    rows: &[[f32; LANES]; 3],
    axes: [usize; 3],
    origin: &[Lanes<S>; 3],
    shear: &[Lanes<S>; 2],
) -> [Lanes<S>; 3] {
    let z = Lanes::load_array_ref(simd, &rows[axes[2]]) - origin[2];
    let x = Lanes::load_array_ref(simd, &rows[axes[0]]) - origin[0];
    let y = Lanes::load_array_ref(simd, &rows[axes[1]]) - origin[1];
    [x - shear[0] * z, y - shear[1] * z, z]
}
