//! Parsers of command-line arguments, for clap's `value_parser`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fearless_simd::Level;
use sunfleck_engine::{Stage, StageChoice};
use sunfleck_integrators::Algorithm;
use sunfleck_math::{DVec3, Vec3};

use crate::{Failure, simd};

/// Parser of the name of a SIMD level, which this CPU must support; see [`simd::NAMES`].
pub fn instruction_set() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(simd::NAMES).try_map(|name| simd::level(&name))
}

/// Parser of a stage, or `none`.
pub fn stage() -> impl TypedValueParser<Value = StageChoice> {
    let words = Stage::ALL.map(Stage::name).into_iter().chain(["none"]);
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "none" => Ok(StageChoice::None),
        name => name.parse().map(StageChoice::Fixed),
    })
}

/// Parses a number that is neither infinite nor NaN.
///
/// # Errors
/// `text` is not such a number.
pub fn finite_number(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|number: &f32| number.is_finite())
        .ok_or_else(|| "it must be a finite number".into())
}

/// Parses three finite numbers separated by commas.
///
/// # Errors
/// There are not three of them, or one is not a finite number.
pub fn point(text: &str) -> Result<Vec3, String> {
    let point = position(text)?.as_vec3();
    if point.is_finite() { Ok(point) } else { Err("it must be finite numbers".into()) }
}

/// Parses a position in the coordinates of a scene's file: three finite numbers separated by commas, which may need more
/// than the precision of an f32.
///
/// # Errors
/// As [`point`].
pub fn position(text: &str) -> Result<DVec3, String> {
    let number = |part: &str| part.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err("it must be three numbers such as 1,2.5,-3".into()),
    }
}

/// Splits `name=value` at the first equals sign and trims both parts.
///
/// # Errors
/// `text` has no equals sign.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must have the form name=value")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

/// Applies the assignments of `--set name=value` to an algorithm.
///
/// # Errors
/// The algorithm has no such parameter, or the value is out of range.
pub fn set_parameters(algorithm: &mut Algorithm, assignments: &[(String, String)]) -> Result<(), Failure> {
    assignments.iter().try_for_each(|(name, value)| {
        let set = algorithm.set(name, value);
        set.map_err(|error| Failure::bad_input(format!("--set {name}={value}: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite() {
        assert_eq!(finite_number("-1.5"), Ok(-1.5));
        assert!(["nan", "inf", "x", ""].iter().all(|text| finite_number(text).is_err()));
        assert_eq!(point("1, 2.5,-3"), Ok(Vec3::new(1.0, 2.5, -3.0)));
        assert_eq!(position("500000.125,0,1e7"), Ok(DVec3::new(500_000.125, 0.0, 1e7)));
        assert!(["1,2", "1,2,3,4", "1,2,nan", "1,2,1e39"].iter().all(|text| point(text).is_err()));
    }

    #[test]
    fn assignments_split_at_the_first_equals_sign() {
        assert_eq!(assignment("max_depth = 3"), Ok(("max_depth".into(), "3".into())));
        assert_eq!(assignment("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(assignment("max_depth").is_err());
    }
}
