//! Hyperbolic tangent.

use super::{exp, polynomial};

/// Returns the hyperbolic tangent, in [-1, 1]; bitwise odd.
///
/// Error ≤ 1.5 ulp.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    let s = x * x;
    let tail = polynomial(s, [-0.3333328, 0.13331406, -0.053736515, 0.020628167, -0.005692296]);
    let near = (magnitude * s).mul_add(tail, magnitude);
    let far = 1.0 - 2.0 / (exp(2.0 * magnitude) + 1.0);
    (if magnitude < 0.625 { near } else { far }).copysign(x)
}
