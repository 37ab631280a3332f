//! Images of the benchmark: what an interactive viewer shows, and path tracing of more and more samples.

use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;

use crate::BenchError;

/// Seed of the images; references have another one.
pub(super) const SEED: u32 = 0;
/// Presets of instant global illumination, with the names of their rows and the number of frames.
const IGI: [(&str, &str, u32); 4] = [
    ("interactive", "igi interactive", 1),
    ("wald03", "igi wald03", 1),
    ("wald03", "igi wald03", 8),
    ("final", "igi final", 8),
];

/// An image to render.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rendering {
    /// Name of the integrator and its preset.
    pub(super) name: &'static str,
    /// Integrator.
    pub(super) algorithm: Algorithm,
    /// Number of frames; samples per pixel of path tracing.
    pub(super) frames: u32,
}

/// Returns all images, given the numbers of samples of path tracing.
pub(super) fn all(path_samples: &[u32]) -> Result<Vec<Rendering>, BenchError> {
    let igi = IGI.iter().map(|&(preset, name, frames)| {
        let mut algorithm = Algorithm::from(Igi::DEFAULT);
        algorithm.set_preset(preset).map_err(|error| BenchError::Scene(error.to_string()))?;
        Ok(Rendering { name, algorithm, frames })
    });
    let path = path_samples
        .iter()
        .map(|&frames| Ok(Rendering { name: "path", algorithm: PathTracer::DEFAULT.into(), frames }));
    igi.chain(path).collect()
}
