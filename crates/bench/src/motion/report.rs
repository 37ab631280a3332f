use std::fmt;

use serde::Serialize;

use crate::table::{NO_VALUE, Table};

/// Frames of one kind, averaged over the sequence.
#[derive(Clone, Debug, Serialize)]
pub struct MotionRow {
    /// Description of the frames.
    pub frames: String,
    /// Relative mean squared error.
    pub relmse: f64,
    /// Mean error of regions of 8 × 8 pixels, relative to the mean radiance.
    pub region_error: f64,
    /// Change of regions from frame to frame beyond that of the reference, relative to the mean radiance.
    pub flicker: f64,
    /// Wall-clock time of a frame, seconds: the median.
    pub seconds: f64,
}

/// A frame after a sudden change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeRow {
    /// Number of frames since the change; 1 is the first that shows it.
    pub frame: u32,
    /// Share of the changed light that is still as it was before; `None` if the references show no change.
    pub stale: Option<f64>,
    /// Share of the frames before the change that is kept where the light has not changed; `None` if it has
    /// everywhere.
    pub kept: Option<f64>,
}

/// Report of the measurement of one scene.
#[derive(Clone, Debug, Serialize)]
pub struct MotionReport {
    /// Name of the scene.
    pub scene: String,
    /// Name of the motion.
    pub motion: String,
    /// What moves.
    pub what: String,
    /// Width of the images, pixels.
    pub width: u32,
    /// Height of the images, pixels.
    pub height: u32,
    /// Number of frames.
    pub frames: u32,
    /// Distance of the motion, metres; `None` if nothing is moved by a distance.
    pub distance: Option<f32>,
    /// Name of the device.
    pub device: String,
    /// Samples per pixel of the references.
    pub reference_samples: u32,
    /// One row per kind of frames.
    pub rows: Vec<MotionRow>,
    /// Frames after a sudden change.
    pub changes: Vec<ChangeRow>,
}

impl fmt::Display for MotionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, motion, what, width, height, frames, distance, device, .. } = self;
        write!(f, "{scene}, {motion} of {what}")?;
        if let Some(distance) = distance {
            write!(f, " by {distance} m")?;
        }
        writeln!(f, ": {frames} frames at {width} × {height} on the {device}")?;
        writeln!(f, "reference: path-traced with {} samples per pixel", self.reference_samples)?;
        writeln!(f)?;
        let percent = |x: f64| format!("{:.2} %", 100.0 * x);
        let mut table = Table::new(["frames", "relMSE", "regions", "flicker", "ms", "cost"]);
        let first = self.rows.first().map_or(0.0, |row| row.seconds);
        for row in &self.rows {
            let cost = if first > 0.0 { format!("{:.2} ×", row.seconds / first) } else { NO_VALUE.into() };
            table.row([
                row.frames.clone(),
                format!("{:.5}", row.relmse),
                percent(row.region_error),
                percent(row.flicker),
                format!("{:.1}", 1000.0 * row.seconds),
                cost,
            ]);
        }
        write!(f, "{table}")?;
        if !self.changes.is_empty() {
            let mut table = Table::new(["frame after the change", "stale light", "history kept elsewhere"]);
            for row in &self.changes {
                let [stale, kept] =
                    [row.stale, row.kept].map(|share| share.map_or_else(|| NO_VALUE.into(), percent));
                table.row([row.frame.to_string(), stale, kept]);
            }
            write!(f, "\n{table}")?;
        }
        Ok(())
    }
}
