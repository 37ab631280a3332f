use std::fmt;

use serde::Serialize;

use crate::table::{NOTHING, Table};

/// One way to sample lights.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Description.
    pub scheme: &'static str,
    /// Mean over regions and frames of the change of a region's radiance from frame to frame beyond that of the
    /// reference, over the mean radiance.
    pub flicker: f64,
    /// Mean relative error of regions; `None` without a reference.
    pub error: Option<f64>,
}

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct FlickerReport {
    /// Scene.
    pub scene: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Number of frames.
    pub frames: u32,
    /// Length of the camera's path, metres.
    pub distance: f32,
    /// Samples per pixel of the converged frames; 0: none, so that all change counts as flicker.
    pub reference_samples: u32,
    /// Change of regions of the converged images, over the mean radiance.
    pub change: f64,
    /// One row per scheme.
    pub rows: Vec<Row>,
}

impl fmt::Display for FlickerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, width, height, frames, distance, reference_samples, change, .. } = self;
        writeln!(
            f,
            "{scene}: {frames} frames at {width} × {height}, the camera walks {distance} m; regions of 8 × 8 pixels"
        )?;
        match reference_samples {
            0 => writeln!(f, "without a reference: every change counts")?,
            n => writeln!(
                f,
                "path-traced, {n} samples per pixel: regions change by {:.2} % a frame",
                100.0 * change
            )?,
        }
        writeln!(f)?;
        let percent = |x: f64| format!("{:.2} %", 100.0 * x);
        let mut table = Table::new(["scheme", "flicker", "error"]);
        for row in &self.rows {
            let error = row.error.map_or(NOTHING.to_string(), percent);
            table.row([row.scheme.to_string(), percent(row.flicker), error]);
        }
        write!(f, "{table}")
    }
}
