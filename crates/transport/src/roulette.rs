/// Returns whether a path survives Russian roulette. If it does, the caller divides its throughput by `survival`.
///
/// * `survival` — survival probability, in [0, 1]. Any value is unbiased; the caller chooses it, since light walks use
///   it to place virtual point lights.
/// * `u` — uniform in [0, 1).
#[inline(always)]
pub fn survives(survival: f32, u: f32) -> bool {
    u < survival
}
