//! The viewer from the other end of the wire: how long from an input until a frame shows it, which way to send images
//! costs what, and whether one who looks on slows the others.

mod client;
mod codecs;
mod latency;
mod report;
mod watchers;

use sunfleck_engine::{Device, EngineOptions};
use sunfleck_scene::Scene;
use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};

use crate::BenchError;
pub use codecs::{CodecRow, DeltaRow};
pub use latency::Latency;
pub use report::ViewReport;
pub use watchers::Watchers;

/// Settings of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Pixels of the page.
    pub width: u32,
    /// Pixels of the page.
    pub height: u32,
    /// Inputs of each kind.
    pub inputs: u32,
    /// How long frames are counted, seconds.
    pub seconds: f32,
    /// How many look on together.
    pub watchers: u32,
    /// Who renders.
    pub device: Device,
    /// Whether ways to send images are compared, too.
    pub codecs: bool,
}

/// Measures a scene, with a server and its clients in this process, on loopback.
///
/// # Errors
/// [`BenchError`] if the scene cannot be committed or has no camera, the server does not start, or does not answer.
pub fn run(
    settings: &Settings,
    name: &str,
    scene: &Scene,
    progress: &mut dyn FnMut(&str),
) -> Result<ViewReport, BenchError> {
    progress(&format!("{name}: latency"));
    let viewer = serve(name, scene, settings.device)?;
    let latencies = latency::measure(&viewer, settings)?;
    progress(&format!("{name}: {} who look on", settings.watchers));
    let watchers = watchers::measure(&viewer, settings)?;
    drop(viewer);
    let (codecs, deltas) = match settings.codecs {
        true => {
            progress(&format!("{name}: codecs"));
            codecs::measure(name, scene, settings)?
        }
        false => Default::default(),
    };
    let Settings { width, height, .. } = *settings;
    Ok(ViewReport { scene: name.to_string(), width, height, latencies, watchers, codecs, deltas })
}

/// A server of its own for a scene.
fn serve(name: &str, scene: &Scene, device: Device) -> Result<Viewer, BenchError> {
    let failed = |error: &dyn std::fmt::Display| BenchError::Viewer(format!("{name}: {error}"));
    let stage = ViewerScene::new(name, scene.clone(), Default::default(), Vec::new())
        .map_err(|error| failed(&error))?;
    let options = ViewerOptions {
        bind: std::net::Ipv4Addr::LOCALHOST.into(),
        port: 0,
        token: None,
        engine: EngineOptions { device, ..EngineOptions::default() },
    };
    Viewer::start(stage, &options).map_err(|error| failed(&error))
}

/// The value below which a share of all lies; 0 of none.
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
        let settings =
            Settings { width: 64, height: 48, inputs: 4, seconds: 0.5, watchers: 3, device, codecs: true };
        let report = run(&settings, "cornell", &scene, &mut |_| {}).unwrap();
        assert_eq!(report.latencies.len(), 2);
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
    fn percentiles_are_of_the_values() {
        assert_eq!(percentile(&mut [3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!((percentile(&mut [5.0], 0.95), percentile(&mut [], 0.5)), (5.0, 0.0));
    }
}
