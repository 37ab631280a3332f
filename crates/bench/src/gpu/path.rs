//! Path tracing on a GPU, shading included.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sunfleck_gpu::{Gpu, GpuError, PathRenderer, SceneMirror};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RenderProgress, StopRules, ViewSpec, World};

use super::WARM_UP;
use crate::BenchError;
use crate::table::{NO_VALUE, Table};

/// Results of path tracing a scene.
#[derive(Clone, Debug, Serialize)]
pub struct PathReport {
    /// Name of the scene.
    pub name: String,
    /// Width of the image, pixels.
    pub width: u32,
    /// Height of the image, pixels.
    pub height: u32,
    /// Samples per pixel.
    pub samples: u32,
    /// Number of closest-hit and any-hit queries.
    pub rays: u64,
    /// Number of steps; see [`sunfleck_gpu::PathTimes::steps`].
    pub steps: u32,
    /// Rays per second of GPU time; `None` without time stamps.
    pub device: Option<f64>,
    /// Fraction of GPU time spent on traversal.
    pub traversal: Option<f64>,
    /// Rays per second of wall time, from the scene on the GPU to the film in memory.
    pub wall: f64,
    /// GPU time of each stage, seconds.
    pub stages: Vec<(&'static str, f64)>,
}

/// Renders a view of a world with `samples` samples per pixel.
///
/// # Errors
/// [`BenchError::Gpu`].
pub fn path(
    name: &str,
    world: &World,
    spec: &ViewSpec,
    samples: u32,
    gpu: &Arc<Gpu>,
) -> Result<PathReport, BenchError> {
    let scene = SceneMirror::new(gpu, world)?;
    let renderer = PathRenderer::new(gpu, &scene)?;
    let mut film = Film::new(spec.width, spec.height, AovSet::EMPTY);
    let path = PathTracer::DEFAULT;
    let go_on = AtomicBool::new(false);
    let mut render = |stop: &StopRules| -> Result<_, GpuError> {
        renderer.render(&scene, spec, &path, &mut film, stop, &go_on, &|_: &RenderProgress| ())
    };
    render(&StopRules { time: Some(WARM_UP), ..StopRules::default() })?;
    let outcome = render(&StopRules { samples: Some(samples), ..StopRules::default() })?;
    let times = renderer.time(&scene, spec, &path, samples)?;
    let stages = times.iter().flat_map(|times| &times.stages).map(|stage| (stage.name, stage.seconds));
    let stages: Vec<_> = stages.collect();
    let sum = |traces: fn(&str) -> bool| {
        stages.iter().filter(|(name, _)| traces(name)).map(|(_, seconds)| seconds).sum::<f64>()
    };
    let traversal = sum(|name| ["closest hits", "shadow rays"].contains(&name)) / sum(|_| true);
    Ok(PathReport {
        name: name.to_owned(),
        width: spec.width,
        height: spec.height,
        samples,
        rays: outcome.rays.total(),
        steps: times.as_ref().map_or(0, |times| times.steps),
        device: times.as_ref().map(|times| times.rays.total() as f64 / times.total_s),
        traversal: times.as_ref().map(|_| traversal),
        wall: outcome.rays.total() as f64 / outcome.elapsed.as_secs_f64(),
        stages,
    })
}

/// Table with one row per scene.
pub(super) fn table(reports: &[PathReport], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if reports.is_empty() {
        return Ok(());
    }
    writeln!(f, "\npath tracing, shading included: rays per second of GPU time and of wall time")?;
    let titles =
        ["scene", "image", "rays", "steps", "GPU, G/s", "traversal", "wall, G/s", "GPU time by stage"];
    let mut table = Table::new(titles);
    for report in reports {
        let PathReport { name, width, height, samples, rays, steps, wall, stages, .. } = report;
        let sum: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
        let share = |(name, seconds): &(&str, f64)| format!("{name} {:.0} %", 100.0 * seconds / sum);
        table.row([
            name.clone(),
            format!("{width} × {height} × {samples}"),
            rays.to_string(),
            steps.to_string(),
            report.device.map_or(NO_VALUE.to_owned(), |rate| format!("{:.3}", rate * 1e-9)),
            report.traversal.map_or(NO_VALUE.to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            format!("{:.3}", wall * 1e-9),
            stages.iter().map(share).collect::<Vec<_>>().join(", "),
        ]);
    }
    write!(f, "{table}")
}
