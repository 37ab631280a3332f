//! Constants of elementary functions and frames.

/// Largest f32 below 1, the upper bound of uniform random numbers.
pub const ONE_MINUS_EPSILON: f32 = 0.99999994;

/// Difference between ln 2 and the nearest f32.
pub const LN_2_LOW: f32 = -1.9046542e-9;
/// Bits of the smallest f32 above ⅔, where the mantissas of logarithms begin.
pub const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// Sine of the angle to the normal below which the tangent of a frame is lost to rounding.
pub const LEAST_SINE: f32 = 1e-5;
