//! Errors of setting the parameters of an algorithm.

use sunfleck_scene::parameter::ValueError;

/// Reason why a parameter or preset was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The algorithm has no parameter of that name.
    #[error("`{algorithm}` has no parameter `{name}`; it has: {known}")]
    Unknown {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// The unknown name.
        name: String,
        /// The existing names, separated by commas.
        known: String,
    },
    /// The algorithm has no preset of that name.
    #[error("`{algorithm}` has no preset `{name}`{}", if known.is_empty() { ": it has no presets".into() } else { format!("; it has: {known}") })]
    Preset {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// The unknown name.
        name: String,
        /// The existing names, separated by commas.
        known: String,
    },
    /// The value does not parse or is out of range.
    #[error(transparent)]
    Value(#[from] ValueError),
}
