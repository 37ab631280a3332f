//! Formatting of counts, sizes, durations and rates.

use std::time::Duration;

/// Formats a count with thousands separators: `1,234,567`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, given in singular and plural: `1 mesh`, `3 meshes`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Formats what a scene is made of: `12 triangles`, `12 triangles, 3 shapes`.
pub(crate) fn primitives(triangles: u64, shapes: u64) -> String {
    let [t, s] = [counted(triangles, "triangle", "triangles"), counted(shapes, "shape", "shapes")];
    match (triangles, shapes) {
        (_, 0) => t,
        (0, _) => s,
        _ => format!("{t}, {s}"),
    }
}

/// Formats a size: `512 B`, `3.4 MiB`.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Formats a duration: `0.4 ms`, `84 ms`, `3.2 s`, `2 min 05 s`, `3 h 07 min`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rounded = (time + Duration::from_millis(500)).as_secs();
    if seconds < 0.00995 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 0.9995 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else if rounded < 3600 {
        format!("{} min {:02} s", rounded / 60, rounded % 60)
    } else {
        format!("{} h {:02} min", rounded / 3600, rounded / 60 % 60)
    }
}

/// Formats a ray rate in millions of rays per second: `12.30 Mrays/s`.
pub(crate) fn ray_rate(rays: u64, time: Duration) -> String {
    format!("{:.2} Mrays/s", rays as f64 / 1e6 / time.as_secs_f64().max(1e-9))
}

/// Formats a fraction as percentage: `12.3 %`, and `0.12 %` below 1 %.
pub(crate) fn percent(share: f32) -> String {
    let percent = share * 100.0;
    if percent < 1.0 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        let text = [0, 7, 999, 1000, 12_345, 123_456, 1_234_567].map(count);
        assert_eq!(text, ["0", "7", "999", "1,000", "12,345", "123,456", "1,234,567"]);
        assert_eq!(counted(1, "mesh", "meshes"), "1 mesh");
        assert_eq!(counted(0, "mesh", "meshes"), "0 meshes");
        let text = [(0, 0), (1, 0), (0, 3), (12, 1)].map(|(t, s)| primitives(t, s));
        assert_eq!(text, ["0 triangles", "1 triangle", "3 shapes", "12 triangles, 1 shape"]);
    }

    #[test]
    fn powers_of_1024() {
        let text = [0, 1023, 1024, 1536, (1 << 20) - 1, 5 << 30].map(bytes);
        assert_eq!(text, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "5.0 GiB"]);
    }

    #[test]
    fn times_keep_their_unit_when_rounded() {
        let text = [0.0004, 0.0843, 0.9999, 3.21, 59.99, 125.4, 3599.7, 11_220.0]
            .map(|s| duration(Duration::from_secs_f64(s)));
        let expected =
            ["0.4 ms", "84 ms", "1.0 s", "3.2 s", "1 min 00 s", "2 min 05 s", "1 h 00 min", "3 h 07 min"];
        assert_eq!(text, expected);
    }

    #[test]
    fn rates_and_shares() {
        assert_eq!(ray_rate(24_600_000, Duration::from_secs(2)), "12.30 Mrays/s");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(percent(0.00123), "0.12 %");
    }
}
