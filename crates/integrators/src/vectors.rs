//! Sixteen vectors at once, `[axis]`.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;

/// How many.
pub(crate) const LANES: usize = 16;

/// One number of each.
pub(crate) type Lanes = [f32; LANES];

/// In registers.
pub(crate) type V<S> = [f32x16<S>; 3];

/// A lane of some rows.
#[inline(always)]
pub(crate) fn vector(rows: &[Lanes; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

/// Sets a lane of some rows.
#[inline(always)]
pub(crate) fn put(rows: &mut [Lanes; 3], lane: usize, v: Vec3) {
    for axis in 0..3 {
        rows[axis][lane] = v[axis];
    }
}

#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, v: Vec3) -> V<S> {
    [f32x16::splat(simd, v.x), f32x16::splat(simd, v.y), f32x16::splat(simd, v.z)]
}

#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, rows: &[Lanes; 3]) -> V<S> {
    [
        f32x16::load_array_ref(simd, &rows[0]),
        f32x16::load_array_ref(simd, &rows[1]),
        f32x16::load_array_ref(simd, &rows[2]),
    ]
}

#[inline(always)]
pub(crate) fn negated<S: Simd>(v: V<S>) -> V<S> {
    [-v[0], -v[1], -v[2]]
}

#[inline(always)]
pub(crate) fn abs<S: Simd>(v: V<S>) -> V<S> {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

#[inline(always)]
pub(crate) fn sub<S: Simd>(a: V<S>, b: V<S>) -> V<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scaled<S: Simd>(v: V<S>, by: f32x16<S>) -> V<S> {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// `v[0] w[0] + v[1] w[1] + v[2] w[2]`: a matrix of columns times a vector.
#[inline(always)]
pub(crate) fn weighted<S: Simd>(v: [V<S>; 3], w: V<S>) -> V<S> {
    let axis = |i: usize| v[0][i] * w[0] + v[1][i] * w[1] + v[2][i] * w[2];
    [axis(0), axis(1), axis(2)]
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(a: V<S>, b: V<S>) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(a: V<S>, b: V<S>) -> V<S> {
    let axis = |i: usize, j: usize| a[i] * b[j] - b[i] * a[j];
    [axis(1, 2), axis(2, 0), axis(0, 1)]
}

#[inline(always)]
pub(crate) fn select<S: Simd>(mask: mask32x16<S>, a: V<S>, b: V<S>) -> V<S> {
    [mask.select(a[0], b[0]), mask.select(a[1], b[1]), mask.select(a[2], b[2])]
}

/// As `Vec3::normalize_or`.
#[inline(always)]
pub(crate) fn normalize_or<S: Simd>(simd: S, v: V<S>, fallback: V<S>) -> V<S> {
    let reciprocal = f32x16::splat(simd, 1.0) / dot(v, v).sqrt();
    let good =
        reciprocal.simd_gt(f32x16::splat(simd, 0.0)) & reciprocal.simd_le(f32x16::splat(simd, f32::MAX));
    select(good, scaled(v, reciprocal), fallback)
}
