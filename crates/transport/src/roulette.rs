/// Russian roulette: whether a path survives. If it does, the caller divides its throughput by `survival`.
///
/// * `survival` — probability of going on, in [0, 1]; choosing it is up to the caller, since any choice is unbiased and
///   light walks place virtual point lights by it.
/// * `u` — uniform in [0, 1).
#[inline(always)]
pub fn survives(survival: f32, u: f32) -> bool {
    u < survival
}
