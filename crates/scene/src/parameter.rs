//! Tables of what can be chosen by name: of algorithms and of built-in scenes (DESIGN.md, decision 7). Command line, documents and viewer read them.

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

/// The value of a parameter does not parse or is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is `{value}`; it must be {expected}")]
pub struct ValueError {
    /// Which parameter.
    pub name: &'static str,
    /// As typed.
    pub value: String,
    /// What is allowed.
    pub expected: String,
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
    /// Reads a value as typed. Errors: [`ValueError`].
    pub fn parse(&self, value: &str) -> Result<f64, ValueError> {
        let parsed = match self.kind {
            Kind::Integer { .. } => value.parse::<u32>().ok().map(f64::from),
            Kind::Number { .. } => value.parse::<f32>().ok().map(f64::from),
        };
        parsed.filter(|&v| self.allows(v)).ok_or_else(|| self.refusal(value.to_string()))
    }

    /// Refuses a value out of range. Errors: [`ValueError`].
    pub fn check(&self, value: f64) -> Result<(), ValueError> {
        if self.allows(value) { Ok(()) } else { Err(self.refusal(value.to_string())) }
    }

    fn allows(&self, value: f64) -> bool {
        let [least, most] = self.kind.range();
        (least..=most).contains(&value)
    }

    fn refusal(&self, value: String) -> ValueError {
        ValueError { name: self.name, value, expected: self.kind.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: Parameter = Parameter {
        name: "count",
        kind: Kind::Integer { least: 1, most: 9, default: 3 },
        unit: "",
        summary: "how many there are",
    };
    const SHARE: Parameter =
        Parameter { name: "share", kind: Kind::Number { least: 0.0, most: 1.0, default: 0.5 }, ..COUNT };

    #[test]
    fn values_are_of_their_kind_and_range() {
        assert_eq!((COUNT.parse("1"), COUNT.parse("9")), (Ok(1.0), Ok(9.0)));
        assert_eq!(SHARE.parse("0.25"), Ok(0.25));
        for text in ["0", "10", "-1", "2.5", "", "three", "NaN"] {
            let error = COUNT.parse(text).unwrap_err().to_string();
            assert_eq!(error, format!("`count` is `{text}`; it must be a whole number from 1 to 9"));
        }
        for text in ["-0.1", "1.1", "nan", "inf", "half"] {
            assert!(SHARE.parse(text).is_err(), "{text}");
        }
        assert!(SHARE.check(f64::NAN).is_err() && SHARE.check(1.0).is_ok());
    }
}
