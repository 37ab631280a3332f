//! Limit of fireflies: single bright samples of rare paths.

use std::fmt;

use clap::Args;
use serde::Serialize;
use sunfleck_command::Failure;
use sunfleck_image::{Film, Picture, color::luminance};
use sunfleck_integrators::Algorithm;
use sunfleck_scene::parameter::Value;

use crate::values;

/// Parameter of the algorithms that can limit fireflies; 0 is no limit.
const PARAMETER: &str = "firefly_clamp";

/// Limit of fireflies.
#[derive(Args, Debug)]
#[command(next_help_heading = "Fireflies")]
pub(super) struct FireflyArgs {
    /// Limit the indirect radiance of one path; the image becomes darker
    ///
    /// The limit is a radiance, before exposure; 10 is a start. Light that was scattered at least twice is limited, and
    /// the report states the share of the light that is lost. `path` alone has the limit, on the CPU. By default, there
    /// is no limit and no bias.
    #[arg(long, value_name = "RADIANCE", value_parser = values::positive_number)]
    pub(super) firefly_clamp: Option<f32>,
}

/// Limit of fireflies and what it removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct FireflyLoss {
    /// Largest radiance that a path could add to a pixel.
    pub(super) limit: f32,
    /// Mean luminance that was removed, as a share of that of the image without a limit: the bias of the mean.
    pub(super) removed_share: f64,
}

impl FireflyArgs {
    /// Sets the limit of an algorithm.
    ///
    /// # Errors
    /// The algorithm has no such limit, or only smaller ones.
    pub(super) fn apply(&self, algorithm: &mut Algorithm) -> Result<(), Failure> {
        let Some(limit) = self.firefly_clamp else { return Ok(()) };
        if parameter(algorithm).is_none() {
            let able = Algorithm::ALL.into_iter().filter(|other| parameter(other).is_some());
            let able: Vec<_> = able.map(|other| other.name()).collect();
            return Err(Failure::bad_input(format!(
                "--firefly-clamp: integrator `{algorithm}` has no limit of fireflies"
            ))
            .with_help(format!("integrators that have one: {}", able.join(", "))));
        }
        let set = algorithm.set_value(PARAMETER, Value::Number(limit));
        set.map_err(|error| Failure::bad_input(format!("--firefly-clamp: {error}")))
    }
}

/// Returns the limit of fireflies of an algorithm; `None` without one.
pub(super) fn limit(algorithm: &Algorithm) -> Option<f32> {
    match parameter(algorithm)? {
        Value::Number(limit) if limit > 0.0 => Some(limit),
        _ => None,
    }
}

fn parameter(algorithm: &Algorithm) -> Option<Value> {
    let mut values = algorithm.values().into_iter();
    values.find(|(parameter, _)| parameter.name == PARAMETER).map(|(_, value)| value)
}

impl fmt::Display for FireflyLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.removed_share * 100.0;
        let digits = if percent < 1.0 { 3 } else { 1 };
        write!(f, "limited to a radiance of {}: {percent:.digits$} % of the light was removed", self.limit)
    }
}

impl FireflyLoss {
    /// Returns what the limit of an algorithm removed from a film; `None` without a limit.
    pub(super) fn of(algorithm: &Algorithm, film: &Film) -> Option<Self> {
        let sum = |picture: &Picture| -> f64 {
            picture.pixels().iter().map(|&radiance| f64::from(luminance(radiance))).sum()
        };
        let (limit, removed) = (limit(algorithm)?, sum(&film.clamped()?));
        let all = sum(&film.radiance()) + removed;
        Some(Self { limit, removed_share: if all > 0.0 { removed / all } else { 0.0 } })
    }
}
