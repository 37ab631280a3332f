//! Parameters that users set by name: those of integrators, materials and built-in scenes.
//!
//! [`parameters!`](crate::parameters) declares a struct together with a table of its fields. Command line, viewer and
//! documentation are generated from the tables, so a new parameter appears in all of them.

mod kind;
mod macros;
mod value;

#[doc(hidden)]
pub use kind::KindOf;
pub use kind::{Field, Kind};
pub use value::{CHOICE_BYTES, Value};

/// Description of a parameter: one row of the table of a struct or variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the field, for the command line and serialisation.
    pub name: &'static str,
    /// Name for display: words separated by spaces.
    pub label: &'static str,
    /// Type, range and default.
    pub kind: Kind,
    /// Range of a slider, if the range of allowed values is too wide for one.
    pub slider: Option<[f32; 2]>,
    /// Unit of the value; empty for dimensionless numbers.
    pub unit: &'static str,
    /// Description, one sentence.
    pub summary: &'static str,
}

/// Description of a variant of an enum whose variants have parameters, such as a scattering model or a solid pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant<T: 'static> {
    /// Name in files and reports.
    pub name: &'static str,
    /// Name on buttons and in menus.
    pub label: &'static str,
    /// Description, one sentence.
    pub summary: &'static str,
    /// Parameters of the variant.
    pub parameters: &'static [Parameter],
    /// The variant with every parameter at its default.
    pub default: T,
}

/// Error: a value cannot be parsed, is of another kind than its parameter, or is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is `{value}`; it must be {expected}")]
pub struct ValueError {
    /// Name of the parameter.
    pub name: &'static str,
    /// Value as text.
    pub value: String,
    /// Description of the allowed values.
    pub expected: String,
}

/// Error of setting a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// There is no parameter of this name.
    #[error("there is no parameter `{name}`; the parameters are: {known}")]
    Unknown {
        /// Name that was not found.
        name: String,
        /// Names of the table, separated by commas.
        known: String,
    },
    /// The value is not allowed.
    #[error(transparent)]
    Value(#[from] ValueError),
}

/// Access by name to fields that a table of parameters describes. [`parameters!`](crate::parameters) implements it.
pub trait Parameters {
    /// Returns the table, in the order of the fields.
    fn parameters(&self) -> &'static [Parameter];

    /// Returns the value of a parameter; `None` if there is no parameter of this name.
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets a parameter. Errors: [`SetError`]; the value is then unchanged.
    fn set(&mut self, name: &str, value: Value) -> Result<(), SetError>;

    /// Returns all parameters with their values, in the order of the table.
    fn values(&self) -> Vec<(&'static Parameter, Value)> {
        self.parameters().iter().filter_map(|row| Some((row, self.get(row.name)?))).collect()
    }

    /// Checks that all values are in range. Fields that are set directly, not by [`set`](Self::set), may be out of
    /// range. Errors: [`ValueError`].
    fn check(&self) -> Result<(), ValueError> {
        self.values().iter().try_for_each(|(row, value)| row.accept(*value).map(drop))
    }
}

impl Parameter {
    /// Parses a value: `true`, `1`, `false` or `0` for booleans; numbers separated by commas for colours; names. Errors:
    /// [`ValueError`].
    pub fn parse(&self, text: &str) -> Result<Value, ValueError> {
        let parsed = self.kind.parse(text).filter(|value| self.kind.allows(value));
        parsed.ok_or_else(|| self.value_error(text.to_string()))
    }

    /// Converts a value to the kind of the parameter: whole numbers become integers or numbers. Errors: [`ValueError`],
    /// if it is of another kind or out of range.
    pub fn accept(&self, value: Value) -> Result<Value, ValueError> {
        let converted = self.kind.convert(value);
        if self.kind.allows(&converted) { Ok(converted) } else { Err(self.value_error(value.to_string())) }
    }

    fn value_error(&self, value: String) -> ValueError {
        ValueError { name: self.name, value, expected: self.kind.to_string() }
    }
}

impl SetError {
    /// Returns the error that no parameter of the table has this name.
    pub fn unknown(table: &[Parameter], name: &str) -> Self {
        let known = table.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        Self::Unknown { name: name.to_string(), known }
    }
}

/// Finds a parameter by name. Errors: [`SetError::Unknown`].
pub fn find(table: &'static [Parameter], name: &str) -> Result<&'static Parameter, SetError> {
    table.iter().find(|row| row.name == name).ok_or_else(|| SetError::unknown(table, name))
}

#[doc(hidden)]
/// Replaces the underscores of a name by spaces; usable in constants. `N` is the length of the name in bytes.
pub const fn with_spaces<const N: usize>(name: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        let byte = name.as_bytes()[i];
        bytes[i] = if byte == b'_' { b' ' } else { byte };
        i += 1;
    }
    bytes
}

#[doc(hidden)]
/// Sets a field after checking the value. Errors: [`SetError`]; the field is then unchanged.
pub fn set_field<F: Field>(
    table: &'static [Parameter],
    name: &str,
    field: &mut F,
    value: Value,
) -> Result<(), SetError> {
    let row = find(table, name)?;
    *field = F::from_value(row.accept(value)?).ok_or_else(|| row.value_error(value.to_string()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, vec3};

    use super::*;
    use crate::parameters;

    parameters! {
        /// Struct with one parameter of each kind.
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Sample {
            /// Whether it is enabled.
            /// Further lines are for programmers only.
            enabled: bool = true;
            /// Number of pixels.
            count: u32 = 3, in 1..=9, unit "pixels";
            /// A fraction.
            share_of_all: f32 = 0.5, in 0.0..=1.0, slider 0.25..=0.75;
            /// A distance.
            far: f32 = 2.0, in 0.0..=f32::MAX, label "distance";
            /// A colour.
            color: Vec3 = Vec3::ONE, in 0.0..=1.0;
        }
    }

    fn row(name: &str) -> &'static Parameter {
        find(Sample::PARAMETERS, name).unwrap()
    }

    #[test]
    fn the_table_describes_the_struct() {
        assert_eq!(
            *row("count"),
            Parameter {
                name: "count",
                label: "count",
                kind: Kind::Integer { least: 1, most: 9, default: 3 },
                slider: None,
                unit: "pixels",
                summary: "Number of pixels.",
            }
        );
        assert_eq!(row("enabled").summary, "Whether it is enabled.");
        assert_eq!((row("share_of_all").slider, row("count").slider), (Some([0.25, 0.75]), None));
        assert_eq!(
            [row("far"), row("share_of_all"), row("count")].map(|row| row.label),
            ["distance", "share of all", "count"]
        );
        assert_eq!(Sample::default(), Sample::DEFAULT);
        for (row, value) in Sample::DEFAULT.values() {
            assert_eq!(row.kind.default_value(), value, "{}", row.name);
        }
    }

    #[test]
    fn values_are_checked_for_kind_and_range() {
        assert_eq!(
            (row("count").parse("1"), row("count").parse("9")),
            (Ok(Value::Integer(1)), Ok(Value::Integer(9)))
        );
        assert_eq!(row("share_of_all").parse("0.25"), Ok(Value::Number(0.25)));
        assert_eq!(row("color").parse("0.5, 1,0"), Ok(Value::Color(vec3(0.5, 1.0, 0.0))));
        for (text, value) in [("true", true), ("1", true), ("false", false), ("0", false)] {
            assert_eq!(row("enabled").parse(text), Ok(Value::Boolean(value)));
        }
        for text in ["0", "10", "-1", "2.5", "", "three", "NaN"] {
            let error = row("count").parse(text).unwrap_err().to_string();
            assert_eq!(error, format!("`count` is `{text}`; it must be a whole number from 1 to 9"));
        }
        for text in ["-0.1", "1.1", "nan", "inf", "half"] {
            assert!(row("share_of_all").parse(text).is_err(), "{text}");
        }
        for text in ["2", "-1", "yes", ""] {
            let error = row("enabled").parse(text).unwrap_err().to_string();
            assert_eq!(error, format!("`enabled` is `{text}`; it must be true or false"));
        }
        for text in ["1,1", "1,1,1,1", "2,0,0", "0,nan,0", "red"] {
            assert!(row("color").parse(text).is_err(), "{text}");
        }
        for out_of_range in [-1.0, f32::NAN, f32::INFINITY] {
            assert!(row("far").accept(Value::Number(out_of_range)).is_err(), "{out_of_range}");
        }
    }

    #[test]
    fn numbers_are_converted_to_the_type_of_the_field() {
        let mut sample = Sample::DEFAULT;
        sample.set("count", Value::Number(4.0)).unwrap();
        sample.set("share_of_all", Value::Integer(1)).unwrap();
        assert_eq!((sample.count, sample.share_of_all), (4, 1.0));
        for refused in
            [Value::Number(4.5), Value::Number(-1.0), Value::Number(f32::NAN), Value::Boolean(true)]
        {
            assert!(matches!(sample.set("count", refused), Err(SetError::Value(_))), "{refused}");
        }
        assert!(sample.set("enabled", Value::Integer(1)).is_err(), "a number is not a boolean");
        assert_eq!(sample.count, 4, "a refused value changes nothing");
    }

    #[test]
    fn unknown_names_are_refused() {
        let mut sample = Sample::DEFAULT;
        assert_eq!(sample.get("colour"), None);
        let error = sample.set("colour", Value::Color(Vec3::ZERO)).unwrap_err().to_string();
        let known = "enabled, count, share_of_all, far, color";
        assert_eq!(error, format!("there is no parameter `colour`; the parameters are: {known}"));
        assert_eq!(sample, Sample::DEFAULT);
    }

    #[test]
    fn check_finds_fields_out_of_range() {
        assert_eq!(Sample::DEFAULT.check(), Ok(()));
        let error = Sample { count: 10, ..Sample::DEFAULT }.check().unwrap_err();
        assert_eq!((error.name, error.value.as_str()), ("count", "10"));
    }
}
