//! Memory of the process.

/// Returns the resident set size in bytes, or `None` on systems other than Linux.
pub(crate) fn resident() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn the_resident_size_is_known() {
        assert!(super::resident().is_some_and(|bytes| bytes > 100_000));
    }
}
