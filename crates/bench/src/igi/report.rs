use std::fmt;

use serde::Serialize;
use sunfleck_image::{Picture, ToneCurve, metrics};

use super::checks::CAMERA_RAYS;
use super::{Checks, Published};
use crate::table::{NOTHING, Table};

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
    /// If they were asked for.
    pub checks: Option<Checks>,
    /// What was published about such a scene.
    pub published: Option<Published>,
}

/// How far a frame is from what it ought to be.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Errors {
    /// Of linear radiance.
    pub rmse: f64,
    /// Mean FLIP of the images as they are seen.
    pub flip: f64,
}

impl Errors {
    /// `None` if the images have different sizes.
    pub(crate) fn of(frame: &Picture, reference: &Picture) -> Option<Self> {
        let shown = |picture: &Picture| picture.map(|radiance| ToneCurve::default().apply(radiance, 0.0));
        let map = metrics::flip(&shown(frame), &shown(reference), metrics::DEFAULT_PIXELS_PER_DEGREE);
        Some(Self { rmse: metrics::rmse(frame, reference).ok()?, flip: map.ok()?.mean() })
    }

    fn cells(&self) -> [String; 2] {
        [self.rmse, self.flip].map(|error| format!("{error:.4}"))
    }
}

/// Report of the measurement.
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
    /// Samples per pixel of the path-traced images; 0: there were none.
    pub reference_samples: u32,
    /// One row per scene.
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
        let mut table = Table::new([
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
        ]);
        table.extend(self.rows.iter().map(Row::cells));
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "outside: share of the time that is neither tracing nor shading; RMSE and FLIP: one frame against `path`"
        )?;
        writeln!(f, "published: [Wald03, Table 2, §13.1] at 640 × 480 on a cluster of Athlon MP 1800+")?;
        self.write_checks(f)
    }
}

impl IgiReport {
    fn write_checks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked: Vec<_> = self.rows.iter().filter_map(|row| Some((row, row.checks?))).collect();
        if checked.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["scene", "anti-aliasing", "RMSE", "FLIP", "unfiltered RMSE", "FLIP"]);
        for (row, checks) in checked {
            let cost = format!("{:+.0} %", 100.0 * checks.antialias_overhead);
            let errors = checks.filtered.cells().into_iter().chain(checks.unfiltered.cells());
            table.row([row.scene.clone(), cost].into_iter().chain(errors));
        }
        writeln!(f, "\n{table}")?;
        writeln!(
            f,
            "anti-aliasing: what {CAMERA_RAYS} camera rays per pixel cost more than 1, with as many VPLs per pixel"
        )?;
        writeln!(
            f,
            "RMSE and FLIP: one frame against one whose pixels are lit by the VPLs of all sets, not filtered"
        )
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
        cells.extend(self.error.map_or([NOTHING; 2].map(String::from), |error| error.cells()));
        cells.extend(match self.published {
            Some(Published { scene, cpus, frames_per_second, .. }) => {
                [scene.to_string(), cpus.to_string(), format!("{frames_per_second}")]
            }
            None => [NOTHING; 3].map(String::from),
        });
        cells
    }
}
