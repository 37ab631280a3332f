//! Available memory of the system, and peak memory of the process.

/// Returns the peak resident set size of the process in bytes, or `None` on systems other than Linux.
pub(crate) fn peak() -> Option<u64> {
    if cfg!(target_os = "linux") {
        bytes_in_line(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
    } else {
        None
    }
}

/// Returns the memory in bytes that is available without swapping, or `None` on systems other than Linux.
pub(crate) fn available() -> Option<u64> {
    if cfg!(target_os = "linux") {
        bytes_in_line(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
    } else {
        None
    }
}

/// Returns the number of bytes that a line such as `VmHWM:    123456 kB` states; see `proc_pid_status(5)` and
/// `proc_meminfo(5)`.
fn bytes_in_line(status: &str, label: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix(label))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_among_others() {
        let status = "Name:\tsunfleck\nVmPeak:\t  200 kB\nVmHWM:\t    12345 kB\nVmRSS:\t 9 kB\n";
        assert_eq!(bytes_in_line(status, "VmHWM:"), Some(12_345 * 1024));
        assert_eq!(bytes_in_line("Name:\tx\n", "VmHWM:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_reports_available_and_peak_memory() {
        assert!(available().is_some());
        assert!(peak().is_some_and(|bytes| bytes > 100_000), "a running process takes more than 100 kB");
    }
}
