//! Checks of parameter tables.

use sunfleck_math::Vec3;
use sunfleck_scene::parameter::{Kind, Parameter, Parameters, SetError, Value};

/// Checks that every parameter of a table can be set to both ends of its range and read back; that values out of range,
/// values of another kind and unknown names are rejected and change nothing; and that the defaults are those of the
/// table.
///
/// * `what` — name of the table, for the message.
/// * `defaults` — parameters with their default values.
///
/// Panics if a check fails.
pub fn check_table(what: &str, defaults: &mut dyn Parameters) {
    let table = defaults.parameters();
    assert_eq!(defaults.values().len(), table.len(), "{what}: as many values as rows");
    for (i, row) in table.iter().enumerate() {
        let name = row.name;
        assert!(table[..i].iter().all(|other| other.name != name), "{what}: `{name}` has two rows");
        let sentence = row.summary.ends_with('.') && row.summary.starts_with(|c: char| !c.is_lowercase());
        assert!(sentence, "{what}: the summary of `{name}` is not a sentence: {}", row.summary);
        let others = |of: &dyn Parameters| -> Vec<Option<Value>> {
            table.iter().filter(|other| other.name != name).map(|other| of.get(other.name)).collect()
        };
        let (default, before) = (defaults.get(name), others(defaults));
        assert_eq!(default, Some(row.kind.default_value()), "{what}: the default of `{name}`");
        for value in row.kind.ends().into_iter().flatten() {
            defaults.set(name, value).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(defaults.get(name), Some(value), "{what}: `{name}`");
            assert_eq!(others(defaults), before, "{what}: `{name}` sets another parameter");
            assert_eq!(row.parse(&value.to_string()), Ok(value), "{what}: `{name}` as text");
        }
        let last = defaults.get(name);
        for value in invalid_values(row) {
            let set = defaults.set(name, value);
            assert!(matches!(set, Err(SetError::Value(_))), "{what}: `{name}` accepts {value}");
            assert_eq!(defaults.get(name), last, "{what}: `{name}` was changed by the invalid value {value}");
        }
        defaults.set(name, row.kind.default_value()).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    for unknown in ["", "no such parameter"] {
        assert_eq!(defaults.get(unknown), None, "{what}");
        let set = defaults.set(unknown, Value::Integer(1));
        assert!(matches!(set, Err(SetError::Unknown { .. })), "{what}: `{unknown}` must be unknown");
    }
}

/// Returns values just outside the range of a parameter, NaN and infinity, and a value of another kind.
fn invalid_values(row: &Parameter) -> Vec<Value> {
    let beyond = |least: f32, most: f32| [least.next_down(), most.next_up(), f32::NAN, f32::INFINITY];
    match row.kind {
        Kind::Boolean { .. } | Kind::Texture => vec![Value::Integer(1)],
        Kind::Choice { .. } => vec![Value::Integer(1), Value::choice("no such name"), Value::choice("")],
        Kind::Integer { least, most, .. } => {
            let outside = [least.checked_sub(1), most.checked_add(1)].into_iter().flatten();
            outside.map(Value::Integer).chain([Value::Number(1.5), Value::Boolean(true)]).collect()
        }
        Kind::Number { least, most, .. } => {
            beyond(least, most).map(Value::Number).into_iter().chain([Value::Boolean(true)]).collect()
        }
        Kind::Color { least, most, .. } => {
            beyond(least, most).map(|x| Value::Color(Vec3::new(least, x, most))).to_vec()
        }
        Kind::Colors { least, most, .. } => {
            beyond(least, most).map(|x| Value::Colors([Vec3::splat(least), Vec3::splat(x)])).to_vec()
        }
        Kind::TexturedColor { least, most, .. } => {
            beyond(least, most).map(|x| Value::TexturedColor(Vec3::new(least, x, most).into())).to_vec()
        }
    }
}
