/// Reasons why a GPU operation fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No adapter was found, or none has the requested number.
    #[error("there is no GPU{} ({found} available); `sunfleck devices` lists the available ones", .number.map(|n| format!(" number {n}")).unwrap_or_default())]
    NoAdapter {
        /// Requested number; `None` if any adapter would do.
        number: Option<usize>,
        /// Number of adapters that were found.
        found: usize,
    },
    /// An adapter lacks a required capability.
    #[error("{name} cannot be used: {why}")]
    Unusable {
        /// Name of the adapter.
        name: String,
        /// Missing capability.
        why: String,
    },
    /// An allocation failed because the memory of the device is full.
    #[error("{what} of {bytes} bytes do not fit into the memory of the GPU")]
    OutOfMemory {
        /// Name of the array, in the plural.
        what: &'static str,
        /// Size of the array in bytes.
        bytes: u64,
    },
    /// An array exceeds what a binding can hold, or what the kernels were compiled for.
    #[error("{what} take {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Name of the array, in the plural.
        what: &'static str,
        /// Size of the array in bytes.
        bytes: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
    /// There is no kernel for a kind of geometry, a feature or an integrator, or the kernels were compiled for worlds
    /// without it.
    #[error("not supported on a GPU: {what}")]
    Unsupported {
        /// Name of the geometry, feature or integrator that is not supported.
        what: &'static str,
    },
    /// The shader compiler or the driver rejects a shader.
    #[error("the shader {shader} cannot be used: {why}")]
    Shader {
        /// Name of the shader.
        shader: &'static str,
        /// Message of the compiler or driver.
        why: String,
    },
    /// The device was lost, or failed.
    #[error("the GPU stopped working: {why}")]
    Lost {
        /// Message of the driver.
        why: String,
    },
}

impl GpuError {
    /// Returns [`GpuError::Lost`] with the message of an error that occurs only on a failing device.
    pub fn lost(why: impl ToString) -> Self {
        Self::Lost { why: why.to_string() }
    }
}
