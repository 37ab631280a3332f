//! JSON that deviates from glTF in ways that do no harm: whole numbers with a fraction of zero, such as `1.0`.

use serde_json::{Number, Value};

use crate::FileLocation;
use crate::error::ParseError;

use super::model::Root;

/// Parses a document with whole numbers of either notation, and with numbers beyond single precision, which become
/// infinite. `None` if the error remains, or the document is no JSON.
///
/// * `error_path` — JSON path of the error that is to go.
///
/// Errors: the document is invalid elsewhere, too; the location is a JSON path.
pub(super) fn parse(json: &[u8], error_path: &str) -> Option<Result<Root, ParseError>> {
    let mut document: Value = serde_json::from_slice(json).ok()?;
    make_whole(&mut document);
    let error = match serde_path_to_error::deserialize(document) {
        Ok(root) => return Some(Ok(root)),
        Err(error) => error,
    };
    let path = error.path().to_string();
    let message = format!("bad JSON: {}", error.into_inner());
    (path != error_path).then(|| Err(ParseError::malformed(FileLocation::Json(path), message)))
}

/// Replaces numbers without a fraction by integers; fields for reals accept them, too.
fn make_whole(value: &mut Value) {
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
        }
        Value::Array(values) => values.iter_mut().for_each(make_whole),
        Value::Object(members) => members.values_mut().for_each(make_whole),
        _ => {}
    }
}
