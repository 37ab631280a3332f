//! What can be wrong with the parameters of an algorithm.

use sunfleck_scene::parameter::ValueError;

/// Why a parameter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The algorithm has no such parameter.
    #[error("`{algorithm}` has no parameter `{name}`; it has: {known}")]
    Unknown {
        /// Of which algorithm.
        algorithm: &'static str,
        /// As typed.
        name: String,
        /// What there is.
        known: String,
    },
    /// The algorithm has no such preset.
    #[error("`{algorithm}` has no preset `{name}`{}", if known.is_empty() { ": it has no presets".into() } else { format!("; it has: {known}") })]
    Preset {
        /// Of which algorithm.
        algorithm: &'static str,
        /// As typed.
        name: String,
        /// What there is.
        known: String,
    },
    /// The value does not parse or is out of range.
    #[error(transparent)]
    Value(#[from] ValueError),
}
