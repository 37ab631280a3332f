//! Inverse trigonometric functions.

use std::f32::consts::{FRAC_PI_2, PI};

use super::polynomial;

/// Rounding error of [`FRAC_PI_2`]: π/2 - `FRAC_PI_2`. The rounding error of [`PI`] is twice as large.
const FRAC_PI_2_LOW: f32 = -4.371139e-8;

/// Returns (asin(x) - x) / x³ as a function of x², for |x| ≤ ½.
#[inline(always)]
fn asin_tail(square: f32) -> f32 {
    polynomial(square, [0.16666752, 0.074953094, 0.045469154, 0.024184741, 0.0421584])
}

/// Returns acos(x) = 2 asin(√((1 - x) / 2)) for ½ ≤ x ≤ 1 as a sum of a large and a small part; NaN for x > 1.
///
/// In this range 1 - x is exact.
#[inline(always)]
fn acos_near_one(x: f32) -> (f32, f32) {
    let square = x.mul_add(-0.5, 0.5);
    let high = 2.0 * square.sqrt();
    (high, high * square * asin_tail(square))
}

/// Returns the arcsine, in [-π/2, π/2]; bitwise odd. NaN outside [-1, 1].
///
/// Error ≤ 1.5 ulp.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let magnitude = x.abs();
    let square = x * x;
    let lower = (magnitude * square).mul_add(asin_tail(square), magnitude);
    // π/2 - acos, by a fast two-sum
    let (high, low) = acos_near_one(magnitude);
    let difference = FRAC_PI_2 - high;
    let rounding = (FRAC_PI_2 - difference) - high;
    let upper = difference + (rounding + (FRAC_PI_2_LOW - low));
    (if magnitude <= 0.5 { lower } else { upper }).copysign(x)
}

/// Returns the arccosine, in [0, π]. NaN outside [-1, 1].
///
/// Error ≤ 1.5 ulp.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let magnitude = x.abs();
    let square = x * x;
    let asin = (x * square).mul_add(asin_tail(square), x);
    let lower = FRAC_PI_2 - (asin - FRAC_PI_2_LOW);
    let (high, low) = acos_near_one(magnitude);
    let upper = if x < 0.0 { PI - (high + (low - 2.0 * FRAC_PI_2_LOW)) } else { high + low };
    if magnitude <= 0.5 { lower } else { upper }
}

/// Returns the arctangent, in [-π/2, π/2]; bitwise odd.
///
/// Error ≤ 1.5 ulp.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    atan2(x, 1.0)
}

/// Returns the angle in [-π, π] between the positive x axis and the point (x, y), with zeros and infinities as in IEEE
/// 754: atan2(±0, -0) = ±π, atan2(±0, +0) = ±0, atan2(±∞, ±∞) are odd multiples of π/4.
///
/// Error ≤ 2 ulp.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    // Map the point to the octant in which the ratio is at most 1
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (short, long) = if steep { (ax, ay) } else { (ay, ax) };
    let ratio = short / if long == 0.0 { 1.0 } else { long };
    let ratio = if short == f32::INFINITY && long == f32::INFINITY { 1.0 } else { ratio };

    // Arctangent on [0, 1]. The last but one coefficient is 4 ulp above the optimum, so that atan(1) rounds to π/4.
    let s = ratio * ratio;
    let tail = polynomial(
        s,
        [
            -0.333333,
            0.1999853,
            -0.14264014,
            0.10950861,
            -0.08399209,
            0.057878915,
            -0.031093631,
            0.010866366,
            -0.001782176,
        ],
    );
    let octant = (ratio * s).mul_add(tail, ratio);

    // Map the angle back: base ± octant, where base is 0, π/2 or π
    let left = x.is_sign_negative();
    let quarters = if steep {
        1.0
    } else if left {
        2.0
    } else {
        0.0
    };
    let signed = if steep != left { -octant } else { octant };
    (quarters * FRAC_PI_2 + (signed + quarters * FRAC_PI_2_LOW)).copysign(y)
}
