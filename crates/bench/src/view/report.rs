use std::fmt;

use serde::Serialize;

use super::{CodecRow, DeltaRow, Latency, Watchers};
use crate::table::Table;

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct ViewReport {
    /// Scene.
    pub scene: String,
    /// Pixels of the page.
    pub width: u32,
    /// Pixels of the page.
    pub height: u32,
    /// One for each kind of input.
    pub latencies: Vec<Latency>,
    /// Frame rates.
    pub watchers: Watchers,
    /// Ways to send a whole image.
    pub codecs: Vec<CodecRow>,
    /// Ways to send what has changed.
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
        let mut table = Table::new([
            "input to frame, decoded",
            "median",
            "95 %",
            "of that: rendering",
            "encoding",
            "decoding",
            "pixels in a row",
        ]);
        for row in &self.latencies {
            let Latency { input, median_ms, p95_ms, frame_ms, encode_ms, decode_ms, frame_width } = *row;
            let times = [median_ms, p95_ms, frame_ms, encode_ms, decode_ms].map(ms);
            table.row(std::iter::once(input.to_string()).chain(times).chain([format!("{frame_width:.0}")]));
        }
        writeln!(f, "{table}")?;

        let Watchers { alone, together, least, most, memory_before, memory_most } = *watchers;
        writeln!(f, "frames a second while the camera moves: {alone:.1} for one who looks on alone;")?;
        writeln!(f, "{least:.1} to {most:.1} for each of {} beside one who reads nothing", together - 1)?;
        if let (Some(before), Some(most)) = (memory_before, memory_most) {
            let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
            writeln!(
                f,
                "memory of the process: {:.0} MiB for one, {:.0} MiB at most for all",
                mib(before),
                mib(most)
            )?;
        }

        if self.codecs.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["whole pictures", "codec", "KiB", "encoding", "decoding", "PSNR"]);
        for CodecRow { picture, codec, bytes, encode_ms, decode_ms, psnr_db } in &self.codecs {
            let psnr = if psnr_db.is_finite() { format!("{psnr_db:.1} dB") } else { "exact".to_string() };
            let kib = format!("{:.0}", *bytes as f64 / 1024.0);
            table.row([picture.to_string(), codec.clone(), kib, ms(*encode_ms), ms(*decode_ms), psnr]);
        }
        writeln!(f, "\n{table}")?;

        let mut table =
            Table::new(["one more sample after", "tiles of", "that change", "their bytes / the whole's"]);
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
