//! Frames of instant global illumination on a GPU: milliseconds of each stage by its time stamps, and of a frame by the clock on the wall.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use serde::Serialize;
use sunfleck_gpu::{FrameTimes, Gpu, GpuError, IgiRenderer, SceneMirror, Stage, StageTime};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{ViewSpec, World};
use sunfleck_scene::Scene;

use super::{WARM_UP, median};
use crate::BenchError;
use crate::table::{NOTHING, Table};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pixels of each size of film.
    pub sizes: Vec<[u32; 2]>,
    /// Frames of each.
    pub frames: u32,
    /// Parameters.
    pub igi: Igi,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct IgiGpuReport {
    /// As its driver calls it.
    pub device: String,
    /// Driver and version.
    pub driver: String,
    /// VPLs that light a pixel.
    pub vpls_per_pixel: u32,
    /// One for each scene and size.
    pub rows: Vec<IgiGpuRow>,
}

/// One scene at one size.
#[derive(Clone, Debug, Serialize)]
pub struct IgiGpuRow {
    /// As in the table.
    pub scene: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// What the GPU cannot do with it; then all else is empty.
    pub refused: Option<String>,
    /// Of each stage, milliseconds of the GPU, medians; none without time stamps.
    pub stages_ms: Vec<(&'static str, f64)>,
    /// Their sum.
    pub device_ms: Option<f64>,
    /// Of a frame, milliseconds of wall time where one follows the other.
    pub wall_ms: Option<f64>,
    /// Of a frame, those of the camera included.
    pub rays_per_pixel: f64,
    /// Shadow rays of a frame over the time of their stage.
    pub shadow_rays_per_second: Option<f64>,
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
        let stage = crate::stage::Stage::set(name, scene, Level::new(), [1, 1])?;
        for &[width, height] in &settings.sizes {
            progress(&format!("{name}: frames of {width} × {height}"));
            let spec = ViewSpec { width, height, ..stage.view };
            let mut row = IgiGpuRow::empty(name, width, height);
            match times(settings, &stage.world, &spec, gpu) {
                Ok(times) => row.fill(times),
                Err(GpuError::Lost { why }) => return Err(GpuError::Lost { why }.into()),
                Err(error) => row.refused = Some(error.to_string()),
            }
            rows.push(row);
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

fn times(
    settings: &Settings,
    world: &World,
    spec: &ViewSpec,
    gpu: &Arc<Gpu>,
) -> Result<Option<FrameTimes>, GpuError> {
    let scene = SceneMirror::new(gpu, world)?;
    let renderer = IgiRenderer::new(gpu, &scene)?;
    let start = Instant::now();
    loop {
        let times = renderer.time(&scene, world, spec, &settings.igi, settings.frames)?;
        if start.elapsed() >= WARM_UP {
            return Ok(times);
        }
    }
}

impl IgiGpuRow {
    fn empty(scene: &str, width: u32, height: u32) -> Self {
        Self {
            scene: scene.to_owned(),
            width,
            height,
            refused: None,
            stages_ms: Vec::new(),
            device_ms: None,
            wall_ms: None,
            rays_per_pixel: 0.0,
            shadow_rays_per_second: None,
        }
    }

    fn fill(&mut self, times: Option<FrameTimes>) {
        let Some(FrameTimes { frames, wall, rays }) = times else { return };
        let of_stage = |stage: Stage| {
            let of_frame = |frame: &Vec<StageTime>| {
                frame.iter().filter(|time| time.name == stage.name()).map(|time| time.seconds).sum()
            };
            median(frames.iter().map(of_frame).collect())
        };
        self.stages_ms = Stage::ALL.iter().map(|&stage| (stage.name(), of_stage(stage) * 1e3)).collect();
        self.device_ms = Some(self.stages_ms.iter().map(|(_, ms)| ms).sum());
        self.wall_ms = Some(median(wall) * 1e3);
        self.rays_per_pixel = rays.total() as f64 / (f64::from(self.width) * f64::from(self.height));
        self.shadow_rays_per_second =
            Some(rays.occluded as f64 / (of_stage(Stage::Light) + of_stage(Stage::Sharp)));
    }
}

impl fmt::Display for IgiGpuReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}", self.device, self.driver)?;
        writeln!(
            f,
            "milliseconds of a frame with {} virtual point lights per pixel, medians; stages by the device's time stamps",
            self.vpls_per_pixel
        )?;
        let stages = Stage::ALL.map(Stage::name);
        let headings = ["scene", "pixels"].into_iter().chain(stages);
        let mut table = Table::new(headings.chain(["sum", "wall", "rays/pixel", "shadow, G/s"]));
        for row in &self.rows {
            let ms = |ms: Option<f64>| ms.map_or(NOTHING.to_owned(), |ms| format!("{ms:.2}"));
            let stage =
                |name: &str| row.stages_ms.iter().find(|(stage, _)| *stage == name).map(|&(_, ms)| ms);
            let mut cells = vec![row.scene.clone(), format!("{} × {}", row.width, row.height)];
            cells.extend(stages.iter().map(|name| ms(stage(name))));
            cells.extend([ms(row.device_ms), ms(row.wall_ms), format!("{:.1}", row.rays_per_pixel)]);
            cells.push(
                row.shadow_rays_per_second.map_or(NOTHING.to_owned(), |rate| format!("{:.2}", rate * 1e-9)),
            );
            table.row(cells);
        }
        write!(f, "{table}")?;
        for row in &self.rows {
            if let Some(why) = &row.refused {
                writeln!(f, "{}: {why}", row.scene)?;
            }
        }
        Ok(())
    }
}
