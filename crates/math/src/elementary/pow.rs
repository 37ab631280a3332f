//! Powers of floats, computed in f64.

use super::exp_log::split;

/// Returns `c[0] + c[1] x + c[2] x² + …`, by Horner's rule with fused multiply-adds.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    c.iter().rev().copied().reduce(|sum, c| sum.mul_add(x, c)).unwrap_or(0.0)
}

/// Returns the logarithm to base 2 of a positive finite number, with a relative error of about 2⁻⁴².
#[inline(always)]
fn log2(x: f32) -> f64 {
    let (mantissa, exponent) = split(x);
    // log2 m = s P(s²) with s = (m - 1) / (m + 1)
    let m = f64::from(mantissa);
    let s = (m - 1.0) / (m + 1.0);
    let slope = polynomial(
        s * s,
        [
            2.8853900817774196,
            0.9617966948321822,
            0.5770777540476671,
            0.41222629626559765,
            0.3192811020887864,
            0.2908749209828251,
        ],
    );
    s.mul_add(slope, f64::from(exponent))
}

/// Returns 2^t, rounded once to f32; 0 on underflow and +∞ on overflow.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "rounds to f32")]
fn exp2(t: f64) -> f32 {
    /// Rounding constant 1.5 · 2⁵²: doubles near it have a spacing of 1.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let t = if t < -200.0 { -200.0 } else { t };
    let t = if t > 200.0 { 200.0 } else { t };
    let shifted = t + ROUNDER;
    let r = t - (shifted - ROUNDER);
    let slope = polynomial(
        r,
        [
            0.6931471807045468,
            0.24022651066551315,
            0.05550410365940646,
            0.009618038133198,
            0.001333393508827245,
            0.00015466755974068202,
            1.5196150444069888e-05,
        ],
    );
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (r.mul_add(slope, 1.0) * power) as f32
}

/// Returns whether `y` is an integer, and whether it is odd.
#[inline(always)]
fn integer_and_odd(y: f32) -> (bool, bool) {
    /// Rounding constant 2⁵²: doubles between it and 2⁵³ have a spacing of 1.
    const ROUNDER: f64 = 4_503_599_627_370_496.0;
    let magnitude = f64::from(y.abs());
    // Larger floats are even integers, and so is `ROUNDER`.
    let magnitude = if magnitude > ROUNDER { ROUNDER } else { magnitude };
    let shifted = magnitude + ROUNDER;
    let integer = shifted - ROUNDER == magnitude;
    (integer, integer && shifted.to_bits() & 1 == 1)
}

/// Returns `x` to the power `y`, with the special cases of `pow` in IEEE 754: for example, 1 if `y` is 0 or `x` is 1,
/// even if the other argument is NaN, and NaN for a negative finite `x` and a non-integer `y`.
///
/// Error ≤ 0.51 ulp. The logarithm is computed in f64, since the exponential amplifies its error by a factor of up to
/// 150.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    // |x|^y
    let base = x.abs();
    let logarithm = if base == 0.0 { f64::NEG_INFINITY } else { log2(base) };
    let logarithm = if base < f32::INFINITY { logarithm } else { f64::from(base) };
    let magnitude = exp2(f64::from(y) * logarithm);

    // The sign of the result, or NaN
    let (integer, odd) = integer_and_odd(y);
    let sign = if odd { x } else { 1.0 };
    let power = if x < 0.0 && base < f32::INFINITY && !integer { f32::NAN } else { magnitude.copysign(sign) };
    let one = y == 0.0 || x == 1.0 || (x == -1.0 && y.abs() == f32::INFINITY);
    if one { 1.0 } else { power }
}
