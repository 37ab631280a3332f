use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_engine::FrameResult;
use sunfleck_image::Picture;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, RenderStage};
use sunfleck_scene::Scene;

use super::PublishedIgi;
use super::checks::IgiChecks;
use super::report::{IgiReport, IgiRow, ImageErrors};
use crate::BenchError;
use crate::stage::StagedScene;

/// Settings of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct IgiBenchSettings {
    /// Width of the images, pixels.
    pub width: u32,
    /// Height of the images, pixels.
    pub height: u32,
    /// Number of frames per scene.
    pub frames: usize,
    /// SIMD level.
    pub level: Level,
    /// Parameters of the integrator.
    pub igi: Igi,
    /// Samples per pixel of the path-traced reference; 0: none.
    pub reference_samples: u32,
    /// Whether to measure [`IgiChecks`], too.
    pub checks: bool,
}

/// Images of a scene, linear radiance.
#[derive(Clone, Debug)]
pub struct IgiImages {
    /// Name of the scene.
    pub name: String,
    /// One frame.
    pub frame: Arc<Picture>,
    /// Path-traced reference, if requested.
    pub reference: Option<Arc<Picture>>,
}

/// Measures scenes, with as many threads as the current rayon pool has. Also returns the images.
///
/// # Errors
/// [`BenchError`] if a scene cannot be committed or has no camera.
pub fn run(
    settings: &IgiBenchSettings,
    scenes: &[(String, Scene)],
    progress: &mut dyn FnMut(&str),
) -> Result<(IgiReport, Vec<IgiImages>), BenchError> {
    let IgiBenchSettings { width, height, frames, level, reference_samples, .. } = *settings;
    let mut rows = Vec::new();
    let mut images = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let stage = StagedScene::new(name, scene, level, [width, height])?;
        let (row, scene_images) = measure(settings, name, scene, &stage, progress);
        rows.push(row);
        images.push(scene_images);
    }
    let threads = rayon::current_num_threads();
    Ok((IgiReport { width, height, frames, threads, reference_samples, rows }, images))
}

fn measure(
    settings: &IgiBenchSettings,
    name: &str,
    scene: &Scene,
    stage: &StagedScene,
    progress: &mut dyn FnMut(&str),
) -> (IgiRow, IgiImages) {
    progress(&format!("{name}: {} frames", settings.frames));
    let igi = Algorithm::Igi(settings.igi);
    let (frame, _) = stage.render(&igi, 1);
    let mut results: Vec<FrameResult> =
        (0..settings.frames.max(1)).map(|_| stage.render(&igi, 1).1).collect();
    results.sort_by_key(|result| result.elapsed);
    let median = results[results.len() / 2];
    let seconds = median.stages.total().as_secs_f64().max(1e-9);
    let outside = median.stages.of(RenderStage::Lights) + median.stages.of(RenderStage::Film);
    let pixels = f64::from(settings.width) * f64::from(settings.height);

    let reference = (settings.reference_samples > 0).then(|| {
        progress(&format!("{name}: reference of {} samples per pixel", settings.reference_samples));
        stage.render(&Algorithm::Path(PathTracer::DEFAULT), settings.reference_samples).0
    });
    let checks = settings.checks.then(|| {
        progress(&format!("{name}: anti-aliasing and filter"));
        IgiChecks::of(stage, settings.igi, settings.frames)
    });
    let row = IgiRow {
        scene: name.to_string(),
        triangles: scene.instanced_triangle_count(),
        lights: stage.world.committed().light_count(),
        frames_per_second: seconds.recip(),
        frame_ms: seconds * 1e3,
        outside_share: outside.as_secs_f64() / seconds,
        vpls_per_pixel: settings.igi.vpls,
        rays_per_pixel: median.rays.total() as f64 / pixels,
        mrays_per_second: median.rays.total() as f64 / seconds * 1e-6,
        error: reference.as_ref().and_then(|reference| ImageErrors::of(&frame, reference)),
        checks: checks.flatten(),
        published: PublishedIgi::for_model(name),
    };
    (row, IgiImages { name: name.to_string(), frame, reference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_all_measurements() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let settings = IgiBenchSettings {
            width: 40,
            height: 40,
            frames: 3,
            level: Level::new(),
            igi: Igi::DEFAULT,
            reference_samples: 512,
            checks: true,
        };
        let (report, images) = run(&settings, &[("cornell".into(), scene)], &mut |_| {}).unwrap();
        let row = &report.rows[0];
        assert!(row.frames_per_second > 0.0 && (0.0..1.0).contains(&row.outside_share), "{row:?}");
        // Four camera rays, shadow rays to the VPLs that may contribute, and a path
        assert!((5.0..24.0).contains(&row.rays_per_pixel), "{} rays per pixel", row.rays_per_pixel);
        let errors = row.error.unwrap();
        assert!(errors.flip > 0.0 && errors.flip < 0.25, "{errors:?}");
        assert!(images[0].reference.is_some(), "the reference comes with the frame");
        assert!(row.checks.is_some(), "{row:?}");
        assert_eq!(report.to_string().matches("cornell").count(), 2, "once in each table: {report}");
    }
}
