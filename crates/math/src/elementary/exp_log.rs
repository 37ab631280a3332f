//! Exponential functions and logarithms to the bases e and 2.

use std::f32::consts::{LN_2, LOG2_E};

use sunfleck_constants::math::{LN_2_LOW, TWO_THIRDS};

use super::{polynomial, round_scaled};

/// Returns `x * 2^n` for -252 ≤ n ≤ 254, where `n` is the number in the lowest 22 bits of `bits`.
///
/// It multiplies by two powers of two, since 2^n may be out of the range of f32.
#[inline(always)]
fn scale_by_power_of_two(x: f32, bits: u32) -> f32 {
    // The lowest 22 bits of ROUNDER are 0, so these shifts extract n with its sign.
    let n = (bits << 10).cast_signed() >> 10;
    let half = n >> 1;
    let power = |n: i32| f32::from_bits((n.wrapping_add(127) << 23).cast_unsigned());
    x * power(half) * power(n.wrapping_sub(half))
}

/// Returns `x` clamped to `low..=high`; NaN stays NaN.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Returns e to the power `x`; 0 on underflow and +∞ on overflow.
///
/// Error ≤ 1 ulp, also where the result is subnormal.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Outside these bounds the result is 0 or infinite.
    let x = clamp(x, -104.0, 89.0);
    let (n, bits) = round_scaled(x, LOG2_E);
    // x - n ln 2 as a sum of two parts; the high part is exact
    let high = (-n).mul_add(LN_2, x);
    let low = -n * LN_2_LOW;
    let r = high + low;
    let tail = polynomial(r, [0.49999994, 0.1666652, 0.0416682, 0.0083689, 0.0013828548]);
    scale_by_power_of_two(1.0 + (high + (r * r).mul_add(tail, low)), bits)
}

/// Returns 2 to the power `x`; exact for integers, 0 on underflow and +∞ on overflow.
///
/// Error ≤ 1 ulp, also where the result is subnormal.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let x = clamp(x, -151.0, 129.0);
    let (n, bits) = round_scaled(x, 1.0);
    let r = x - n;
    let slope = polynomial(r, [LN_2, 0.24022648, 0.055503603, 0.009618473, 0.0013390653, 0.00015340775]);
    scale_by_power_of_two(r.mul_add(slope, 1.0), bits)
}

/// Splits a positive float exactly into `(mantissa, exponent)` with `mantissa * 2^exponent` and ⅔ ≤ mantissa < 4/3.
#[inline(always)]
pub(super) fn split(x: f32) -> (f32, f32) {
    // Scale subnormal numbers to normal ones
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let offset = if tiny { -23.0 } else { 0.0 };
    // Difference of the exponents of x and the mantissa, in the exponent field
    let steps = scaled.to_bits().wrapping_sub(TWO_THIRDS) & 0xff80_0000;
    let mantissa = f32::from_bits(scaled.to_bits().wrapping_sub(steps));
    (mantissa, offset + (steps.cast_signed() >> 23) as f32)
}

/// Returns `logarithm` for positive finite `x`, and the logarithm of the special case for all other `x`.
#[inline(always)]
fn with_special_cases(x: f32, logarithm: f32) -> f32 {
    let positive = if x == f32::INFINITY { x } else { logarithm };
    let zero_or_nan = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    if x > 0.0 { positive } else { zero_or_nan }
}

/// Returns the natural logarithm; -∞ at ±0 and NaN for negative `x`.
///
/// Error ≤ 1 ulp.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let (mantissa, exponent) = split(x);
    // log(1 + f) = f - f²/2 + f³ P(f)
    let f = mantissa - 1.0;
    let tail = polynomial(
        f,
        [
            -0.5,
            0.33333215,
            -0.24999811,
            0.2001045,
            -0.16679808,
            0.14005162,
            -0.12194768,
            0.13987976,
            -0.12841773,
        ],
    );
    with_special_cases(x, exponent.mul_add(LN_2, (f * f).mul_add(tail, f)))
}

/// Returns the logarithm to base 2, exact for powers of two; -∞ at ±0 and NaN for negative `x`.
///
/// Error ≤ 1 ulp.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    const LOG2_E_LOW: f32 = 1.925963e-8;
    let (mantissa, exponent) = split(x);
    // log2(1 + f) = f / ln 2 + f² P(f), where the product f / ln 2 is a sum of two floats
    let f = mantissa - 1.0;
    let tail = polynomial(
        f,
        [
            -0.7213475,
            0.4808969,
            -0.36067006,
            0.2886798,
            -0.24069089,
            0.20217268,
            -0.17522408,
            0.20133992,
            -0.1881812,
        ],
    );
    let high = f * LOG2_E;
    let low = (f * f).mul_add(tail, f.mul_add(LOG2_E_LOW, f.mul_add(LOG2_E, -high)));
    // Fast two-sum: the exponent is either 0 or greater in magnitude than `high`.
    let sum = exponent + high;
    with_special_cases(x, sum + ((high - (sum - exponent)) + low))
}
