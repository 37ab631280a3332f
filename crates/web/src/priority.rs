//! Priority of threads.

/// Added to the nice value of a thread: it gets a third of the time of the others. More would let it starve beside
/// other programs.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Lowers the priority of this thread on Linux, where threads have nice values of their own.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}
