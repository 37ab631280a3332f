//! The streaming ray tracer's images [Wald03, Table 3]: 256 × 256, in its uniform grid and in trees.

use std::fmt;
use std::sync::Arc;

use fearless_simd::Level;
use serde::Serialize;
use sunfleck_gpu::{Gpu, GpuError, PathRenderer, PathTimes, SceneMirror, WhittedRenderer};
use sunfleck_integrators::View;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::whitted::Whitted;
use sunfleck_ray_engine::UniformGrid;
use sunfleck_ray_engine::tables::streaming_2003::{PICTURES, PublishedPicture};

use crate::BenchError;
use crate::stage::StagedScene;
use crate::table::{NOTHING, Table};

/// Pixels of a side.
const SIZE: u32 = 256;
/// Frames that are timed together: one sample of each pixel is a frame.
const FRAMES: u32 = 64;

/// An image of the paper, and ours that stands for it.
#[derive(Clone, Debug, Serialize)]
pub struct Table3Row {
    /// As the paper calls it.
    pub published: &'static str,
    /// Frames a second on a Radeon 9700 Pro, published.
    pub published_fps: f64,
    /// Our scene.
    pub scene: &'static str,
    /// Rays of a frame.
    pub rays: u64,
    /// Frames per second of the device's time, in a uniform grid; none without time stamps.
    pub grid_fps: Option<f64>,
    /// In trees.
    pub trees_fps: Option<f64>,
}

/// How it is lit.
enum Light {
    /// Soft shadows of lamps, nothing else.
    Soft(PathTracer),
    Classical(Whitted),
}

/// Of each image of the paper. Camera rays of the last one are traced here, too.
const LIGHTS: [Light; PICTURES.len()] = [
    Light::Soft(PathTracer { max_bounces: 1, ..PathTracer::DEFAULT }),
    Light::Classical(Whitted::DEFAULT),
    Light::Classical(Whitted { max_depth: 1, ..Whitted::DEFAULT }),
];

/// Measures all.
///
/// # Errors
/// [`BenchError`] if the GPU fails.
pub fn table3(gpu: &Arc<Gpu>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Table3Row>, BenchError> {
    let mut rows = Vec::new();
    for (PublishedPicture { picture, fps: published_fps, model: scene }, light) in
        PICTURES.into_iter().zip(&LIGHTS)
    {
        progress(&format!("{scene}: frames in a uniform grid and in trees"));
        let made = sunfleck_models::build(scene);
        let made = made.map_err(|error| BenchError::Scene(format!("{scene}: {error}")))?;
        let stage = StagedScene::set(scene, &made, Level::new(), [SIZE, SIZE])?;
        let (world, spec) = (stage.world.committed(), stage.view());
        let mirror = SceneMirror::new(gpu, world)?;
        let time = |in_grid| -> Result<Option<PathTimes>, GpuError> {
            let grid = || UniformGrid::of_world(gpu, world.tlas());
            match light {
                Light::Soft(path) => {
                    let renderer = match in_grid {
                        true => PathRenderer::with_structure(gpu, &mirror, grid()?.structure())?,
                        false => PathRenderer::new(gpu, &mirror)?,
                    };
                    renderer.time(&mirror, &spec, path, FRAMES)?;
                    renderer.time(&mirror, &spec, path, FRAMES)
                }
                Light::Classical(whitted) => {
                    let renderer = match in_grid {
                        true => WhittedRenderer::with_structure(gpu, &mirror, grid()?.structure())?,
                        false => WhittedRenderer::new(gpu, &mirror)?,
                    };
                    let ambient = whitted.ambient_light(Level::new(), &View::new(world, spec));
                    renderer.time(&mirror, &spec, whitted, ambient, FRAMES)?;
                    renderer.time(&mirror, &spec, whitted, ambient, FRAMES)
                }
            }
        };
        let [in_grid, in_trees] = [time(true)?, time(false)?];
        let fps = |times: &Option<PathTimes>| times.as_ref().map(|times| f64::from(FRAMES) / times.total_s);
        rows.push(Table3Row {
            published: picture,
            published_fps,
            scene,
            rays: in_trees.as_ref().map_or(0, |times| times.rays.total() / u64::from(FRAMES)),
            grid_fps: fps(&in_grid),
            trees_fps: fps(&in_trees),
        });
    }
    Ok(rows)
}

/// Frames a second beside the published ones.
pub(super) fn table(rows: &[Table3Row], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\nthe streaming ray tracer's pictures, {SIZE} × {SIZE}: frames per second of the device's time"
    )?;
    let mut table = Table::new(["published", "2003", "scene", "rays", "grid", "trees"]);
    for row in rows {
        let fps = |fps: Option<f64>| fps.map_or(NOTHING.to_owned(), |fps| format!("{fps:.1}"));
        let rays = row.rays.to_string();
        let cells = [row.scene.to_owned(), rays, fps(row.grid_fps), fps(row.trees_fps)];
        table.row([row.published.to_owned(), format!("{}", row.published_fps)].into_iter().chain(cells));
    }
    write!(f, "{table}")?;
    writeln!(f, "published: [Wald03, Table 3], on a Radeon 9700 Pro")
}
