use rayon::ThreadPoolBuilder;

use crate::Failure;

/// Starts the threads of all later parallel work; `None` is one for each processor.
///
/// # Errors
/// They cannot be started, or there has been parallel work before.
pub fn start_threads(threads: Option<u16>) -> Result<(), Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into());
    pool.build_global().map_err(|error| Failure::failed(format!("cannot start threads: {error}")))
}
