use std::time::Duration;

use sunfleck_integrators::Algorithm;

/// Measured speed of frames, to predict the time of the next ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// Seconds per pixel and ray.
    seconds: Option<f64>,
}

impl Pace {
    /// Updates the measurement from a pass.
    pub(crate) fn learn(&mut self, algorithm: &Algorithm, pixels: u64, passes: u32, took: Duration) {
        if let (Some(rays), true) = (algorithm.cost(), passes > 0) {
            self.seconds = Some(took.as_secs_f64() / (pixels as f64 * rays * f64::from(passes)));
        }
    }

    /// Returns the algorithm with its number of rays halved until it fits into a time; unchanged if nothing was
    /// measured.
    pub(crate) fn fit(&self, algorithm: &Algorithm, pixels: u64, time: Option<Duration>) -> Algorithm {
        let mut algorithm = *algorithm;
        if let (Some(time), Some(seconds)) = (time, self.seconds) {
            let too_slow = |rays: f64| seconds * pixels as f64 * rays > time.as_secs_f64();
            while algorithm.cost().is_some_and(too_slow)
                && let Some(cheaper) = algorithm.cheaper()
            {
                algorithm = cheaper;
            }
        }
        algorithm
    }
}
