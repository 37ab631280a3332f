//! Error of a float in units in the last place, shared by the accuracy tests.

/// Returns the distance of `got` from `expected` in units in the last place of an f32 near `expected`.
///
/// It is 0 if both are NaN, and infinite if only one is NaN. An overflow is treated as 2¹²⁸.
pub(crate) fn ulp_error(got: f32, expected: f64) -> f64 {
    if got.is_nan() || expected.is_nan() {
        return if got.is_nan() && expected.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let overflow = 2f64.powi(128);
    let distance = (f64::from(got).clamp(-overflow, overflow) - expected.clamp(-overflow, overflow)).abs();
    let exponent = ((expected.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    distance / 2f64.powi(exponent.clamp(-126, 127) - 23)
}

#[test]
fn ulp_error_of_known_distances() {
    assert_eq!(ulp_error(1.0, 1.0), 0.0, "exact");
    assert_eq!(ulp_error(1.0 + f32::EPSILON, 1.0), 1.0, "the next float");
    assert_eq!(ulp_error(1.0, 1.0 - f64::from(f32::EPSILON) / 4.0), 0.5, "halfway between two floats");
    assert_eq!(ulp_error(0.0, 2f64.powi(-149)), 1.0, "the smallest subnormal");
    assert_eq!(ulp_error(f32::INFINITY, 1e300), 0.0, "overflow");
    assert_eq!(ulp_error(f32::MAX, 1e300), 1.0, "a missed overflow");
    assert_eq!(ulp_error(f32::NAN, 1.0), f64::INFINITY, "NaN");
}
