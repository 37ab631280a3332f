use std::fmt;

use serde::Serialize;

use super::{AfterRelease, CodecRow, DeltaRow, Latency, OrbitReport, SpectatorReport};
use crate::table::Table;

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct ViewReport {
    /// Name of the scene.
    pub scene: String,
    /// Width of the page, pixels.
    pub width: u32,
    /// Height of the page, pixels.
    pub height: u32,
    /// The image while the camera orbits, and after it is released.
    pub orbit: OrbitReport,
    /// One latency per kind of input.
    pub latencies: Vec<Latency>,
    /// Frame rates of spectators.
    pub watchers: SpectatorReport,
    /// Codecs for whole images.
    pub codecs: Vec<CodecRow>,
    /// Encoding of changed tiles only.
    pub deltas: Vec<DeltaRow>,
}

impl fmt::Display for ViewReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, width, height, watchers, .. } = self;
        writeln!(
            f,
            "{scene}: a page of {width} × {height}, server and clients in one process, on loopback\n"
        )?;
        let ms = |x: f64| format!("{x:.1} ms");
        let OrbitReport {
            stages,
            fps,
            p95_age_ms,
            most_age_ms,
            width,
            light_divisor,
            sharpness,
            moving_flip,
            after,
        } = &self.orbit;
        writeln!(
            f,
            "orbiting: {fps:.1} frames per second, {width:.0} pixels wide, light at 1/{light_divisor:.0};"
        )?;
        writeln!(f, "95 % of them not older than {p95_age_ms:.0} ms, none older than {most_age_ms:.0} ms;")?;
        writeln!(f, "slope of silhouettes {sharpness:.2} of the converged image's, FLIP {moving_flip:.3}")?;
        let stages: Vec<_> = stages.iter().map(|(name, time)| format!("{name} {}", ms(*time))).collect();
        writeln!(f, "stages of a frame: {}", stages.join(", "))?;
        for AfterRelease { secs, mode, width, sharpness, flip } in after {
            writeln!(
                f,
                "{secs} s after the release: {mode}, {width} pixels wide, slope {sharpness:.2}, FLIP {flip:.3}"
            )?;
        }
        writeln!(f)?;
        let mut table = Table::new([
            "input to frame, decoded",
            "median",
            "95th percentile",
            "of that: rendering",
            "encoding",
            "decoding",
            "frame width",
        ]);
        for row in &self.latencies {
            let Latency { input, median_ms, p95_ms, frame_ms, encode_ms, decode_ms, frame_width } = *row;
            let times = [median_ms, p95_ms, frame_ms, encode_ms, decode_ms].map(ms);
            table.row(std::iter::once(input.to_string()).chain(times).chain([format!("{frame_width:.0}")]));
        }
        writeln!(f, "{table}")?;

        let SpectatorReport { alone, together, least, most, memory_before, memory_most } = *watchers;
        writeln!(f, "frames per second while the camera moves: {alone:.1} for a single spectator;")?;
        writeln!(
            f,
            "{least:.1} to {most:.1} for each of {} spectators beside one that reads nothing",
            together - 1
        )?;
        if let (Some(before), Some(most)) = (memory_before, memory_most) {
            let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
            writeln!(
                f,
                "memory of the process: {:.0} MiB with one spectator, at most {:.0} MiB with all",
                mib(before),
                mib(most)
            )?;
        }

        if self.codecs.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["whole images", "codec", "KiB", "encoding", "decoding", "PSNR"]);
        for CodecRow { picture, codec, bytes, encode_ms, decode_ms, psnr_db } in &self.codecs {
            let psnr = if psnr_db.is_finite() { format!("{psnr_db:.1} dB") } else { "exact".to_string() };
            let kib = format!("{:.0}", *bytes as f64 / 1024.0);
            table.row([picture.to_string(), codec.clone(), kib, ms(*encode_ms), ms(*decode_ms), psnr]);
        }
        writeln!(f, "\n{table}")?;

        let mut table =
            Table::new(["one more sample after", "tile size", "changed tiles", "their bytes / whole image"]);
        for DeltaRow { samples, tile, changed, bytes } in &self.deltas {
            table.row([
                samples.to_string(),
                format!("{tile} × {tile}"),
                format!("{:.1} %", 100.0 * changed),
                format!("{bytes:.2}"),
            ]);
        }
        write!(f, "{table}")
    }
}
