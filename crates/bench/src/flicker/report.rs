use std::fmt;

use serde::Serialize;

use crate::table::{NO_VALUE, Table};

/// Flicker and error of one scheme for sampling lights.
#[derive(Clone, Debug, Serialize)]
pub struct FlickerRow {
    /// Description of the scheme.
    pub scheme: &'static str,
    /// Change of a region's radiance from frame to frame beyond that of the reference, averaged over regions and
    /// frames, relative to the mean radiance.
    pub flicker: f64,
    /// Mean error of regions, relative to the mean radiance; `None` without a reference.
    pub error: Option<f64>,
}

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct FlickerReport {
    /// Name of the scene.
    pub scene: String,
    /// Width of the images, pixels.
    pub width: u32,
    /// Height of the images, pixels.
    pub height: u32,
    /// Number of frames.
    pub frames: u32,
    /// Length of the camera's path, metres.
    pub distance: f32,
    /// Samples per pixel of the converged frames; 0: there are none, and all change counts as flicker.
    pub reference_samples: u32,
    /// Change of regions of the converged images from frame to frame, relative to the mean radiance.
    pub change: f64,
    /// One row per scheme.
    pub rows: Vec<FlickerRow>,
}

impl fmt::Display for FlickerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, width, height, frames, distance, reference_samples, change, .. } = self;
        writeln!(
            f,
            "{scene}: {frames} frames at {width} × {height}, the camera moves {distance} m; regions of 8 × 8 pixels"
        )?;
        match reference_samples {
            0 => writeln!(f, "without a reference: all change counts as flicker")?,
            n => writeln!(
                f,
                "reference: path-traced with {n} samples per pixel; its regions change by {:.2} % per frame",
                100.0 * change
            )?,
        }
        writeln!(f)?;
        let percent = |x: f64| format!("{:.2} %", 100.0 * x);
        let mut table = Table::new(["scheme", "flicker", "error"]);
        for row in &self.rows {
            let error = row.error.map_or(NO_VALUE.to_string(), percent);
            table.row([row.scheme.to_string(), percent(row.flicker), error]);
        }
        write!(f, "{table}")
    }
}
