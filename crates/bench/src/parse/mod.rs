//! Rates at which text files are read: bytes of the file over the time from its bytes to a scene.

mod texts;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use sunfleck_io::{NoFiles, load_bytes};

use crate::BenchError;
use crate::clock::{ClockScope, Stopwatch};
use crate::table::Table;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct ParseSettings {
    /// Least size of each file, bytes.
    pub bytes: usize,
    /// Number of timings of each format, of which the fastest counts.
    pub rounds: u32,
    /// Threads that a file is read by.
    pub threads: usize,
}

/// Rates of all formats.
#[derive(Debug, Serialize)]
pub struct ParseReport {
    /// One row for each format.
    pub formats: Vec<FormatRate>,
}

/// Rate of a format.
#[derive(Debug, Serialize)]
pub struct FormatRate {
    /// Name of the format.
    pub name: &'static str,
    /// Size of the file.
    pub bytes: usize,
    /// CPU time of all threads together, in the fastest round.
    pub cpu_secs: f64,
    /// Time in the fastest round.
    pub wall_secs: f64,
}

impl FormatRate {
    /// Returns the rate of one core, bytes per second of CPU time.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.cpu_secs
    }
}

/// Reads a generated file of each format.
///
/// Errors: threads cannot be started, or a file is not read without a warning.
pub fn run(settings: &ParseSettings, progress: &mut dyn FnMut(&str)) -> Result<ParseReport, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build()?;
    let mut formats = Vec::new();
    for (name, file, write) in texts::ALL {
        progress(name);
        // Lengths of numbers are estimated
        let mut wanted = settings.bytes;
        let mut text = write(wanted);
        while text.len() < settings.bytes {
            wanted += wanted / 4 + 1;
            text = write(wanted);
        }
        let mut fastest: Option<FormatRate> = None;
        for _ in 0..settings.rounds.max(1) {
            let watch = Stopwatch::start(ClockScope::Process);
            let loaded = pool.install(|| load_bytes(Path::new(file), text.as_bytes(), &NoFiles));
            let elapsed = watch.stop();
            let loaded = loaded.map_err(|error| BenchError::Scene(error.to_string()))?;
            if let Some(warning) = loaded.report.warnings().next() {
                return Err(BenchError::Scene(format!("{name}: {warning}")));
            }
            if fastest.as_ref().is_none_or(|fastest| elapsed.cpu_secs < fastest.cpu_secs) {
                let (cpu_secs, wall_secs) = (elapsed.cpu_secs, elapsed.wall_secs);
                fastest = Some(FormatRate { name, bytes: text.len(), cpu_secs, wall_secs });
            }
        }
        formats.extend(fastest);
    }
    Ok(ParseReport { formats })
}

impl fmt::Display for ParseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["format", "MB", "s", "MB/s of a core"]);
        for format in &self.formats {
            table.row([
                format.name.to_string(),
                format!("{:.0}", format.bytes as f64 * 1e-6),
                format!("{:.3}", format.wall_secs),
                format!("{:.0}", format.rate() * 1e-6),
            ]);
        }
        table.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_without_a_warning() {
        let settings = ParseSettings { bytes: 20_000, rounds: 1, threads: 1 };
        let report = run(&settings, &mut |_| ()).unwrap();
        assert_eq!(report.formats.len(), texts::ALL.len());
        for format in &report.formats {
            assert!(format.bytes >= 20_000 && format.rate() > 0.0, "{format:?}");
        }
    }
}
