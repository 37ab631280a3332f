//! JSON that deviates from glTF in ways that do no harm: whole numbers with a fraction of zero, such as `1.0`.

use serde_json::{Number, Value};

use crate::FileLocation;
use crate::error::ParseError;

use super::model::Root;

/// Parses a document with whole numbers of either notation, and with numbers beyond single precision, which become
/// infinite. `None` if it is as invalid as before.
///
/// Errors: the document is invalid otherwise, too; the location is a JSON path.
pub(super) fn parse(json: &[u8]) -> Option<Result<Root, ParseError>> {
    let mut document: Value = serde_json::from_slice(json).ok()?;
    let is_changed = make_whole(&mut document);
    let root = serde_path_to_error::deserialize(document).map_err(|error| {
        let path = error.path().to_string();
        ParseError::malformed(FileLocation::Json(path), format!("bad JSON: {}", error.into_inner()))
    });
    (is_changed || root.is_ok()).then_some(root)
}

/// Replaces numbers without a fraction by integers; fields for reals accept them, too. Returns whether there are any.
fn make_whole(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            // Up to 2^53, doubles hold all integers
            const LARGEST: f64 = (1u64 << 53) as f64;
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..=LARGEST).contains(n));
            if let Some(whole) = whole {
                #[allow(clippy::cast_possible_truncation, reason = "in range, and without a fraction")]
                let whole = whole as u64;
                *number = Number::from(whole);
            }
            whole.is_some()
        }
        Value::Array(values) => values.iter_mut().fold(false, |any, value| make_whole(value) | any),
        Value::Object(members) => members.values_mut().fold(false, |any, value| make_whole(value) | any),
        _ => false,
    }
}
