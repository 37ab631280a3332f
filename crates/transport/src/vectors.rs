//! Operations on sixteen three-dimensional vectors as structure of arrays: `[axis][lane]`.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;

/// Number of vectors that are processed together.
pub const LANES: usize = 16;

/// One component of each vector.
pub type Lanes = [f32; LANES];

/// Sixteen vectors in SIMD registers, `[axis]`.
pub type V<S> = [f32x16<S>; 3];

/// Returns the vector in a lane.
#[inline(always)]
pub fn vector(rows: &[Lanes; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

/// Sets the vector in a lane.
#[inline(always)]
pub fn put(rows: &mut [Lanes; 3], lane: usize, v: Vec3) {
    for axis in 0..3 {
        rows[axis][lane] = v[axis];
    }
}

/// Returns the same vector in every lane.
#[inline(always)]
pub fn splat<S: Simd>(simd: S, v: Vec3) -> V<S> {
    [f32x16::splat(simd, v.x), f32x16::splat(simd, v.y), f32x16::splat(simd, v.z)]
}

/// Loads sixteen vectors.
#[inline(always)]
pub fn load<S: Simd>(simd: S, rows: &[Lanes; 3]) -> V<S> {
    [
        f32x16::load_array_ref(simd, &rows[0]),
        f32x16::load_array_ref(simd, &rows[1]),
        f32x16::load_array_ref(simd, &rows[2]),
    ]
}

/// Returns `-v`.
#[inline(always)]
pub fn negated<S: Simd>(v: V<S>) -> V<S> {
    [-v[0], -v[1], -v[2]]
}

/// Returns the absolute values of the components.
#[inline(always)]
pub fn abs<S: Simd>(v: V<S>) -> V<S> {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

/// Returns `a - b`.
#[inline(always)]
pub fn sub<S: Simd>(a: V<S>, b: V<S>) -> V<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Multiplies each vector by its factor.
#[inline(always)]
pub fn scaled<S: Simd>(v: V<S>, by: f32x16<S>) -> V<S> {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// Returns `v[0] w[0] + v[1] w[1] + v[2] w[2]`: a matrix of columns times a vector.
#[inline(always)]
pub fn weighted<S: Simd>(v: [V<S>; 3], w: V<S>) -> V<S> {
    let axis = |i: usize| v[0][i] * w[0] + v[1][i] * w[1] + v[2][i] * w[2];
    [axis(0), axis(1), axis(2)]
}

/// Returns the dot products.
#[inline(always)]
pub fn dot<S: Simd>(a: V<S>, b: V<S>) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross products.
#[inline(always)]
pub fn cross<S: Simd>(a: V<S>, b: V<S>) -> V<S> {
    let axis = |i: usize, j: usize| a[i] * b[j] - b[i] * a[j];
    [axis(1, 2), axis(2, 0), axis(0, 1)]
}

/// Returns `a` where the mask is set, `b` elsewhere.
#[inline(always)]
pub fn select<S: Simd>(mask: mask32x16<S>, a: V<S>, b: V<S>) -> V<S> {
    [mask.select(a[0], b[0]), mask.select(a[1], b[1]), mask.select(a[2], b[2])]
}

/// Returns the unit vectors, or `fallback` where the length is zero or not finite, as `Vec3::normalize_or`
/// does.
#[inline(always)]
pub fn normalize_or<S: Simd>(simd: S, v: V<S>, fallback: V<S>) -> V<S> {
    let reciprocal = f32x16::splat(simd, 1.0) / dot(v, v).sqrt();
    let good =
        reciprocal.simd_gt(f32x16::splat(simd, 0.0)) & reciprocal.simd_le(f32x16::splat(simd, f32::MAX));
    select(good, scaled(v, reciprocal), fallback)
}
