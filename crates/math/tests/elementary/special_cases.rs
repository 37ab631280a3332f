//! Elementary functions at zeros, infinities, NaNs, subnormals and the ends of their domains, and their exact results.
#![allow(
    clippy::cast_possible_truncation,
    reason = "arguments are made from bits and rounded to f32 intentionally"
)]

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use sunfleck_math::{acos, asin, atan, atan2, cos, exp, exp2, log, log2, pow, sin, sin_cos, tan, tanh};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const LEAST: f32 = f32::from_bits(1);

/// Asserts that both numbers have the same bits, or that both are NaN.
#[track_caller]
fn assert_same(got: f32, expected: f32) {
    let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
    assert!(same, "{got:e}, not {expected:e}");
}

#[test]
fn nan_stays_nan() {
    for f in [sin, cos, tan, asin, acos, atan, exp, exp2, log, log2, tanh] {
        assert_same(f(NAN), NAN);
    }
    for other in [0.0, -0.0, 1.0, -3.5, INF, -INF, NAN] {
        assert_same(atan2(NAN, other), NAN);
        assert_same(atan2(other, NAN), NAN);
    }
}

#[test]
fn odd_functions_keep_the_sign_of_zero_and_tiny_numbers() {
    for f in [sin, tan, asin, atan, tanh] {
        for x in [0.0, LEAST, f32::MIN_POSITIVE, 1e-20] {
            assert_same(f(x), x);
            assert_same(f(-x), -x);
        }
    }
}

#[test]
fn infinite_angles_give_nan_and_huge_ones_are_treated_as_zero() {
    for f in [sin, cos, tan] {
        assert_same(f(INF), NAN);
        assert_same(f(-INF), NAN);
    }
    assert_eq!(sin_cos(f32::MAX), (0.0, 1.0), "sine and cosine form a unit vector");
    assert_same(sin(-2_097_153.0), -0.0);
}

#[test]
fn sines_and_cosines_are_in_range_and_on_the_circle() {
    for bits in (0..INF.to_bits()).step_by(1009) {
        let angle = f32::from_bits(bits);
        let (s, c) = sin_cos(angle);
        assert!(s.abs() <= 1.0 && c.abs() <= 1.0, "{angle:e}: {s}, {c}");
        assert!((s * s + c * c - 1.0).abs() <= 3.0 * f32::EPSILON, "{angle:e}: {s}, {c}");
        assert_eq!((s, c), (sin(angle), cos(angle)), "{angle:e}");
        assert_eq!(sin_cos(-angle), (-s, c), "{angle:e}");
    }
}

#[test]
fn inverse_functions_at_the_ends_of_their_domains() {
    assert_same(asin(1.0), FRAC_PI_2);
    assert_same(asin(-1.0), -FRAC_PI_2);
    assert_same(acos(1.0), 0.0);
    assert_same(acos(-1.0), PI);
    assert_same(acos(0.0), FRAC_PI_2);
    assert_same(atan(INF), FRAC_PI_2);
    assert_same(atan(-INF), -FRAC_PI_2);
    for x in [1.0f32.next_up(), 2.0, INF] {
        for f in [asin, acos] {
            assert_same(f(x), NAN);
            assert_same(f(-x), NAN);
        }
    }
}

#[test]
fn atan2_of_zeros_infinities_and_axes() {
    let three_quarters = 3.0 * FRAC_PI_4;
    for (y, x, angle) in [
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (0.0, 1.0, 0.0),
        (0.0, -1.0, PI),
        (1.0, 0.0, FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (1.0, 1.0, FRAC_PI_4),
        (INF, INF, FRAC_PI_4),
        (INF, -INF, three_quarters),
        (1.0, -1.0, three_quarters),
        (1.0, INF, 0.0),
        (1.0, -INF, PI),
        (INF, 1.0, FRAC_PI_2),
        (INF, -1.0, FRAC_PI_2),
        (LEAST, LEAST, FRAC_PI_4),
        (f32::MAX, f32::MAX, FRAC_PI_4),
    ] {
        assert_same(atan2(y, x), angle);
        assert_same(atan2(-y, x), -angle);
    }
}

#[test]
fn exponentials_saturate() {
    for f in [exp, exp2] {
        assert_same(f(0.0), 1.0);
        assert_same(f(-0.0), 1.0);
        assert_same(f(LEAST), 1.0);
        assert_same(f(INF), INF);
        assert_same(f(-INF), 0.0);
        assert_same(f(f32::MAX), INF);
        assert_same(f(f32::MIN), 0.0);
    }
    assert_same(exp2(128.0), INF);
    assert_same(exp2(-150.0), 0.0);
    assert_same(tanh(INF), 1.0);
    assert_same(tanh(-INF), -1.0);
}

#[test]
fn logarithms_of_special_values() {
    for f in [log, log2] {
        assert_same(f(1.0), 0.0);
        assert_same(f(0.0), -INF);
        assert_same(f(-0.0), -INF);
        assert_same(f(INF), INF);
        assert_same(f(-INF), NAN);
        assert_same(f(-LEAST), NAN);
    }
}

/// Returns 2ⁿ, constructed from its bits.
fn power_of_two(n: i16) -> f32 {
    f64::from_bits(((1023 + i64::from(n)) as u64) << 52) as f32
}

#[test]
fn powers_of_two_are_exact() {
    for n in -149..=127i16 {
        let exponent = f32::from(n);
        let power = power_of_two(n);
        assert_same(exp2(exponent), power);
        assert_same(log2(power), exponent);
        assert_same(pow(2.0, exponent), power);
    }
}

#[test]
fn pow_follows_ieee_754() {
    for any in [0.0, -0.0, 1.0, -2.5, LEAST, INF, -INF, NAN] {
        assert_same(pow(any, 0.0), 1.0);
        assert_same(pow(any, -0.0), 1.0);
        assert_same(pow(1.0, any), 1.0);
    }
    for (x, y, power) in [
        // The sign of zeros and infinities is kept only for odd integer exponents
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 0.5, 0.0),
        (0.0, -3.0, INF),
        (-0.0, -3.0, -INF),
        (-0.0, -2.0, INF),
        (INF, 2.0, INF),
        (INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (-INF, 0.5, INF),
        (-INF, -3.0, -0.0),
        // Infinite exponents
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (-2.0, INF, INF),
        (-2.0, -INF, 0.0),
        (0.0, -INF, INF),
        // Negative bases
        (-2.0, 3.0, -8.0),
        (-2.0, 2.0, 4.0),
        (-2.0, -1.0, -0.5),
        (-2.0, 0.5, NAN),
        (-1.0, 16_777_215.0, -1.0),
        (-1.0, 16_777_216.0, 1.0),
        (-1.0, 8_388_607.5, NAN),
        (-1.0, f32::MAX, 1.0),
        (-1.0, 2e31, 1.0),
        // Exact results, and NaN
        (3.0, 5.0, 243.0),
        (0.25, 0.5, 0.5),
        (10.0, 10.0, 1e10),
        (7.25, 1.0, 7.25),
        (LEAST, 1.0, LEAST),
        (NAN, 1.0, NAN),
        (2.0, NAN, NAN),
        (f32::MAX, 2.0, INF),
        (f32::MAX, -2.0, 0.0),
    ] {
        assert_same(pow(x, y), power);
    }
}
