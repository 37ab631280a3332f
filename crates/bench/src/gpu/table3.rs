//! Images of the streaming ray tracer [Wald03, Table 3]: 256 × 256 pixels, traced in its uniform grid and in BVHs.

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
use crate::table::{NO_VALUE, Table};

/// Pixels per side of the image.
const SIZE: u32 = 256;
/// Number of frames that are timed together, of one sample per pixel each.
const FRAMES: u32 = 64;

/// Image of the paper, and frame rates of the built-in scene that replaces it.
#[derive(Clone, Debug, Serialize)]
pub struct Table3Row {
    /// Name of the image in the paper.
    pub published: &'static str,
    /// Published frames per second, on a Radeon 9700 Pro.
    pub published_fps: f64,
    /// Built-in scene.
    pub scene: &'static str,
    /// Number of rays per frame.
    pub rays: u64,
    /// Frames per second of GPU time in a uniform grid; `None` without time stamps.
    pub grid_fps: Option<f64>,
    /// Frames per second of GPU time in BVHs; `None` without time stamps.
    pub trees_fps: Option<f64>,
}

/// Integrator of an image.
enum ImageIntegrator {
    /// Direct light of area lights.
    Soft(PathTracer),
    /// Whitted ray tracing.
    Classical(Whitted),
}

/// Integrator of each image of the paper. Here camera rays of the last one are traced, too.
const INTEGRATORS: [ImageIntegrator; PICTURES.len()] = [
    ImageIntegrator::Soft(PathTracer { max_bounces: 1, ..PathTracer::DEFAULT }),
    ImageIntegrator::Classical(Whitted::DEFAULT),
    ImageIntegrator::Classical(Whitted { max_depth: 1, ..Whitted::DEFAULT }),
];

/// Measures all images.
///
/// # Errors
/// [`BenchError`] if the GPU fails.
pub fn table3(gpu: &Arc<Gpu>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Table3Row>, BenchError> {
    let mut rows = Vec::new();
    for (PublishedPicture { picture, fps: published_fps, model: scene }, integrator) in
        PICTURES.into_iter().zip(&INTEGRATORS)
    {
        progress(&format!("{scene}: frames in a uniform grid and in BVHs"));
        let built = sunfleck_models::build(scene);
        let built = built.map_err(|error| BenchError::Scene(format!("{scene}: {error}")))?;
        let stage = StagedScene::new(scene, &built, Level::new(), [SIZE, SIZE])?;
        let (world, spec) = (stage.world.committed(), stage.view());
        let mirror = SceneMirror::new(gpu, world)?;
        let time = |in_grid| -> Result<Option<PathTimes>, GpuError> {
            let grid = || UniformGrid::of_world(gpu, world.tlas());
            match integrator {
                ImageIntegrator::Soft(path) => {
                    let renderer = match in_grid {
                        true => PathRenderer::with_structure(gpu, &mirror, grid()?.structure())?,
                        false => PathRenderer::new(gpu, &mirror)?,
                    };
                    renderer.time(&mirror, &spec, path, FRAMES)?;
                    renderer.time(&mirror, &spec, path, FRAMES)
                }
                ImageIntegrator::Classical(whitted) => {
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

/// Writes frame rates beside the published ones.
pub(super) fn table(rows: &[Table3Row], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\nimages of the streaming ray tracer, {SIZE} × {SIZE}: frames per second of GPU time")?;
    let mut table = Table::new(["published", "2003", "scene", "rays", "grid", "BVH"]);
    for row in rows {
        let fps = |fps: Option<f64>| fps.map_or(NO_VALUE.to_owned(), |fps| format!("{fps:.1}"));
        let rays = row.rays.to_string();
        let cells = [row.scene.to_owned(), rays, fps(row.grid_fps), fps(row.trees_fps)];
        table.row([row.published.to_owned(), format!("{}", row.published_fps)].into_iter().chain(cells));
    }
    write!(f, "{table}")?;
    writeln!(f, "published: [Wald03, Table 3], on a Radeon 9700 Pro")
}
