//! Denoising of a frame, and what it means for the rules that end rendering.

use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_engine::{Canvas, Denoised, Denoiser, OidnError};
use sunfleck_integrators::{Algorithm, StopRules};

use super::output::Outputs;

/// Denoiser of all frames.
#[derive(Debug)]
pub(super) struct Denoising {
    denoiser: Denoiser,
    /// Whether `--noise` limits the noise of the denoised image: no file shows the image as it is rendered.
    pub(super) limits_denoised: bool,
    /// Predicted times to denoise a frame; 0 without a time limit, for which alone they matter.
    pub(super) times: DenoiseTimes,
}

/// Times to denoise a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DenoiseTimes {
    /// With too few samples to estimate the residual error.
    pub(super) alone: Duration,
    /// With enough of them.
    pub(super) with_error: Duration,
}

/// Denoised image of a frame.
#[derive(Debug)]
pub(super) struct DenoisedFrame {
    pub(super) image: Denoised,
    /// Name of the method.
    pub(super) method: &'static str,
    /// Time that denoising took.
    pub(super) elapsed: Duration,
}

impl Denoising {
    /// Loads the denoiser if a file is denoised.
    ///
    /// # Errors
    /// The denoiser that was asked for is not installed, or fails.
    pub(super) fn new(
        rules: StopRules,
        algorithm: &Algorithm,
        outputs: &Outputs,
    ) -> Result<Option<Self>, Failure> {
        let Some(denoiser) = outputs.denoiser(algorithm)? else { return Ok(None) };
        let limits_denoised = rules.noise.is_some() && outputs.are_all_denoised();
        Ok(Some(Self { denoiser, limits_denoised, times: DenoiseTimes::default() }))
    }

    /// Measures how long denoising takes, if there is a time limit.
    ///
    /// * `[width, height]` — size of what is rendered, pixels.
    ///
    /// # Errors
    /// The denoiser fails.
    pub(super) fn measure(&mut self, rules: StopRules, [width, height]: [u32; 2]) -> Result<(), Failure> {
        if rules.time.is_some() {
            let time = |estimates| self.denoiser.predict_time(width, height, estimates).map_err(failed);
            self.times = DenoiseTimes { alone: time(false)?, with_error: time(true)? };
        }
        Ok(())
    }

    /// Denoises the samples of a canvas; `None` if it has none, or only a part of the first pass.
    ///
    /// # Errors
    /// The denoiser fails.
    pub(super) fn of_canvas(&self, canvas: &Canvas) -> Result<Option<DenoisedFrame>, Failure> {
        let start = Instant::now();
        let image = canvas.denoised_with_error(&self.denoiser).map_err(failed)?;
        let method = self.denoiser.method().name();
        Ok(image.map(|image| DenoisedFrame { image, method, elapsed: start.elapsed() }))
    }
}

/// Returns the number of samples after which to denoise again, on the way to a limit of the residual error.
///
/// That error falls with the square root of the number of samples at most, since the denoiser removes less from more
/// samples. Numbers are powers of two, of which sequences of low discrepancy are stratified best.
///
/// * `samples` — current number of samples. * `residual_error` — that of their denoised image.
pub(super) fn next_target(rules: &StopRules, samples: u32, residual_error: f32) -> u32 {
    let needed = rules.noise.map_or(0.0, |goal| (residual_error / goal).powi(2));
    // The estimate is not exact, so that larger steps would render too much
    let growth = if needed > 4.0 { 4 } else { 2 };
    samples.max(1).saturating_mul(growth).min(rules.target())
}

fn failed(error: OidnError) -> Failure {
    Failure::failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_doubled_until_the_goal_is_near() {
        let rules = |samples| StopRules { samples, noise: Some(0.1), ..StopRules::default() };
        assert_eq!(next_target(&rules(None), 16, 0.3), 64);
        assert_eq!(next_target(&rules(None), 16, 0.15), 32);
        assert_eq!(next_target(&rules(None), 16, f32::INFINITY), 64);
        assert_eq!(next_target(&rules(Some(20)), 16, 0.15), 20);
        assert_eq!(next_target(&rules(None), u32::MAX - 1, 0.15), u32::MAX);
    }
}
