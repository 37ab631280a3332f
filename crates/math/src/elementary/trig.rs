//! Trigonometric functions of angles in radians.

use std::f32::consts::{FRAC_2_PI, FRAC_PI_2};

use super::{polynomial, round_scaled};

/// Largest angle that is reduced, 2²¹. Beyond it, floats have a spacing of at least a quarter of a radian, which is too
/// coarse for angles.
const LARGEST_ANGLE: f32 = 2_097_152.0;

/// Angle reduced by the nearest multiple of π/2.
struct Reduced {
    /// Reduced angle in [-π/4, π/4]; large angles exceed this range slightly, since 2/π is rounded.
    r: f32,
    /// Rounding error of `r`.
    r_low: f32,
    /// Number of subtracted multiples of π/2, modulo 4 (in the two lowest bits).
    quadrant: u32,
}

/// Reduces an angle by a multiple of π/2, which is represented by three floats, after Cody and Waite.
///
/// In contrast to the textbook, the rounding error of `r` is kept; without it, sines just below ½ have an error of
/// 1.5 ulp.
#[inline(always)]
fn reduce(angle: f32) -> Reduced {
    // π/2 = PI_2 - PI_2_MID - PI_2_LOW to 75 bits
    const PI_2: f32 = FRAC_PI_2;
    const PI_2_MID: f32 = 4.371139e-8;
    const PI_2_LOW: f32 = 1.7151245e-15;

    // Larger finite angles become 0, infinities become NaN.
    let angle = if angle <= LARGEST_ANGLE { angle } else { angle * 0.0 };
    let (k, quadrant) = round_scaled(angle, FRAC_2_PI);
    // The difference is exact, since it is a multiple of 2⁻²⁴ below 1.
    let high = (-k).mul_add(PI_2, angle);
    let mid = k * PI_2_MID;
    let mid_low = k.mul_add(PI_2_LOW, k.mul_add(PI_2_MID, -mid));
    // The fast two-sum is exact, since `high` is a multiple of the last place of `mid`.
    let r = high + mid;
    Reduced { r, r_low: mid - (r - high) + mid_low, quadrant }
}

/// Returns the sine of `r + r_low`.
#[inline(always)]
fn sin_reduced(Reduced { r, r_low, .. }: &Reduced) -> f32 {
    let s = r * r;
    let tail = polynomial(s, [-0.16666667, 0.008333369, -0.00019847974, 2.7748638e-6]);
    r + (r * s).mul_add(tail, *r_low)
}

/// Returns the cosine of `r + r_low`, which is about `cos(r) - r r_low`.
#[inline(always)]
fn cos_reduced(Reduced { r, r_low, .. }: &Reduced) -> f32 {
    let s = r * r;
    let tail = polynomial(s, [0.041666627, -0.0013886486, 2.4346697e-5]);
    // 1 - r²/2 is a sum of two floats.
    let half = 0.5 * s;
    let high = 1.0 - half;
    let low = (1.0 - high) - half;
    high + (s * s).mul_add(tail, r.mul_add(-r_low, low))
}

/// Returns `x` with its sign flipped if the lowest bit of `bit` is set.
#[inline(always)]
fn flip_sign(x: f32, bit: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ (bit << 31))
}

/// Returns the sine and cosine of an angle in radians, with the same bits as [`sin`] and [`cos`].
#[inline(always)]
pub fn sin_cos(angle: f32) -> (f32, f32) {
    let reduced = reduce(angle.abs());
    let quadrant = reduced.quadrant;
    let (s, c) = (sin_reduced(&reduced), cos_reduced(&reduced));
    let (s, c) = if quadrant & 1 == 0 { (s, c) } else { (c, s) };
    let negative = u32::from(angle.is_sign_negative());
    (flip_sign(s, negative ^ (quadrant >> 1)), flip_sign(c, quadrant ^ (quadrant >> 1)))
}

/// Returns the sine of an angle in radians, in [-1, 1]; bitwise odd.
///
/// Error ≤ 1 ulp for |angle| ≤ 2²¹ = 2 097 152; larger finite angles are treated as 0; ±∞ gives NaN.
#[inline(always)]
pub fn sin(angle: f32) -> f32 {
    sin_cos(angle).0
}

/// Returns the cosine of an angle in radians, in [-1, 1]; bitwise even.
///
/// Error ≤ 1 ulp for |angle| ≤ 2²¹ = 2 097 152; larger finite angles are treated as 0; ±∞ gives NaN.
#[inline(always)]
pub fn cos(angle: f32) -> f32 {
    sin_cos(angle).1
}

/// Returns the tangent of an angle in radians, finite for every finite angle; bitwise odd.
///
/// Error ≤ 1.5 ulp for |angle| ≤ 2²¹ = 2 097 152; larger finite angles are treated as 0; ±∞ gives NaN.
#[inline(always)]
pub fn tan(angle: f32) -> f32 {
    let Reduced { r, r_low, quadrant } = reduce(angle.abs());
    let s = r * r;
    let tail = polynomial(
        s,
        [
            0.33333322,
            0.13333794,
            0.053902395,
            0.022319186,
            0.00719162,
            0.0071191313,
            -0.0026466418,
            0.0028409602,
        ],
    );
    // tan(r + r_low) ≈ tan(r) + (1 + r² + ⅔ r⁴) r_low, as a sum of two floats
    let slope = s.mul_add(s.mul_add(0.6666667, 1.0), 1.0);
    let rest = (r * s).mul_add(tail, slope * r_low);
    let t = r + rest;
    let t_low = rest - (t - r);
    // Odd quadrants: -1 / (t + t_low), with one Newton step
    let inverse = -1.0 / t;
    let residual = inverse.mul_add(t_low, inverse.mul_add(t, 1.0));
    let cotangent = inverse.mul_add(residual, inverse);
    let magnitude = if quadrant & 1 == 0 { t } else { cotangent };
    flip_sign(magnitude, u32::from(angle.is_sign_negative()))
}
