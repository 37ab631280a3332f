use sunfleck_gpu::GpuError;
use sunfleck_math::Ray;

/// Why a ray engine cannot do what it was asked to.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RayEngineError {
    /// No batch fits any more until answers are taken.
    #[error(
        "{} rays of {bytes} bytes do not fit beside the {in_flight} bytes in flight, of {limit}: take answers first",
        rays.len()
    )]
    Full {
        /// The batch, as it was.
        rays: Vec<Ray>,
        /// What it needs.
        bytes: u64,
        /// What others have.
        in_flight: u64,
        /// What all may have.
        limit: u64,
    },
    /// The engine was dropped before it came to this batch.
    #[error("the ray engine is closed")]
    Closed,
    /// A thread could not be started.
    #[error("cannot start a thread: {why}")]
    Threads {
        /// In the system's words.
        why: String,
    },
    /// There is no back end without it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
