//! One triangle against sixteen rays.

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x16, mask32x16};

use super::ray_batch::{BATCH, RayBatch};
use super::scalar::{DET_MAX, DET_MIN, intersect_precise, max as greater, min as lesser};

/// Where sixteen rays meet a triangle: lanes of `mask` do.
pub(crate) struct PacketHit<S: Simd> {
    pub(crate) mask: mask32x16<S>,
    pub(crate) t: f32x16<S>,
    pub(crate) u: f32x16<S>,
    pub(crate) v: f32x16<S>,
}

/// Tests one triangle as [`intersect_triangle`](super::scalar::intersect_triangle) does, with the same bits, against the
/// `active` rays of a batch, whose intervals end at `t_far`. All of them are of the same `class`.
///
/// * `vertices[vertex][axis]` — in original axis order, finite.
#[inline(always)]
pub(crate) fn intersect_packet<S: Simd>(
    simd: S,
    vertices: &[[f32; 3]; 3],
    rays: &RayBatch,
    class: u32,
    active: u32,
    t_far: &[f32; BATCH],
) -> Option<PacketHit<S>> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let load = |row: &[f32; BATCH]| f32x16::load_array_ref(simd, row);
    let zero = splat(0.0);
    let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]][class as usize >> 3 & 3];

    // Vertices relative to the origins, sheared
    let origin = [load(&rays.origin[0]), load(&rays.origin[1]), load(&rays.origin[2])];
    let shear = [load(&rays.shear[0]), load(&rays.shear[1])];
    let a = shear_vertex(simd, &vertices[0], axes, &origin, &shear);
    let b = shear_vertex(simd, &vertices[1], axes, &origin, &shear);
    let c = shear_vertex(simd, &vertices[2], axes, &origin, &shear);

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
    let mut t = z * load(&rays.rdirection_z);

    // Zeros and extremes in f64
    let mut mask = inside;
    let mut slow = (inside & !fast).to_bitmask();
    if slow != 0 {
        let mut valid = inside.to_bitmask();
        while slow != 0 {
            let lane = slow.trailing_zeros() as usize & (BATCH - 1);
            let corners = [a, b, c].map(|vertex| vertex.map(|x| x.as_array()[lane]));
            match intersect_precise(corners, rays.rdirection_z[lane]) {
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
        let [a, b, c] = vertices.map(|v| v[axis]);
        let (low, high) = (lesser(lesser(a, b), c), greater(greater(a, b), c));
        let (near, far) = if class >> axis & 1 == 0 { (low, high) } else { (high, low) };
        let rdir = load(&rays.rdir[axis]);
        entry = max(entry, (splat(near) - load(&rays.origin_near[axis])) * rdir);
        exit = min(exit, (splat(far) - load(&rays.origin_far[axis])) * rdir);
    }
    t = min(max(t, entry), exit);

    let counts = entry.simd_le(exit) & t.simd_ge(load(&rays.t_near)) & t.simd_le(load(t_far));
    Some(PacketHit { mask: mask & counts, t, u, v })
}

/// A vertex relative to the origins, sheared.
#[inline(always)]
fn shear_vertex<S: Simd>(
    simd: S,
    corner: &[f32; 3],
    axes: [usize; 3],
    origin: &[f32x16<S>; 3],
    shear: &[f32x16<S>; 2],
) -> [f32x16<S>; 3] {
    let z = f32x16::splat(simd, corner[axes[2]]) - origin[2];
    let x = f32x16::splat(simd, corner[axes[0]]) - origin[0];
    let y = f32x16::splat(simd, corner[axes[1]]) - origin[1];
    [x - shear[0] * z, y - shear[1] * z, z]
}

/// `b` where it is smaller, else `a`, for NaNs and signed zeros on every level.
#[inline(always)]
fn min<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    b.simd_lt(a).select(b, a)
}

/// `b` where it is larger, else `a`.
#[inline(always)]
fn max<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    b.simd_gt(a).select(b, a)
}
