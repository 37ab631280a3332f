//! Parameters that several scenes have, and the values of one.

use sunfleck_scene::parameter::{Kind, Parameter};

/// How bright the lamps are.
pub(crate) const LAMPS: Parameter = brightness("lamps", "times the usual brightness of the lamps.");

/// How bright what comes from outside is.
pub(crate) const fn daylight(summary: &'static str) -> Parameter {
    brightness("daylight", summary)
}

/// What random choices depend on.
pub(crate) const fn seed(summary: &'static str) -> Parameter {
    Parameter {
        name: "seed",
        kind: Kind::Integer { least: 0, most: u32::MAX, default: 1 },
        unit: "",
        summary,
    }
}

const fn brightness(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Number { least: 0.0, most: 100.0, default: 1.0 }, unit: "", summary }
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
