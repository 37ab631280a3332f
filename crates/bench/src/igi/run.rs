use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_engine::FrameResult;
use sunfleck_image::Picture;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, RenderStage};
use sunfleck_scene::Scene;

use super::Published;
use super::checks::Checks;
use super::report::{Errors, IgiReport, Row};
use crate::BenchError;
use crate::stage::StagedScene;

/// Settings of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// How many of each scene.
    pub frames: usize,
    /// SIMD level.
    pub level: Level,
    /// Parameters.
    pub igi: Igi,
    /// Samples per pixel of the path-traced reference; 0: none.
    pub reference_samples: u32,
    /// Whether to measure [`Checks`], too.
    pub checks: bool,
}

/// What was computed: linear radiance.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Of the scene.
    pub name: String,
    /// One frame.
    pub frame: Arc<Picture>,
    /// What it ought to be.
    pub reference: Option<Arc<Picture>>,
}

/// Measures scenes, on as many threads as the current rayon pool has.
///
/// # Errors
/// [`BenchError`] if a scene cannot be committed or has no camera.
pub fn run(
    settings: &Settings,
    scenes: &[(String, Scene)],
    progress: &mut dyn FnMut(&str),
) -> Result<(IgiReport, Vec<Shown>), BenchError> {
    let Settings { width, height, frames, level, reference_samples, .. } = *settings;
    let mut rows = Vec::new();
    let mut shown = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let stage = StagedScene::set(name, scene, level, [width, height])?;
        let (row, picture) = measure(settings, name, scene, &stage, progress);
        rows.push(row);
        shown.push(picture);
    }
    let threads = rayon::current_num_threads();
    Ok((IgiReport { width, height, frames, threads, reference_samples, rows }, shown))
}

fn measure(
    settings: &Settings,
    name: &str,
    scene: &Scene,
    stage: &StagedScene,
    progress: &mut dyn FnMut(&str),
) -> (Row, Shown) {
    progress(&format!("{name}: {} frames", settings.frames));
    let igi = Algorithm::Igi(settings.igi);
    let (frame, _) = stage.shoot(&igi, 1);
    let mut outcomes: Vec<FrameResult> =
        (0..settings.frames.max(1)).map(|_| stage.shoot(&igi, 1).1).collect();
    outcomes.sort_by_key(|outcome| outcome.elapsed);
    let median = outcomes[outcomes.len() / 2];
    let seconds = median.stages.total().as_secs_f64().max(1e-9);
    let outside = median.stages.of(RenderStage::Lights) + median.stages.of(RenderStage::Film);
    let pixels = f64::from(settings.width) * f64::from(settings.height);

    let reference = (settings.reference_samples > 0).then(|| {
        progress(&format!("{name}: reference of {} samples per pixel", settings.reference_samples));
        stage.shoot(&Algorithm::Path(PathTracer::DEFAULT), settings.reference_samples).0
    });
    let checks = settings.checks.then(|| {
        progress(&format!("{name}: anti-aliasing and filter"));
        Checks::of(stage, settings.igi, settings.frames)
    });
    let row = Row {
        scene: name.to_string(),
        triangles: scene.instanced_triangle_count(),
        lights: stage.world.committed().light_count(),
        frames_per_second: seconds.recip(),
        frame_ms: seconds * 1e3,
        outside_share: outside.as_secs_f64() / seconds,
        vpls_per_pixel: settings.igi.vpls,
        rays_per_pixel: median.rays.total() as f64 / pixels,
        mrays_per_second: median.rays.total() as f64 / seconds * 1e-6,
        error: reference.as_ref().and_then(|reference| Errors::of(&frame, reference)),
        checks: checks.flatten(),
        published: Published::beside(name),
    };
    (row, Shown { name: name.to_string(), frame, reference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_was_measured() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let settings = Settings {
            width: 40,
            height: 40,
            frames: 3,
            level: Level::new(),
            igi: Igi::DEFAULT,
            reference_samples: 512,
            checks: true,
        };
        let (report, shown) = run(&settings, &[("cornell".into(), scene)], &mut |_| {}).unwrap();
        let row = &report.rows[0];
        assert!(row.frames_per_second > 0.0 && (0.0..1.0).contains(&row.outside_share), "{row:?}");
        // Four camera rays, the shadow rays that can be of use, and a path
        assert!((5.0..24.0).contains(&row.rays_per_pixel), "{} rays per pixel", row.rays_per_pixel);
        let errors = row.error.unwrap();
        assert!(errors.flip > 0.0 && errors.flip < 0.25, "{errors:?}");
        assert!(shown[0].reference.is_some(), "the reference comes with the frame");
        assert!(row.checks.is_some(), "{row:?}");
        assert_eq!(report.to_string().matches("cornell").count(), 2, "once in each table: {report}");
    }
}
