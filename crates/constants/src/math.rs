//! Elementary functions and frames.

/// The largest f32 below 1: uniforms are at most this.
pub const ONE_MINUS_EPSILON: f32 = 0.99999994;

/// What the f32 next to ln 2 lacks.
pub const LN_2_LOW: f32 = -1.9046542e-9;
/// Bits of the float just above ⅔: mantissas of logarithms begin there.
pub const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// Sine of the angle to the normal below which rounding decides the tangent of a frame.
pub const LEAST_SINE: f32 = 1e-5;
