//! One parameter table per algorithm (DESIGN.md, decision 7): command line, documents and later the viewer read it.

/// What kind of value a parameter takes, with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Smallest.
        least: u32,
        /// Largest.
        most: u32,
        /// Unless said otherwise.
        default: u32,
    },
    /// A number.
    Number {
        /// Smallest.
        least: f32,
        /// Largest.
        most: f32,
        /// Unless said otherwise.
        default: f32,
    },
}

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// As typed.
    pub name: &'static str,
    /// Type, range and default.
    pub kind: Kind,
    /// Of the value; empty for pure numbers.
    pub unit: &'static str,
    /// One sentence.
    pub summary: &'static str,
}

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
    #[error("`{algorithm}` has no preset `{name}`; it has: {}", if known.is_empty() { "none" } else { known })]
    Preset {
        /// Of which algorithm.
        algorithm: &'static str,
        /// As typed.
        name: String,
        /// What there is.
        known: String,
    },
    /// The value does not parse or is out of range.
    #[error("`{name}` is `{value}`; it must be {expected}")]
    Value {
        /// Which parameter.
        name: &'static str,
        /// As typed.
        value: String,
        /// What is allowed.
        expected: String,
    },
}

impl Parameter {
    /// Reads a value as typed. Errors: [`ParameterError::Value`].
    pub fn parse(&self, value: &str) -> Result<f64, ParameterError> {
        let parsed = match self.kind {
            Kind::Integer { .. } => value.parse::<u32>().ok().map(f64::from),
            Kind::Number { .. } => value.parse::<f32>().ok().map(f64::from),
        };
        parsed.filter(|&v| self.allows(v)).ok_or_else(|| self.refusal(value.to_string()))
    }

    /// Refuses a value out of range. Errors: [`ParameterError::Value`].
    pub(crate) fn check(&self, value: f64) -> Result<(), ParameterError> {
        if self.allows(value) { Ok(()) } else { Err(self.refusal(value.to_string())) }
    }

    fn allows(&self, value: f64) -> bool {
        let (least, most): (f64, f64) = match self.kind {
            Kind::Integer { least, most, .. } => (least.into(), most.into()),
            Kind::Number { least, most, .. } => (least.into(), most.into()),
        };
        (least..=most).contains(&value)
    }

    fn refusal(&self, value: String) -> ParameterError {
        ParameterError::Value { name: self.name, value, expected: self.kind.to_string() }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer { least, most, .. } => write!(f, "a whole number from {least} to {most}"),
            Self::Number { least, most, .. } => write!(f, "a number from {least} to {most}"),
        }
    }
}
