//! Elementary functions of f32 that have the same bits on every machine and at every SIMD level.
//!
//! The platform's functions differ between C libraries, and images would differ with them. The functions of this
//! module use only operations that IEEE 754 rounds correctly (`+ - * /`, `sqrt`, fused multiply-add, conversions) and
//! integer operations on the bits. Each is branch-free and `#[inline(always)]`, so that a loop over an array is
//! vectorised for the SIMD level that its caller is compiled for.
//!
//! Coefficients come from `scripts/minimax.py`. Each function states its largest error in ulp (units in the last
//! place of the result), which `tests/elementary/accuracy.rs` checks. NaN gives NaN with unspecified payload.

mod exp_log;
mod hyperbolic;
mod inverse_trig;
mod pow;
mod trig;

pub use exp_log::{exp, exp2, log, log2};
pub use hyperbolic::tanh;
pub use inverse_trig::{acos, asin, atan, atan2};
pub use pow::pow;
pub use trig::{cos, sin, sin_cos, tan};

/// Returns `c[0] + c[1] x + c[2] x² + …`, by Horner's rule with fused multiply-adds.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    c.iter().rev().copied().reduce(|sum, c| sum.mul_add(x, c)).unwrap_or(0.0)
}

/// Rounding constant 1.5 · 2²³. Floats near it have a spacing of 1, so adding it to a number below 2²² in magnitude
/// rounds that number to an integer, which is then in the lowest bits of the sum.
const ROUNDER: f32 = 12_582_912.0;

/// Returns the integer nearest to `x * scale` as a float and as bits (correct modulo 2²²), if it is below 2²²
/// in magnitude.
#[inline(always)]
fn round_scaled(x: f32, scale: f32) -> (f32, u32) {
    let shifted = x.mul_add(scale, ROUNDER);
    (shifted - ROUNDER, shifted.to_bits())
}
