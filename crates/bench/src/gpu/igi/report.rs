use std::fmt;

use serde::Serialize;
use sunfleck_gpu::{FrameTimes, IgiStage, StageTime};
use sunfleck_integrators::ViewSpec;

use super::ImageErrors;
use crate::gpu::median;
use crate::table::{NO_VALUE, Table};

/// Results of instant global illumination on a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct IgiGpuReport {
    /// Name of the GPU.
    pub device: String,
    /// Driver and version.
    pub driver: String,
    /// Number of VPLs that light a pixel.
    pub vpls_per_pixel: u32,
    /// One row per scene and size.
    pub rows: Vec<IgiGpuRow>,
}

/// Results of one scene at one film size.
#[derive(Clone, Debug, Serialize)]
pub struct IgiGpuRow {
    /// Name of the scene.
    pub scene: String,
    /// Width of the film, pixels.
    pub width: u32,
    /// Height of the film, pixels.
    pub height: u32,
    /// Number of frames that are averaged for an image; 1: independent frames.
    pub mean_of: u32,
    /// Reason why the GPU cannot render it; then everything else is empty.
    pub refused: Option<String>,
    /// Median GPU time of each stage, milliseconds; empty without time stamps.
    pub stages_ms: Vec<(&'static str, f64)>,
    /// Sum of the stages, milliseconds; `None` without time stamps.
    pub device_ms: Option<f64>,
    /// Wall time of consecutive frames, milliseconds per frame.
    pub wall_ms: Option<f64>,
    /// Number of rays per pixel of a frame, camera rays included.
    pub rays_per_pixel: f64,
    /// Number of shadow rays of a frame over the time of their stages.
    pub shadow_rays_per_second: Option<f64>,
    /// Errors of the moving camera, if requested.
    pub errors: Option<CameraPathErrors>,
}

/// Errors of images of a moving camera against means of many frames from the same positions, averaged over several
/// positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CameraPathErrors {
    /// Number of frames of the reference mean.
    pub reference_frames: u32,
    /// Error of the images, which reuse earlier frames.
    pub walk: ImageErrors,
    /// Error of independent frames with all VPLs.
    pub anew: ImageErrors,
    /// Error of the single frames of which an image is the mean.
    pub part: ImageErrors,
}

impl IgiGpuRow {
    pub(super) fn empty(scene: &str, spec: &ViewSpec, mean_of: u32) -> Self {
        Self {
            scene: scene.to_owned(),
            width: spec.width,
            height: spec.height,
            mean_of,
            refused: None,
            stages_ms: Vec::new(),
            device_ms: None,
            wall_ms: None,
            rays_per_pixel: 0.0,
            shadow_rays_per_second: None,
            errors: None,
        }
    }

    pub(super) fn fill(&mut self, times: Option<FrameTimes>) {
        let Some(FrameTimes { frames, wall, rays }) = times else { return };
        let of_stage = |stage: IgiStage| {
            let of_frame = |frame: &Vec<StageTime>| {
                frame.iter().filter(|time| time.name == stage.name()).map(|time| time.seconds).sum()
            };
            median(frames.iter().map(of_frame).collect())
        };
        self.stages_ms = IgiStage::ALL.iter().map(|&stage| (stage.name(), of_stage(stage) * 1e3)).collect();
        self.device_ms = Some(self.stages_ms.iter().map(|(_, ms)| ms).sum());
        self.wall_ms = Some(median(wall) * 1e3);
        self.rays_per_pixel = rays.total() as f64 / (f64::from(self.width) * f64::from(self.height));
        self.shadow_rays_per_second =
            Some(rays.occluded as f64 / (of_stage(IgiStage::Light) + of_stage(IgiStage::Sharp)));
    }
}

impl fmt::Display for IgiGpuReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}", self.device, self.driver)?;
        writeln!(
            f,
            "milliseconds of a frame with {} virtual point lights per pixel, medians; stages by GPU time stamps",
            self.vpls_per_pixel
        )?;
        let stages = IgiStage::ALL.map(IgiStage::name);
        let headings = ["scene", "pixels", "frames averaged"].into_iter().chain(stages);
        let mut table = Table::new(headings.chain(["sum", "wall", "rays/pixel", "shadow, G/s"]));
        for row in &self.rows {
            let ms = |ms: Option<f64>| ms.map_or(NO_VALUE.to_owned(), |ms| format!("{ms:.2}"));
            let stage =
                |name: &str| row.stages_ms.iter().find(|(stage, _)| *stage == name).map(|&(_, ms)| ms);
            let mut cells =
                vec![row.scene.clone(), format!("{} × {}", row.width, row.height), row.mean_of.to_string()];
            cells.extend(stages.iter().map(|name| ms(stage(name))));
            cells.extend([ms(row.device_ms), ms(row.wall_ms), format!("{:.1}", row.rays_per_pixel)]);
            cells.push(
                row.shadow_rays_per_second.map_or(NO_VALUE.to_owned(), |rate| format!("{:.2}", rate * 1e-9)),
            );
            table.row(cells);
        }
        write!(f, "{table}")?;
        let compared: Vec<_> = self.rows.iter().filter_map(|row| Some((row, row.errors?))).collect();
        if let Some((_, CameraPathErrors { reference_frames, .. })) = compared.first() {
            writeln!(f, "\nFLIP and RMSE with a moving camera, against means of {reference_frames} frames")?;
            let mut table = Table::new([
                "scene",
                "pixels",
                "FLIP",
                "RMSE",
                "independent: FLIP",
                "RMSE",
                "single: FLIP",
                "RMSE",
            ]);
            for (row, CameraPathErrors { walk, anew, part, .. }) in compared {
                let mut cells = vec![row.scene.clone(), format!("{} × {}", row.width, row.height)];
                for ImageErrors { flip, rmse } in [walk, anew, part] {
                    cells.extend([format!("{flip:.3}"), format!("{rmse:.3}")]);
                }
                table.row(cells);
            }
            write!(f, "{table}")?;
        }
        for row in &self.rows {
            if let Some(why) = &row.refused {
                writeln!(f, "{}: {why}", row.scene)?;
            }
        }
        Ok(())
    }
}
