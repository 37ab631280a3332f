use rayon::ThreadPoolBuilder;

use crate::failure::Failure;

/// All later parallel work uses so many threads; one for each processor unless told. Errors: they cannot be started, or
/// there has been parallel work before.
pub(crate) fn start(threads: Option<u16>) -> Result<(), Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into());
    pool.build_global().map_err(|error| Failure::failed(format!("cannot start threads: {error}")))
}
