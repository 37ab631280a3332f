use std::path::PathBuf;

/// Error of a benchmark.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Embree's library cannot be loaded, or is not version 4.
    #[error("{}: {reason}", path.display())]
    Library {
        /// Path of the library.
        path: PathBuf,
        /// Error of the system's loader, or the version found.
        reason: String,
    },
    /// Embree returned an error.
    #[error("Embree could not {action}: error {code}")]
    Embree {
        /// The operation that failed.
        action: &'static str,
        /// `RTCError` code.
        code: i32,
    },
    /// Sunfleck's acceleration structures could not be built.
    #[error(transparent)]
    Build(#[from] sunfleck_kernel::BuildError),
    /// Error of the GPU.
    #[error(transparent)]
    Gpu(#[from] sunfleck_gpu::GpuError),
    /// Error of the engine.
    #[error(transparent)]
    Engine(#[from] sunfleck_engine::EngineError),
    /// A scene has no radiosity solution.
    #[error("{0}")]
    Radiosity(String),
    /// Error of the ray engine.
    #[error(transparent)]
    RayEngine(#[from] sunfleck_ray_engine::RayEngineError),
    /// Error of the driver's ray-tracing pipeline.
    #[error(transparent)]
    Driver(#[from] crate::driver::DriverError),
    /// Another renderer did not render.
    #[error("{name}: {reason}")]
    Peer {
        /// Name of the renderer.
        name: &'static str,
        /// What it said.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A file is malformed.
    #[error("{}: {reason}", path.display())]
    Format {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error.
        reason: String,
    },
    /// A subject cannot be traced: it is empty, too large or malformed.
    #[error("{name}: {reason}")]
    Subject {
        /// Name of the subject.
        name: String,
        /// Description of the error.
        reason: &'static str,
    },
    /// An image could not be read or written.
    #[error(transparent)]
    Image(#[from] sunfleck_image::ImageError),
    /// A denoiser is not installed, or failed.
    #[error(transparent)]
    Denoise(#[from] sunfleck_engine::OidnError),
    /// An image cannot be denoised.
    #[error(transparent)]
    NoisyImage(#[from] sunfleck_denoise::NoisyImageError),
    /// A scene could not be committed.
    #[error("{0}")]
    Scene(String),
    /// The viewer did not start, or violated its protocol.
    #[error("{0}")]
    Viewer(String),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
