use crate::ModelError;

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

/// Something about a scene that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// As typed.
    pub name: &'static str,
    /// Type, range and default.
    pub kind: Kind,
    /// One sentence.
    pub summary: &'static str,
}

impl Kind {
    /// The value unless said otherwise.
    pub fn default_value(&self) -> f64 {
        match *self {
            Self::Integer { default, .. } => default.into(),
            Self::Number { default, .. } => default.into(),
        }
    }

    /// Smallest and largest value.
    pub fn range(&self) -> [f64; 2] {
        match *self {
            Self::Integer { least, most, .. } => [least.into(), most.into()],
            Self::Number { least, most, .. } => [least.into(), most.into()],
        }
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

impl Parameter {
    /// How bright the lamps are.
    pub(crate) const LAMPS: Self = Self::brightness("lamps", "times the usual brightness of the lamps.");

    /// How bright what comes from outside is.
    pub(crate) const fn daylight(summary: &'static str) -> Self {
        Self::brightness("daylight", summary)
    }

    /// What random choices depend on.
    pub(crate) const fn seed(summary: &'static str) -> Self {
        Self { name: "seed", kind: Kind::Integer { least: 0, most: u32::MAX, default: 1 }, summary }
    }

    const fn brightness(name: &'static str, summary: &'static str) -> Self {
        Self { name, kind: Kind::Number { least: 0.0, most: 100.0, default: 1.0 }, summary }
    }

    /// Reads a value as typed. Errors: [`ModelError::Value`].
    pub(crate) fn parse(&self, value: &str) -> Result<f64, ModelError> {
        let parsed = match self.kind {
            Kind::Integer { .. } => value.parse::<u32>().ok().map(f64::from),
            Kind::Number { .. } => value.parse::<f32>().ok().map(f64::from),
        };
        let [least, most] = self.kind.range();
        parsed.filter(|v| (least..=most).contains(v)).ok_or_else(|| ModelError::Value {
            parameter: self.name,
            value: value.to_string(),
            expected: self.kind.to_string(),
        })
    }
}

/// A value for each row of a parameter table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    table: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    pub(crate) fn defaults(table: &'static [Parameter]) -> Self {
        Self { table, values: table.iter().map(|p| p.kind.default_value()).collect() }
    }

    /// Sets the parameter in that row of the table.
    pub(crate) fn set(&mut self, row: usize, value: f64) {
        self.values[row] = value;
    }

    #[allow(clippy::cast_possible_truncation, reason = "a Number has been an f32 before")]
    pub(crate) fn number(&self, name: &str) -> f32 {
        self.get(name) as f32
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an Integer has been a u32 before"
    )]
    pub(crate) fn integer(&self, name: &str) -> u32 {
        self.get(name) as u32
    }

    fn get(&self, name: &str) -> f64 {
        match self.table.iter().position(|p| p.name == name) {
            Some(row) => self.values[row],
            None => unreachable!("a scene asks for `{name}`, which is not in its own table"),
        }
    }
}
