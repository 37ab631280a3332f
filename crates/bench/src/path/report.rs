//! Errors of all renderers as a table.

use std::fmt;

use serde::Serialize;
use sunfleck_math::{exp, log};

use super::Errors;
use crate::table::{NO_VALUE, Table};

/// Result of the benchmark.
#[derive(Debug, Serialize)]
pub struct PathReport {
    /// Width and height of the images, pixels.
    pub size: [u32; 2],
    /// CPU time that each rendering was meant to take, seconds.
    pub cpu_secs: f64,
    /// Number of threads of each renderer.
    pub threads: usize,
    /// A row for each scene.
    pub rows: Vec<PathRow>,
}

/// Measurements of a scene.
#[derive(Debug, Serialize)]
pub struct PathRow {
    /// Name of the scene.
    pub name: String,
    /// Regions of 16 × 16 pixels, by column and row, in which the references of the renderers differ by more than 1 %.
    pub masked: Vec<[u32; 2]>,
    /// Measurements, those of Sunfleck first.
    pub measured: Vec<Measured>,
}

/// Measurements of a renderer.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Name and version.
    pub name: String,
    /// Samples per pixel.
    pub samples: u32,
    /// Mean CPU time of a rendering, seconds.
    pub cpu_secs: f64,
    /// Samples of all pixels per second of CPU time.
    pub samples_per_cpu_second: f64,
    /// Errors against the renderer's own reference.
    pub errors: Errors,
}

impl PathRow {
    /// Returns the root of Sunfleck's relative mean squared error over that of a peer at equal CPU time: squared errors
    /// are taken as inversely proportional to it, which corrects for small differences between the times.
    pub fn ratio_to(&self, peer: &Measured) -> Option<f32> {
        let scaled = |m: &Measured| m.errors.root_relmse * m.cpu_secs.sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "shown with two digits")]
        let ratio = |ours: &Measured| (scaled(ours) / scaled(peer)) as f32;
        self.measured.first().map(ratio).filter(|ratio| ratio.is_finite())
    }

    /// Returns the largest ratio to a peer: that to the best one.
    fn ratio_to_best(&self) -> Option<f32> {
        self.measured.iter().skip(1).filter_map(|peer| self.ratio_to(peer)).reduce(f32::max)
    }
}

impl fmt::Display for PathReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size;
        let Self { cpu_secs, threads, .. } = self;
        writeln!(f, "{width} × {height} pixels, {cpu_secs} s of CPU time each, {threads} threads")?;
        let headings =
            ["scene", "renderer", "spp", "CPU s", "M samples/s", "√relMSE", "RMSE", "FLIP", "ours / theirs"];
        let mut table = Table::new(headings);
        for row in &self.rows {
            for (index, measured) in row.measured.iter().enumerate() {
                let ratio = (index > 0).then(|| row.ratio_to(measured)).flatten();
                table.row([
                    if index == 0 { row.name.clone() } else { String::new() },
                    measured.name.clone(),
                    measured.samples.to_string(),
                    format!("{:.2}", measured.cpu_secs),
                    format!("{:.3}", measured.samples_per_cpu_second * 1e-6),
                    format!("{:.4}", measured.errors.root_relmse),
                    format!("{:.4}", measured.errors.rmse),
                    format!("{:.4}", measured.errors.flip),
                    ratio.map_or(NO_VALUE.to_owned(), |ratio| format!("{ratio:.2}")),
                ]);
            }
        }
        write!(f, "{table}")?;
        for row in self.rows.iter().filter(|row| !row.masked.is_empty()) {
            writeln!(f, "{}: {} regions are left out: {:?}", row.name, row.masked.len(), row.masked)?;
        }
        let ratios: Vec<f32> = self.rows.iter().filter_map(PathRow::ratio_to_best).collect();
        if !ratios.is_empty() {
            let mean = exp(ratios.iter().map(|&ratio| log(ratio)).sum::<f32>() / ratios.len() as f32);
            writeln!(f, "√relMSE over that of the best peer, geometric mean: {mean:.2}")?;
        }
        Ok(())
    }
}
