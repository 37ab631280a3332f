//! Available memory of the system, peak memory of the process, and memory of parts of a scene.

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{MeshData, Texture};

/// Returns the bytes of the vertices and triangles of a mesh.
pub(crate) fn of_geometry(data: &MeshData) -> u64 {
    fn bytes<T>(values: &[T]) -> u64 {
        size_of_val(values) as u64
    }
    bytes::<Vec3>(&data.positions)
        + bytes::<Vec3>(&data.normals)
        + bytes::<Vec4>(&data.tangents)
        + bytes::<Vec2>(&data.uv0)
        + bytes::<Vec2>(&data.uv1)
        + bytes::<Vec4>(&data.colors)
        + bytes::<[u32; 3]>(&data.triangles)
        + bytes::<u16>(&data.slots)
}

/// Returns the bytes of the texels of a texture, without its smaller levels, which add a third.
pub(crate) fn of_texture(texture: &Texture) -> u64 {
    texture.texels().byte_count() as u64
}

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
