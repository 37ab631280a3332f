/// Russian roulette: whether a path survives, and the factor by which its throughput grows if it does.
///
/// * `survival` — probability of going on, in [0, 1]; choosing it is up to the caller, since any choice is unbiased and
///   light walks place virtual point lights by it. * `u` — uniform in [0, 1).
/// * Returns the survival probability to divide by, or `None` where the path ends.
#[inline(always)]
pub fn survive(survival: f32, u: f32) -> Option<f32> {
    (u < survival).then_some(survival)
}
