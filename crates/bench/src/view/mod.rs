//! The viewer measured from the client's side: the image while the camera orbits and after it is released, latency from
//! an input to the frame that shows it, cost of image codecs, and frame rates with many spectators.

mod client;
mod codecs;
mod comparison;
mod latency;
mod orbit;
mod report;
mod spectators;

use std::path::PathBuf;

use sunfleck_engine::{Device, EngineOptions};
use sunfleck_scene::Scene;
use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};

use crate::BenchError;
pub use codecs::{CodecRow, DeltaRow};
pub use latency::Latency;
pub use orbit::{AfterRelease, OrbitReport};
pub use report::ViewReport;
pub use spectators::SpectatorReport;

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct ViewerBenchSettings {
    /// Width of the page, pixels.
    pub width: u32,
    /// Height of the page, pixels.
    pub height: u32,
    /// Number of inputs of each kind.
    pub inputs: u32,
    /// Time for which frames are counted, seconds.
    pub seconds: f32,
    /// Number of simultaneous spectators; one of them reads nothing.
    pub spectators: u32,
    /// Device that renders.
    pub device: Device,
    /// Whether to compare image codecs, too.
    pub codecs: bool,
    /// Samples per pixel of the images with which those of the viewer are compared; they are denoised.
    pub reference_samples: u32,
    /// Folder for PNGs of the images that are compared.
    pub save: Option<PathBuf>,
}

/// Measures a scene, with a server and its clients in this process, on loopback.
///
/// # Errors
/// [`BenchError`] if the scene cannot be committed or has no camera, the server does not start, or does not answer.
pub fn run(
    settings: &ViewerBenchSettings,
    name: &str,
    scene: &Scene,
    progress: &mut dyn FnMut(&str),
) -> Result<ViewReport, BenchError> {
    let viewer = serve(name, scene, settings.device)?;
    progress(&format!("{name}: orbit"));
    let orbit = orbit::measure(&viewer, name, scene, settings)?;
    progress(&format!("{name}: latency"));
    let latencies = latency::measure(&viewer, settings)?;
    progress(&format!("{name}: {} spectators", settings.spectators));
    let watchers = spectators::measure(&viewer, settings)?;
    drop(viewer);
    let (codecs, deltas) = match settings.codecs {
        true => {
            progress(&format!("{name}: codecs"));
            codecs::measure(name, scene, settings)?
        }
        false => Default::default(),
    };
    let (width, height) = (settings.width, settings.height);
    Ok(ViewReport { scene: name.to_string(), width, height, orbit, latencies, watchers, codecs, deltas })
}

/// Starts a server for a scene.
fn serve(name: &str, scene: &Scene, device: Device) -> Result<Viewer, BenchError> {
    let failed = |error: &dyn std::fmt::Display| BenchError::Viewer(format!("{name}: {error}"));
    let stage = ViewerScene::new(name, scene.clone(), Default::default(), Vec::new())
        .map_err(|error| failed(&error))?;
    let engine = EngineOptions { device, ..EngineOptions::default() };
    let options = ViewerOptions { engine, ..ViewerOptions::default() };
    Viewer::start(stage, &options).map_err(|error| failed(&error))
}

/// Returns the value below which a fraction of the values are; 0 without values.
fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (values.len() as f64 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_scene_is_measured() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let device = Device::Processor;
        let settings = ViewerBenchSettings {
            width: 64,
            height: 48,
            inputs: 4,
            seconds: 0.5,
            spectators: 3,
            device,
            codecs: true,
            reference_samples: 4,
            save: None,
        };
        let report = run(&settings, "cornell", &scene, &mut |_| {}).unwrap();
        assert_eq!(report.latencies.len(), 2);
        let orbit = &report.orbit;
        assert!(orbit.fps > 0.0 && orbit.p95_age_ms <= orbit.most_age_ms, "{orbit:?}");
        assert!(orbit.sharpness > 0.5 && orbit.moving_flip < 0.5, "{orbit:?}");
        assert!(orbit.after.iter().any(|row| row.mode == "rest" && row.flip < 0.3), "{orbit:?}");
        for latency in &report.latencies {
            assert!(latency.median_ms > 0.0 && latency.median_ms <= latency.p95_ms, "{latency:?}");
        }
        assert!(report.watchers.alone > 0.0 && report.watchers.least > 0.0, "{:?}", report.watchers);
        assert!(
            report.codecs.iter().all(|row| row.bytes > 100 && row.encode_ms > 0.0),
            "{:?}",
            report.codecs
        );
        assert!(report.deltas.iter().all(|row| (0.0..=1.0).contains(&row.changed)), "{:?}", report.deltas);
        assert!(report.to_string().contains("input to frame"), "{report}");
    }

    #[test]
    fn percentiles_are_values_of_the_series() {
        assert_eq!(percentile(&mut [3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!((percentile(&mut [5.0], 0.95), percentile(&mut [], 0.5)), (5.0, 0.0));
    }
}
