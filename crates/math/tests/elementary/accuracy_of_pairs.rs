//! Largest error of the elementary functions of two arguments, measured against the platform's f64 functions.
#![allow(
    clippy::cast_possible_truncation,
    reason = "arguments are made from bits and rounded to f32 intentionally"
)]
#![allow(clippy::disallowed_methods, reason = "the platform's f64 functions are the reference")]

use crate::reference::ulp_error;
use fearless_simd::{Level, Simd, dispatch};

/// Returns the n-th random number of `SplitMix64`.
fn random(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a uniform number in [-1, 1) from random bits.
fn signed_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2f64.powi(-52) - 1.0
}

/// Applies a function to `$count` pairs, compiled for the best SIMD level, and checks its errors.
macro_rules! check {
    ($function:ident, $reference:expr, $max_ulp:literal, $count:expr, $pair:expr) => {{
        #[inline(always)]
        fn run<S: Simd>(simd: S, pairs: &[(f32, f32)], results: &mut Vec<f32>) {
            simd.vectorize(
                #[inline(always)]
                || {
                    results.clear();
                    results.extend(pairs.iter().map(|&(a, b)| sunfleck_math::$function(a, b)));
                },
            );
        }
        let (mut pairs, mut results) = (Vec::new(), Vec::new());
        let mut worst = (0.0, (0.0, 0.0));
        for start in (0..$count).step_by(4096) {
            pairs.clear();
            pairs.extend((start..start + 4096).map($pair));
            dispatch!(Level::new(), simd => run(simd, &pairs, &mut results));
            for (&(a, b), &got) in pairs.iter().zip(&results) {
                let error = ulp_error(got, $reference(f64::from(a), f64::from(b)));
                if error > worst.0 {
                    worst = (error, (a, b));
                }
            }
        }
        let (error, (a, b)) = worst;
        println!("{:6} {error:.4} ulp at ({a:e}, {b:e})", stringify!($function));
        assert!(error <= $max_ulp, "{}({a:e}, {b:e}) is {error} ulp off", stringify!($function));
    }};
}

/// Returns a pair of floats of random bits, including zeros, subnormals, infinities and NaNs.
fn any_bits(n: u64) -> (f32, f32) {
    let bits = random(n);
    (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32))
}

/// Returns a positive base of any magnitude, and an exponent for which the power neither under- nor overflows.
fn base_and_useful_exponent(n: u64) -> (f32, f32) {
    let x = f32::from_bits((random(2 * n) % u64::from(f32::INFINITY.to_bits())) as u32);
    (x, (155.0 * signed_unit(random(2 * n + 1)) / f64::from(x).log2()) as f32)
}

/// Returns a base in (0, 2) and an exponent in (-10, 10), as in gamma curves and scattering lobes.
fn small_base_and_exponent(n: u64) -> (f32, f32) {
    ((1.0 + signed_unit(random(2 * n))) as f32, (10.0 * signed_unit(random(2 * n + 1))) as f32)
}

/// Returns a point whose coordinates differ in magnitude by a factor of about 2³⁰ at most.
fn point(n: u64) -> (f32, f32) {
    let size = 2f64.powf(30.0 * signed_unit(random(3 * n)));
    ((size * signed_unit(random(3 * n + 1))) as f32, signed_unit(random(3 * n + 2)) as f32)
}

fn check_all(count: u64) {
    check!(pow, f64::powf, 0.51, count, any_bits);
    check!(pow, f64::powf, 0.51, count, base_and_useful_exponent);
    check!(pow, f64::powf, 0.51, count, small_base_and_exponent);
    check!(atan2, f64::atan2, 2.0, count, any_bits);
    check!(atan2, f64::atan2, 2.0, count, point);
}

#[test]
fn errors_are_as_documented_on_two_million_pairs() {
    check_all(1 << 21);
}

#[test]
#[ignore = "2^31 pairs for each kind of argument: twenty minutes"]
fn errors_are_as_documented_on_two_billion_pairs() {
    check_all(1 << 31);
}
