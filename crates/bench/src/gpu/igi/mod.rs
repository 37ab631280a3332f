//! Frames of instant global illumination on a GPU: time of each stage by time stamps, and wall time per frame. Frames
//! are independent, or are those of a moving camera, which reuse earlier ones.

mod camera_path;
mod report;

use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::{FrameTimes, Gpu, GpuError, IgiRenderer, SceneMirror};
use sunfleck_integrators::ViewSpec;
use sunfleck_integrators::igi::Igi;
use sunfleck_scene::Scene;

use super::WARM_UP;
use crate::BenchError;
use crate::igi::ImageErrors;
use crate::stage::StagedScene;
pub use camera_path::CameraPath;
pub use report::{CameraPathErrors, IgiGpuReport, IgiGpuRow};

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct IgiGpuSettings {
    /// Film sizes, pixels.
    pub sizes: Vec<[u32; 2]>,
    /// Number of frames per film size.
    pub frames: u32,
    /// Parameters of the integrator.
    pub igi: Igi,
    /// Path of a moving camera, if requested.
    pub camera_path: Option<CameraPath>,
}

/// Measures all scenes.
///
/// # Errors
/// [`BenchError`] if a scene cannot be committed or has no camera, or the GPU fails.
pub fn run(
    settings: &IgiGpuSettings,
    scenes: &[(String, Scene)],
    gpu: &Arc<Gpu>,
    progress: &mut dyn FnMut(&str),
) -> Result<IgiGpuReport, BenchError> {
    let mut rows = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let stage = StagedScene::new(name, scene, Level::new(), [1, 1])?;
        for &[width, height] in &settings.sizes {
            progress(&format!("{name}: frames of {width} × {height}"));
            let spec = ViewSpec { width, height, ..stage.view() };
            let mut row = IgiGpuRow::empty(name, &spec, 1);
            let result = IgiGpuBench::new(settings, &stage, &spec, gpu).and_then(|bench| {
                row.fill(bench.independent()?);
                let rows = settings.camera_path.iter().map(|path| bench.moving(path, name));
                rows.collect::<Result<Vec<_>, _>>()
            });
            let moving = match result {
                Ok(rows) => rows,
                Err(GpuError::Lost { why }) => return Err(GpuError::Lost { why }.into()),
                Err(error) => {
                    row.refused = Some(error.to_string());
                    Vec::new()
                }
            };
            rows.push(row);
            rows.extend(moving);
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

/// Scene on the GPU, rendered with one film size.
struct IgiGpuBench<'a> {
    settings: &'a IgiGpuSettings,
    stage: &'a StagedScene,
    spec: &'a ViewSpec,
    scene: SceneMirror,
    renderer: IgiRenderer,
}

impl<'a> IgiGpuBench<'a> {
    fn new(
        settings: &'a IgiGpuSettings,
        stage: &'a StagedScene,
        spec: &'a ViewSpec,
        gpu: &Arc<Gpu>,
    ) -> Result<Self, GpuError> {
        let scene = SceneMirror::new(gpu, stage.world.committed())?;
        Ok(Self { settings, stage, spec, renderer: IgiRenderer::new(gpu, &scene), scene })
    }

    /// Measures independent frames.
    fn independent(&self) -> Result<Option<FrameTimes>, GpuError> {
        let Self { settings: IgiGpuSettings { igi, frames, .. }, stage, spec, scene, renderer } = self;
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
