use std::fmt;

use serde::Serialize;

use super::Published;
use crate::table::columns;

/// One scene.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub scene: String,
    /// Instanced.
    pub triangles: u64,
    /// Emissive triangles, lights without extent, the environment.
    pub lights: usize,
    /// Of the median frame, everything computed anew.
    pub frames_per_second: f64,
    /// Of the median frame, milliseconds.
    pub frame_ms: f64,
    /// Part of the time that is neither tracing nor shading: VPLs, filter, film.
    pub outside_share: f64,
    /// That light a pixel in a frame.
    pub vpls_per_pixel: u32,
    /// Camera, shadow and reflected rays.
    pub rays_per_pixel: f64,
    /// Millions of rays per second, shading and all.
    pub mrays_per_second: f64,
    /// Of one frame against the reference; `None` without one.
    pub error: Option<Errors>,
    /// What was published about such a scene.
    pub published: Option<Published>,
}

/// One frame against a converged path-traced picture.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Errors {
    /// Samples per pixel of the reference.
    pub reference_samples: u32,
    /// Of linear radiance.
    pub rmse: f64,
    /// Mean FLIP.
    pub flip: f64,
}

/// All that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct IgiReport {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Frames per scene, of which the median counts.
    pub frames: usize,
    /// Threads.
    pub threads: usize,
    /// One for each scene.
    pub rows: Vec<Row>,
}

impl fmt::Display for IgiReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "instant global illumination at {} × {}, {} threads, median of {} frames, everything computed anew in each",
            self.width, self.height, self.threads, self.frames
        )?;
        writeln!(f)?;
        let headings = [
            "scene",
            "triangles",
            "lights",
            "fps",
            "ms",
            "outside",
            "VPLs/px",
            "rays/px",
            "Mrays/s",
            "RMSE",
            "FLIP",
            "published",
            "CPUs",
            "fps",
        ];
        let mut rows = vec![headings.map(String::from).to_vec()];
        rows.extend(self.rows.iter().map(Row::cells));
        columns(&rows).iter().try_for_each(|line| writeln!(f, "{line}"))?;
        writeln!(f)?;
        writeln!(
            f,
            "outside: share of the time that is neither tracing nor shading; RMSE and FLIP: one frame against `path`"
        )?;
        writeln!(f, "published: [Wald03, Table 2, §13.1] at 640 × 480 on a cluster of Athlon MP 1800+")
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            self.scene.clone(),
            self.triangles.to_string(),
            self.lights.to_string(),
            format!("{:.2}", self.frames_per_second),
            format!("{:.1}", self.frame_ms),
            format!("{:.1} %", 100.0 * self.outside_share),
            self.vpls_per_pixel.to_string(),
            format!("{:.1}", self.rays_per_pixel),
            format!("{:.1}", self.mrays_per_second),
        ];
        cells.extend(match self.error {
            Some(Errors { rmse, flip, .. }) => [format!("{rmse:.4}"), format!("{flip:.4}")],
            None => ["–".into(), "–".into()],
        });
        cells.extend(match self.published {
            Some(Published { scene, processors, frames_per_second, .. }) => {
                [scene.to_string(), processors.to_string(), format!("{frames_per_second}")]
            }
            None => ["–".into(), "–".into(), "–".into()],
        });
        cells
    }
}
