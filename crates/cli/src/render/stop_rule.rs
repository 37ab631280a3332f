//! Rule that ended a rendering.

use serde::Serialize;
use sunfleck_engine::FrameResult;
use sunfleck_integrators::{StopReason, StopRules};

use crate::units;

/// Rule that ended a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EndedBy {
    Samples,
    Time,
    Noise,
    Interrupt,
}

impl EndedBy {
    /// Returns the rule that ended a frame.
    ///
    /// * `noise` — what the noise rule limits: that of the denoised image, or of the samples.
    pub(super) fn of(rules: &StopRules, result: &FrameResult, noise: Option<f32>) -> Self {
        if result.ended == StopReason::Cancelled {
            Self::Interrupt
        } else if rules.clean(noise) {
            Self::Noise
        } else if result.samples < rules.target() && rules.time.is_some() {
            Self::Time
        } else {
            Self::Samples
        }
    }

    /// Returns a warning if the noise level that was asked for is not reached.
    pub(super) fn missed_noise(self, rules: &StopRules, noise: Option<f32>) -> Option<String> {
        let goal = rules.noise.filter(|_| self != Self::Noise)?;
        let reached = noise.map_or("unknown".into(), units::percent);
        let why = match self {
            Self::Interrupt => "the rendering was interrupted",
            Self::Time => "--time ended the rendering first",
            Self::Samples | Self::Noise => "--spp ended the rendering first",
        };
        let goal = units::percent(goal);
        Some(format!("warning: the noise is {reached}, and not {goal} as --noise asks: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sunfleck_engine::RenderedBy;
    use sunfleck_integrators::{RayCount, StageTimes};

    use super::*;

    #[test]
    fn the_rule_that_ended_the_rendering_is_named() {
        let result = |samples, ended| FrameResult {
            ended,
            samples,
            rays: RayCount::default(),
            elapsed: Duration::ZERO,
            stages: StageTimes::default(),
            vpls: 0,
            by: RenderedBy::PROCESSOR,
        };
        let rules = StopRules { samples: Some(64), time: Some(Duration::from_secs(1)), noise: Some(0.01) };
        let by = |samples, noise| EndedBy::of(&rules, &result(samples, StopReason::Done), noise);
        assert_eq!(by(64, Some(0.02)), EndedBy::Samples);
        assert_eq!(by(30, Some(0.02)), EndedBy::Time);
        assert_eq!(by(30, Some(0.01)), EndedBy::Noise);
        assert_eq!(by(30, None), EndedBy::Time);
        let cancelled = result(30, StopReason::Cancelled);
        assert_eq!(EndedBy::of(&rules, &cancelled, Some(0.02)), EndedBy::Interrupt);
        let warning = EndedBy::Time.missed_noise(&rules, Some(0.02)).unwrap();
        assert!(
            warning.contains("2.0 %") && warning.contains("1.0 %") && warning.contains("--time"),
            "{warning}"
        );
        assert_eq!(EndedBy::Noise.missed_noise(&rules, Some(0.01)), None);
        assert_eq!(EndedBy::Samples.missed_noise(&StopRules::default(), Some(0.5)), None);
    }
}
