use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fearless_simd::Level;
use sunfleck_image::{AovSet, Film, Filter, Picture, ToneCurve, metrics};
use sunfleck_integrators::igi::{Igi, Memory};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{
    Algorithm, Outcome, PlacedCamera, Schedule, Status, StopRules, View, ViewSpec, World, render,
};
use sunfleck_scene::Scene;

use super::Published;
use super::report::{Errors, IgiReport, Row};
use crate::BenchError;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// How many of each scene.
    pub frames: usize,
    /// Instruction set.
    pub level: Level,
    /// Parameters.
    pub igi: Igi,
    /// Samples per pixel of the path-traced reference; 0: none.
    pub reference_samples: u32,
}

/// What was computed: linear radiance.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Of the scene.
    pub name: String,
    /// One frame.
    pub frame: Picture,
    /// What it ought to be.
    pub reference: Option<Picture>,
}

/// Measures scenes, on all threads of the current rayon pool.
///
/// # Errors
/// [`BenchError`] if a scene cannot be committed or has no camera.
pub fn run(
    settings: &Settings,
    scenes: &[(String, Scene)],
    progress: &mut dyn FnMut(&str),
) -> Result<(IgiReport, Vec<Shown>), BenchError> {
    let mut rows = Vec::new();
    let mut shown = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let world = World::commit(scene).map_err(|error| BenchError::Scene(format!("{name}: {error}")))?;
        let inside = world.view_from_inside(settings.level);
        let camera = world.cameras().first().cloned().or(inside);
        let camera = camera.ok_or_else(|| BenchError::Scene(format!("{name}: there is no camera")))?;
        progress(&format!("{name}: {} frames", settings.frames));
        let (row, picture) = measure(settings, name, scene, &world, &camera, progress);
        rows.push(row);
        shown.push(picture);
    }
    let Settings { width, height, frames, .. } = *settings;
    Ok((IgiReport { width, height, frames, threads: rayon::current_num_threads(), rows }, shown))
}

fn measure(
    settings: &Settings,
    name: &str,
    scene: &Scene,
    world: &World,
    camera: &PlacedCamera,
    progress: &mut dyn FnMut(&str),
) -> (Row, Shown) {
    let igi = Algorithm::Igi(settings.igi);
    let (frame, _) = shoot(settings, world, camera, &igi, 1);
    let mut outcomes: Vec<Outcome> =
        (0..settings.frames.max(1)).map(|_| shoot(settings, world, camera, &igi, 1).1).collect();
    outcomes.sort_by_key(|outcome| outcome.elapsed);
    let median = outcomes[outcomes.len() / 2];
    let seconds = median.elapsed.as_secs_f64().max(1e-9);
    let pixels = f64::from(settings.width) * f64::from(settings.height);

    let reference = (settings.reference_samples > 0).then(|| {
        progress(&format!("{name}: reference of {} samples per pixel", settings.reference_samples));
        let path = Algorithm::Path(PathTracer::DEFAULT);
        shoot(settings, world, camera, &path, settings.reference_samples).0
    });
    let error = reference.as_ref().and_then(|reference| {
        Some(Errors {
            reference_samples: settings.reference_samples,
            rmse: metrics::rmse(&frame, reference).ok()?,
            flip: flip(&frame, reference)?,
        })
    });
    let row = Row {
        scene: name.to_string(),
        triangles: scene.instanced_triangle_count(),
        lights: world.light_count(),
        frames_per_second: seconds.recip(),
        frame_ms: seconds * 1e3,
        outside_share: median.outside.as_secs_f64() / seconds,
        vpls_per_pixel: settings.igi.vpls,
        rays_per_pixel: median.rays.total() as f64 / pixels,
        mrays_per_second: median.rays.total() as f64 / seconds * 1e-6,
        error,
        published: Published::beside(name),
    };
    (row, Shown { name: name.to_string(), frame, reference })
}

/// Mean FLIP of the pictures as they are seen.
fn flip(frame: &Picture, reference: &Picture) -> Option<f64> {
    let shown = |picture: &Picture| picture.map(|radiance| ToneCurve::default().apply(radiance, 0.0));
    let map = metrics::flip(&shown(frame), &shown(reference), metrics::DEFAULT_PIXELS_PER_DEGREE);
    map.ok().map(|map| map.mean())
}

fn shoot(
    settings: &Settings,
    world: &World,
    camera: &PlacedCamera,
    algorithm: &Algorithm,
    samples: u32,
) -> (Picture, Outcome) {
    let Settings { width, height, level, .. } = *settings;
    shoot_at(level, [width, height], world, camera, algorithm, samples, None)
}

/// A picture of so many samples, and how it was made.
pub(crate) fn shoot_at(
    level: Level,
    [width, height]: [u32; 2],
    world: &World,
    camera: &PlacedCamera,
    algorithm: &Algorithm,
    samples: u32,
    memory: Option<&Memory>,
) -> (Picture, Outcome) {
    let spec = ViewSpec { filter: Filter::Box, ..ViewSpec::new(camera, width, height) };
    let mut view = View::new(world, spec);
    if let Some(memory) = memory {
        view = view.with_memory(memory);
    }
    let mut film = Film::new(width, height, AovSet::EMPTY);
    let stop = StopRules { samples: Some(samples), time: None::<Duration>, noise: None };
    let schedule = Schedule { level, ..Schedule::default() };
    let go_on = AtomicBool::new(false);
    let outcome = render(&view, algorithm, &mut film, 0, &stop, &schedule, &go_on, &|_: &Status| ());
    (film.radiance(), outcome)
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
        };
        let (report, shown) = run(&settings, &[("cornell".into(), scene)], &mut |_| {}).unwrap();
        let row = &report.rows[0];
        assert!(row.frames_per_second > 0.0 && (0.0..1.0).contains(&row.outside_share), "{row:?}");
        // Four camera rays, the shadow rays that can be of use, and a path
        assert!((5.0..24.0).contains(&row.rays_per_pixel), "{} rays per pixel", row.rays_per_pixel);
        let errors = row.error.unwrap();
        assert!(errors.flip > 0.0 && errors.flip < 0.25, "{errors:?}");
        assert!(shown[0].reference.is_some(), "the reference comes with the frame");
        assert!(report.to_string().contains("cornell"), "{report}");
    }
}
