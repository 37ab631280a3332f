//! Contact sheet of the images that models get without any options, with the faults that a stranger would see.

mod report;

use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_engine::{Presentation, StageChoice, is_stage_ground};
use sunfleck_image::{AovSet, Film, Picture, ToneCurve, automatic_exposure, quantize};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{
    Algorithm, CameraRays, PlacedCamera, Schedule, StopRules, View, ViewSpec, World, render,
};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::Scene;

pub use report::{Fault, GalleryImage, GalleryReport, GalleryRow};

/// Aspect ratios of the images: landscape, square, portrait.
pub const ASPECTS: [[u32; 2]; 3] = [[3, 2], [1, 1], [2, 3]];

/// Settings of [`run`].
#[derive(Clone, Copy, Debug)]
pub struct GallerySettings {
    /// Edge length of the square cells of the sheet, pixels; images fit into them.
    pub cell: u32,
    /// Samples per pixel.
    pub samples: u32,
    /// SIMD level.
    pub level: Level,
}

/// Renders every scene at all [`ASPECTS`] by path tracing, as `sunfleck render` does without options.
///
/// Returns the measurements and the sheet, display-linear: a row for each scene.
///
/// * `scenes` — with their names; `progress` is told each.
pub fn run(
    settings: &GallerySettings,
    scenes: impl IntoIterator<Item = (String, Result<Scene, String>)>,
    progress: &mut dyn FnMut(&str),
) -> (GalleryReport, Option<Picture>) {
    let (mut rows, mut images) = (Vec::new(), Vec::new());
    for (name, scene) in scenes {
        progress(&name);
        let presented = scene
            .and_then(|scene| present(scene, settings.level).map_err(|error| format!("{name}: {error}")));
        match presented {
            Err(error) => {
                rows.push(GalleryRow {
                    name,
                    camera: None,
                    stage: None,
                    images: Vec::new(),
                    error: Some(error),
                });
                images.push(Vec::new());
            }
            Ok(presented) => {
                let (row, of_scene) = photograph(name, &presented, settings);
                rows.push(row);
                images.push(of_scene);
            }
        }
    }
    (GalleryReport { rows }, sheet(&images, settings.cell))
}

fn present(scene: Scene, level: Level) -> Result<Presentation, String> {
    Presentation::new(scene, StageChoice::Automatic, level).map_err(|error| error.to_string())
}

fn photograph(
    name: String,
    presented: &Presentation,
    settings: &GallerySettings,
) -> (GalleryRow, Vec<Picture>) {
    let world = presented.world.committed();
    let is_object = presented.camera.frames_object();
    let (mut measured, mut images, mut camera_name) = (Vec::new(), Vec::new(), None);
    for [across, up] in ASPECTS {
        let [width, height] = [across, up].map(|side| settings.cell * side / across.max(up));
        let camera = &presented.camera.camera(width as f32 / height as f32);
        camera_name = Some(camera.name.clone());
        let radiance = trace(world, camera, [width, height], settings);
        let stops = presented.world.scene().exposure_stops().unwrap_or_else(|| automatic_exposure(&radiance));
        let displayed = radiance.map(|rgb| ToneCurve::default().apply(rgb, stops));
        let grey = mean_grey(&displayed);
        let silhouette = is_object.then(|| silhouette(presented, camera, [width, height], settings.level));
        measured.push(report::of_image([across, up], grey, silhouette));
        images.push(displayed);
    }
    let stage = presented.stage.map(|stage| stage.name());
    (GalleryRow { name, camera: camera_name, stage, images: measured, error: None }, images)
}

fn trace(
    world: &World,
    camera: &PlacedCamera,
    [width, height]: [u32; 2],
    settings: &GallerySettings,
) -> Picture {
    let view = View::new(world, ViewSpec::new(camera, width, height));
    let mut film = Film::new(width, height, AovSet::EMPTY);
    let stop = StopRules { samples: Some(settings.samples), time: None, noise: None };
    let schedule = Schedule { level: settings.level, ..Schedule::default() };
    let path = Algorithm::Path(PathTracer::DEFAULT);
    render(&view, &path, &mut film, 0, &stop, &schedule, &AtomicBool::new(false), &|_: &_| {});
    film.radiance()
}

/// Returns the mean of the values of an 8-bit file, as a fraction of 255.
fn mean_grey(displayed: &Picture) -> f32 {
    let sum: f64 = displayed
        .pixels()
        .iter()
        .map(|&rgb| quantize(rgb, None).into_iter().map(f64::from).sum::<f64>() / 3.0)
        .sum();
    #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
    let mean = (sum / (255.0 * displayed.pixels().len() as f64)) as f32;
    mean
}

/// Returns the extent of the silhouette of an object along x and y, and whether it touches the border of the image.
/// Rays four times as dense as pixels, and independent of the framing, find it.
fn silhouette(
    presented: &Presentation,
    camera: &PlacedCamera,
    size: [u32; 2],
    level: Level,
) -> ([f32; 2], bool) {
    let [width, height] = size.map(|edge| edge * 2);
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let world = presented.world.committed();
    let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let ray = rays.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), Vec2::splat(0.5));
        if world
            .pick(level, &ray)
            .is_some_and(|picked| !is_stage_ground(presented.world.scene(), picked.node))
        {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x + 1), high[1].max(y + 1)];
        }
    }
    if low[0] == u32::MAX {
        return ([0.0; 2], false);
    }
    let extent = [(low[0], high[0], width), (low[1], high[1], height)];
    let cut_off = extent.iter().any(|&(low, high, edge)| low == 0 || high == edge);
    (extent.map(|(low, high, edge)| high.saturating_sub(low) as f32 / edge as f32), cut_off)
}

/// Returns the sheet: square cells for each scene, in the order of the rows of the report; blank ones where it could
/// not be rendered. `None` if there are no scenes.
fn sheet(images: &[Vec<Picture>], cell: u32) -> Option<Picture> {
    const GAP: u32 = 4;
    let pitch = cell + GAP;
    let columns = u32::try_from(ASPECTS.len()).ok()?;
    let rows = u32::try_from(images.len()).ok()?;
    // Two scenes side by side, so that the sheet is not too tall
    let texel = |x: u32, y: u32| {
        let (column, row) = (x / pitch, y / pitch);
        let scene = 2 * row + column / columns;
        let image =
            images.get(scene as usize).and_then(|of_scene| of_scene.get((column % columns) as usize))?;
        let [dx, dy] = [image.width(), image.height()].map(|edge| (cell - edge) / 2);
        let (x, y) = ((x % pitch).checked_sub(dx)?, (y % pitch).checked_sub(dy)?);
        (x < image.width() && y < image.height()).then(|| image.pixel(x, y))
    };
    let paper = Vec3::splat(0.9);
    Picture::from_fn(2 * columns * pitch, rows.div_ceil(2) * pitch, |x, y| texel(x, y).unwrap_or(paper)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_options_has_no_fault() {
        let mut scene = Scene::default();
        let data = sunfleck_models::teapot(4);
        let mesh = scene.add_mesh(sunfleck_scene::Mesh::new(data).unwrap()).unwrap();
        let grey = sunfleck_scene::Material::lambert("grey", Vec3::splat(0.6));
        let grey = scene.add_material(grey).unwrap();
        scene.add_node(sunfleck_scene::Node::new("teapot").with_mesh(mesh, vec![grey])).unwrap();
        let settings = GallerySettings { cell: 48, samples: 4, level: Level::new() };
        let scenes =
            [("teapot".to_string(), Ok(scene)), ("gone".to_string(), Err("gone: no file".to_string()))];
        let (report, sheet) = run(&settings, scenes, &mut |_| {});
        assert_eq!(report.rows[0].faults(), [], "{report}");
        assert_eq!(report.rows[0].stage, Some("studio"));
        assert_eq!(report.rows[1].faults().len(), 1);
        assert_eq!(sheet.map(|sheet| (sheet.width(), sheet.height())), Some((6 * 52, 52)));
    }
}
