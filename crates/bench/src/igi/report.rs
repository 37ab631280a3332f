use std::fmt;

use serde::Serialize;
use sunfleck_image::{Picture, ToneCurve, metrics};

use super::checks::CAMERA_RAYS;
use super::{IgiChecks, PublishedIgi};
use crate::table::{NO_VALUE, Table};

/// Results of one scene.
#[derive(Clone, Debug, Serialize)]
pub struct IgiRow {
    /// Name of the scene.
    pub scene: String,
    /// Number of triangles of all instances.
    pub triangles: u64,
    /// Number of lights: emissive triangles, punctual lights and the environment.
    pub lights: usize,
    /// Frame rate of independent frames, by the median frame.
    pub frames_per_second: f64,
    /// Time of the median frame, milliseconds.
    pub frame_ms: f64,
    /// Fraction of the time that is neither tracing nor shading: VPLs, filter, film.
    pub outside_share: f64,
    /// Number of VPLs that light a pixel in a frame.
    pub vpls_per_pixel: u32,
    /// Number of camera, shadow and reflected rays per pixel.
    pub rays_per_pixel: f64,
    /// Millions of rays per second, shading included.
    pub mrays_per_second: f64,
    /// Error of one frame against the reference; `None` without one.
    pub error: Option<ImageErrors>,
    /// Measurements of anti-aliasing and filter, if requested.
    pub checks: Option<IgiChecks>,
    /// Published figures of the scene that it replaces.
    pub published: Option<PublishedIgi>,
}

/// Error of an image against a reference.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ImageErrors {
    /// Root mean square error of linear radiance.
    pub rmse: f64,
    /// Mean FLIP of the tone-mapped images.
    pub flip: f64,
}

impl ImageErrors {
    /// Compares two images; `None` if they have different sizes.
    pub(crate) fn of(frame: &Picture, reference: &Picture) -> Option<Self> {
        let tone_mapped =
            |picture: &Picture| picture.map(|radiance| ToneCurve::default().apply(radiance, 0.0));
        let map =
            metrics::flip(&tone_mapped(frame), &tone_mapped(reference), metrics::DEFAULT_PIXELS_PER_DEGREE);
        Some(Self { rmse: metrics::rmse(frame, reference).ok()?, flip: map.ok()?.mean() })
    }

    fn cells(&self) -> [String; 2] {
        [self.rmse, self.flip].map(|error| format!("{error:.4}"))
    }
}

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct IgiReport {
    /// Width of the images, pixels.
    pub width: u32,
    /// Height of the images, pixels.
    pub height: u32,
    /// Number of frames per scene, of which the median counts.
    pub frames: usize,
    /// Number of threads.
    pub threads: usize,
    /// Samples per pixel of the path-traced references; 0: none.
    pub reference_samples: u32,
    /// One row per scene.
    pub rows: Vec<IgiRow>,
}

impl fmt::Display for IgiReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "instant global illumination at {} × {}, {} threads, median of {} independent frames",
            self.width, self.height, self.threads, self.frames
        )?;
        writeln!(f)?;
        let mut table = Table::new([
            "scene",
            "triangles",
            "lights",
            "fps",
            "ms",
            "other",
            "VPLs/px",
            "rays/px",
            "Mrays/s",
            "RMSE",
            "FLIP",
            "published",
            "CPUs",
            "fps",
        ]);
        table.extend(self.rows.iter().map(IgiRow::cells));
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "other: share of the time that is neither tracing nor shading; RMSE and FLIP: one frame against a path-traced one"
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
            "anti-aliasing: additional time of {CAMERA_RAYS} camera rays per pixel instead of 1, with as many VPLs per pixel"
        )?;
        writeln!(
            f,
            "RMSE and FLIP: one frame against an unfiltered one in which the VPLs of all sets light each pixel"
        )
    }
}

impl IgiRow {
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
        cells.extend(self.error.map_or([NO_VALUE; 2].map(String::from), |error| error.cells()));
        cells.extend(match self.published {
            Some(PublishedIgi { scene, cpus, frames_per_second, .. }) => {
                [scene.to_string(), cpus.to_string(), format!("{frames_per_second}")]
            }
            None => [NO_VALUE; 3].map(String::from),
        });
        cells
    }
}
