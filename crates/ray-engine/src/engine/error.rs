use sunfleck_gpu::GpuError;
use sunfleck_math::Ray;

/// Error of the ray engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RayEngineError {
    /// The memory budget is exhausted until answers are taken.
    #[error(
        "{} rays need {bytes} bytes, but {in_flight} of {limit} bytes are in use: take answers of other batches first",
        rays.len()
    )]
    Full {
        /// The rejected batch.
        rays: Vec<Ray>,
        /// Bytes that the batch needs.
        bytes: u64,
        /// Bytes in use.
        in_flight: u64,
        /// Budget in bytes.
        limit: u64,
    },
    /// The engine was dropped before the batch was traced.
    #[error("the ray engine is closed")]
    Closed,
    /// A thread could not be started.
    #[error("cannot start a thread: {why}")]
    Threads {
        /// Error of the operating system.
        why: String,
    },
    /// The backend needs a GPU that cannot be used.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
