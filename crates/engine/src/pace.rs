use std::time::Duration;

use sunfleck_integrators::{Algorithm, igi::Igi};

/// How fast frames were, to foretell how long others will take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// Seconds per pixel and ray.
    seconds: Option<f64>,
}

impl Pace {
    /// Learns from a pass.
    pub(crate) fn learn(&mut self, algorithm: &Algorithm, pixels: u64, passes: u32, took: Duration) {
        if let (Algorithm::Igi(igi), true) = (algorithm, passes > 0) {
            self.seconds = Some(took.as_secs_f64() / (pixels as f64 * rays(igi) * f64::from(passes)));
        }
    }

    /// The algorithm with as many point lights and camera rays as fit into a time, by halves; as it is if nothing is known.
    pub(crate) fn fit(&self, algorithm: &Algorithm, pixels: u64, time: Option<Duration>) -> Algorithm {
        let (Algorithm::Igi(igi), Some(time), Some(seconds)) = (algorithm, time, self.seconds) else {
            return *algorithm;
        };
        let mut igi = *igi;
        let fits = |igi: &Igi| seconds * pixels as f64 * rays(igi) <= time.as_secs_f64();
        while !fits(&igi) && (igi.vpls > 2 || igi.antialias > 1) {
            // Camera rays cost more than shadow rays, and are missed less
            match igi.antialias > 1 && igi.vpls <= 4 * igi.antialias {
                true => igi.antialias /= 2,
                false => igi.vpls = (igi.vpls / 2).max(1),
            }
        }
        Algorithm::Igi(igi)
    }
}

/// Rays of a pixel.
fn rays(igi: &Igi) -> f64 {
    f64::from(igi.vpls) + 2.0 * f64::from(igi.antialias)
}
