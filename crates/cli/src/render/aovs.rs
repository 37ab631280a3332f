//! AOVs of a rendering: those that are asked for, and those that other options need.

use sunfleck_command::Failure;
use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::Algorithm;

use super::args::{RenderArgs, ViewArgs};
use super::fireflies;

impl ViewArgs {
    /// Returns all AOVs that were given.
    pub(super) fn requested_aovs(&self) -> AovSet {
        self.aovs.iter().flat_map(|set| set.iter()).collect()
    }

    /// Returns the AOVs that an integrator is to record; `all` selects those that it supports.
    ///
    /// # Errors
    /// The integrator does not support an AOV that was given by name.
    pub(super) fn aov_set(&self, algorithm: &Algorithm) -> Result<AovSet, Failure> {
        let requested = self.requested_aovs();
        if requested != AovSet::ALL {
            requested.iter().try_for_each(|aov| require(aov, algorithm, &format!("the AOV `{aov}`")))?;
        }
        Ok(requested.iter().filter(|aov| algorithm.channels().contains(*aov)).collect())
    }
}

/// Returns the AOVs that are recorded for the image and the report, beside those that are asked for.
pub(super) fn implied(args: &RenderArgs, algorithm: &Algorithm) -> AovSet {
    let alpha = args.background.leaves_out_environment().then_some(Aov::Alpha);
    alpha.into_iter().chain(fireflies::limit(algorithm).map(|_| Aov::Clamped)).collect()
}

/// Checks that an algorithm records an AOV.
///
/// * `what` — what needs the AOV, for the message.
///
/// # Errors
/// It does not.
pub(super) fn require(aov: Aov, algorithm: &Algorithm, what: &str) -> Result<(), Failure> {
    if algorithm.channels().contains(aov) {
        return Ok(());
    }
    let able = Algorithm::ALL.into_iter().filter(|other| other.channels().contains(aov));
    let able: Vec<_> = able.map(|other| other.name()).collect();
    let failure = Failure::bad_input(format!("integrator `{algorithm}` does not support {what}"));
    Err(failure.with_help(format!("integrators that do: {}", able.join(", "))))
}
