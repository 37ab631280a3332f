/// Why a GPU cannot do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// There is no such adapter.
    #[error("there is no GPU{}; `sunfleck devices` lists those that there are ({found})", .number.map(|n| format!(" number {n}")).unwrap_or_default())]
    NoAdapter {
        /// The one that was asked for, if by number.
        number: Option<usize>,
        /// How many there are.
        found: usize,
    },
    /// An adapter lacks something.
    #[error("{name} cannot be used: {why}")]
    Unusable {
        /// The adapter.
        name: String,
        /// What it lacks.
        why: String,
    },
    /// The memory of the device is full.
    #[error("{what} of {bytes} bytes do not fit into the memory of the GPU")]
    OutOfMemory {
        /// What was to be stored.
        what: &'static str,
        /// How large it is.
        bytes: u64,
    },
    /// More than one binding can hold.
    #[error("{what} take {bytes} bytes, but the GPU reaches no more than {limit} at once")]
    TooLarge {
        /// What was to be stored.
        what: &'static str,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// A kind of geometry that has no twin on the GPU.
    #[error("{what} cannot be traced on a GPU")]
    Unsupported {
        /// The kind.
        what: &'static str,
    },
    /// The driver refuses a shader.
    #[error("the driver refuses the shader {shader}: {why}")]
    Shader {
        /// Its name.
        shader: &'static str,
        /// In the driver's words.
        why: String,
    },
    /// The device is gone, or failed.
    #[error("the GPU stopped working: {why}")]
    Lost {
        /// In the driver's words.
        why: String,
    },
}

impl GpuError {
    /// [`GpuError::Lost`] for what only a failing device refuses.
    pub fn lost(why: impl ToString) -> Self {
        Self::Lost { why: why.to_string() }
    }
}
