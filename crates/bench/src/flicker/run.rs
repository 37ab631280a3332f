use fearless_simd::Level;
use sunfleck_engine::{Canvas, FrameRequest};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::Scene;

use super::report::{FlickerReport, FlickerRow};
use crate::BenchError;
use crate::regions::regions;
use crate::stage::StagedScene;

/// Settings of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct FlickerSettings {
    /// Width of the images, pixels.
    pub width: u32,
    /// Height of the images, pixels.
    pub height: u32,
    /// Number of frames.
    pub frames: u32,
    /// Length of the camera's path, metres.
    pub distance: f32,
    /// Samples per pixel of the converged frames; 0: none.
    pub reference_samples: u32,
    /// SIMD level.
    pub level: Level,
    /// Parameters that all schemes have in common.
    pub igi: Igi,
}

/// Scheme for sampling lights.
struct Scheme {
    name: &'static str,
    igi: Igi,
    /// Whether frames reuse the temporal history.
    temporal: bool,
}

/// Measures a scene on the current rayon pool. All frames use the same random numbers.
///
/// # Errors
/// [`BenchError`] if the scene cannot be committed or has no camera.
pub fn run(
    settings: &FlickerSettings,
    name: &str,
    scene: &Scene,
    progress: &mut dyn FnMut(&str),
) -> Result<FlickerReport, BenchError> {
    let FlickerSettings { width, height, frames, distance, reference_samples, level, igi } = *settings;
    progress(&format!("{name}: building"));
    let stage = StagedScene::new(name, scene, level, [width, height])?;
    let mut film = |what: &str, algorithm: Algorithm, samples: u32, steady: bool| -> Vec<Vec<f64>> {
        progress(&format!("{name}: {what}"));
        let canvas = Canvas::new();
        let frame_regions = |number: u32| {
            let frame = moved(&stage.frame, distance * number as f32 / frames.max(2) as f32);
            let frame = FrameRequest { algorithm, steady, ..frame };
            regions(&stage.render_onto(&canvas, &frame, samples).0)
        };
        (0..frames).map(frame_regions).collect()
    };
    let reference = (reference_samples > 0)
        .then(|| film("converged", Algorithm::Path(PathTracer::DEFAULT), reference_samples, false));
    let schemes = [
        Scheme { name: "by power [Wald03, §12]", igi: Igi { importance: 0.0, ..igi }, temporal: false },
        Scheme {
            name: "by estimated contribution [Wald03b, §4]",
            igi: Igi { smooth: false, ..igi },
            temporal: false,
        },
        Scheme { name: "smoothed over the light tree", igi: Igi { smooth: true, ..igi }, temporal: false },
        Scheme { name: "smoothed, with temporal history", igi: Igi { smooth: true, ..igi }, temporal: true },
    ];
    let rows = schemes.iter().map(|scheme| {
        let rendered = film(scheme.name, Algorithm::Igi(scheme.igi), 1, scheme.temporal);
        FlickerRow {
            scheme: scheme.name,
            flicker: flicker(&rendered, reference.as_deref()),
            error: reference.as_deref().map(|reference| error(&rendered, reference)),
        }
    });
    let rows = rows.collect();
    let change = reference.as_deref().map_or(0.0, |reference| flicker(reference, None));
    Ok(FlickerReport { scene: name.into(), width, height, frames, distance, reference_samples, change, rows })
}

/// Returns a frame of the camera moved forward by a distance.
fn moved(frame: &FrameRequest, distance: f32) -> FrameRequest {
    let mut moved = frame.clone();
    moved.camera.world_from_view *= Affine3::from_translation(vec3(0.0, 0.0, -distance));
    moved
}

/// Returns the change of frames beyond that of the reference frames, if there are any, relative to the mean.
fn flicker(frames: &[Vec<f64>], reference: Option<&[Vec<f64>]>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for t in 1..frames.len() {
        for region in 0..frames[t].len() {
            let change = |frames: &[Vec<f64>]| frames[t][region] - frames[t - 1][region];
            sum += (change(frames) - reference.map_or(0.0, change)).abs();
            count += 1;
        }
    }
    sum / f64::from(count.max(1)) / mean(reference.unwrap_or(frames))
}

/// Returns the mean error against the reference frames, relative to their mean.
fn error(frames: &[Vec<f64>], reference: &[Vec<f64>]) -> f64 {
    let pairs = frames.iter().flatten().zip(reference.iter().flatten());
    let count = frames.iter().map(Vec::len).sum::<usize>().max(1);
    pairs.map(|(value, expected)| (value - expected).abs()).sum::<f64>() / count as f64 / mean(reference)
}

fn mean(frames: &[Vec<f64>]) -> f64 {
    let count = frames.iter().map(Vec::len).sum::<usize>().max(1);
    (frames.iter().flatten().sum::<f64>() / count as f64).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_as_in_the_reference_is_no_flicker() {
        let reference = vec![vec![1.0, 2.0], vec![2.0, 1.0], vec![1.5, 1.5]];
        assert_eq!(flicker(&reference, Some(&reference)), 0.0, "the reference itself");
        // A constant offset is an error, but no flicker
        let bright: Vec<Vec<f64>> =
            reference.iter().map(|frame| frame.iter().map(|x| x + 0.3).collect()).collect();
        assert!(flicker(&bright, Some(&reference)) < 1e-12, "no flicker");
        assert!((error(&bright, &reference) - 0.2).abs() < 1e-12, "0.3 of 1.5");
        let mut flash = reference.clone();
        flash[1][0] += 0.3;
        assert!(
            (flicker(&flash, Some(&reference)) - 0.1).abs() < 1e-12,
            "two of four changes, 0.3 of 1.5 each"
        );
    }

    #[test]
    fn schemes_are_compared_on_the_same_camera_path() {
        let scene = sunfleck_models::build("erw6").unwrap();
        let settings = FlickerSettings {
            width: 32,
            height: 24,
            frames: 3,
            distance: 0.1,
            reference_samples: 16,
            level: Level::new(),
            igi: Igi { compensate: false, ..Igi::DEFAULT },
        };
        let report = run(&settings, "erw6", &scene, &mut |_| {}).unwrap();
        assert_eq!(report.rows.len(), 4);
        assert!(report.change > 0.0, "the camera moves");
        for row in &report.rows {
            assert!(row.flicker > 0.0 && row.flicker < 0.5, "{row:?}");
            assert!(row.error.is_some_and(|error| error > 0.0 && error < 0.5), "{row:?}");
        }
        assert!(report.to_string().contains("smoothed, with temporal history"), "{report}");
    }
}
