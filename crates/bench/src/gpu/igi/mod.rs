//! Frames of instant global illumination on a GPU: milliseconds of each stage by its time stamps, and wall time of a
//! frame; for independent frames, and for a moving camera, whose frames reuse those before.

mod report;
mod walk;

use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::{FrameTimes, Gpu, GpuError, IgiRenderer, SceneMirror};
use sunfleck_integrators::ViewSpec;
use sunfleck_integrators::igi::Igi;
use sunfleck_scene::Scene;

use super::WARM_UP;
use crate::BenchError;
use crate::igi::Errors;
use crate::stage::StagedScene;
pub use report::{IgiGpuReport, IgiGpuRow, WalkErrors};
pub use walk::Walk;

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Film sizes, pixels.
    pub sizes: Vec<[u32; 2]>,
    /// Number of frames of each.
    pub frames: u32,
    /// Parameters.
    pub igi: Igi,
    /// Moving camera, if requested.
    pub walk: Option<Walk>,
}

/// Measures all scenes.
///
/// # Errors
/// [`BenchError`] if a scene cannot be committed or has no camera, or the GPU fails.
pub fn run(
    settings: &Settings,
    scenes: &[(String, Scene)],
    gpu: &Arc<Gpu>,
    progress: &mut dyn FnMut(&str),
) -> Result<IgiGpuReport, BenchError> {
    let mut rows = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let stage = StagedScene::set(name, scene, Level::new(), [1, 1])?;
        for &[width, height] in &settings.sizes {
            progress(&format!("{name}: frames of {width} × {height}"));
            let spec = ViewSpec { width, height, ..stage.view() };
            let mut row = IgiGpuRow::empty(name, &spec, 1);
            let result = Trial::new(settings, &stage, &spec, gpu).and_then(|trial| {
                row.fill(trial.anew()?);
                let walk = settings.walk.iter().map(|walk| trial.walk(walk, name));
                walk.collect::<Result<Vec<_>, _>>()
            });
            let walk = match result {
                Ok(walk) => walk,
                Err(GpuError::Lost { why }) => return Err(GpuError::Lost { why }.into()),
                Err(error) => {
                    row.refused = Some(error.to_string());
                    Vec::new()
                }
            };
            rows.push(row);
            rows.extend(walk);
        }
    }
    let adapter = gpu.adapter();
    Ok(IgiGpuReport {
        device: adapter.name.clone(),
        driver: adapter.driver.clone(),
        vpls_per_pixel: settings.igi.vpls,
        rows,
    })
}

/// Scene on the GPU with a film size.
struct Trial<'a> {
    settings: &'a Settings,
    stage: &'a StagedScene,
    spec: &'a ViewSpec,
    scene: SceneMirror,
    renderer: IgiRenderer,
}

impl<'a> Trial<'a> {
    fn new(
        settings: &'a Settings,
        stage: &'a StagedScene,
        spec: &'a ViewSpec,
        gpu: &Arc<Gpu>,
    ) -> Result<Self, GpuError> {
        let scene = SceneMirror::new(gpu, stage.world.committed())?;
        Ok(Self { settings, stage, spec, renderer: IgiRenderer::new(gpu, &scene), scene })
    }

    /// Measures independent frames.
    fn anew(&self) -> Result<Option<FrameTimes>, GpuError> {
        let Self { settings: Settings { igi, frames, .. }, stage, spec, scene, renderer } = self;
        warm(|| renderer.time(scene, stage.world.committed(), spec, igi, *frames))
    }
}

/// Returns the last of several measurements, once the GPU is warm.
fn warm(
    mut time: impl FnMut() -> Result<Option<FrameTimes>, GpuError>,
) -> Result<Option<FrameTimes>, GpuError> {
    let start = Instant::now();
    loop {
        let times = time()?;
        if start.elapsed() >= WARM_UP {
            return Ok(times);
        }
    }
}
