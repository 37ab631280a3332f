//! Global thread pool of the process.

use rayon::ThreadPoolBuilder;

use crate::Failure;

/// Starts the global rayon thread pool with `threads` threads, or one per CPU core if `None`.
///
/// # Errors
/// The threads cannot be started, or the global pool is already in use.
pub fn start_threads(threads: Option<u16>) -> Result<(), Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into());
    pool.build_global().map_err(|error| Failure::failed(format!("cannot start threads: {error}")))
}
