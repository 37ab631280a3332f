use std::path::PathBuf;

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The peer's library is missing, or is not what it should be.
    #[error("{}: {reason}", path.display())]
    Library {
        /// Where it should be.
        path: PathBuf,
        /// What the system's loader says.
        reason: String,
    },
    /// The peer refused to do something.
    #[error("Embree could not {action}: error {code}")]
    Embree {
        /// What it was asked.
        action: &'static str,
        /// Its `RTCError`.
        code: i32,
    },
    /// Our structures could not be built.
    #[error(transparent)]
    Build(#[from] sunfleck_kernel::BuildError),
    /// The GPU could not.
    #[error(transparent)]
    Gpu(#[from] sunfleck_gpu::GpuError),
    /// An engine could not start.
    #[error(transparent)]
    Engine(#[from] sunfleck_engine::EngineError),
    /// The ray engine could not.
    #[error(transparent)]
    RayEngine(#[from] sunfleck_ray_engine::RayEngineError),
    /// The driver's own ray-tracing pipeline could not.
    #[error(transparent)]
    Driver(#[from] crate::driver::DriverError),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file does not hold what its name says.
    #[error("{}: {reason}", path.display())]
    Format {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nothing to trace.
    #[error("{name}: {reason}")]
    Subject {
        /// Name of the subject.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A scene could not be made ready.
    #[error("{0}")]
    Scene(String),
    /// The viewer did not start, or did not do what its protocol says.
    #[error("{0}")]
    Viewer(String),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
