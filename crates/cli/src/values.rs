//! Parsers of argument values.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sunfleck_command::arguments::finite_number;
use sunfleck_engine::DenoiseMethod;
use sunfleck_image::{Aov, AovSet, BitDepth, Filter, ToneCurve};
use sunfleck_integrators::Algorithm;
use sunfleck_sampling::SamplerKind;

/// Value of `--denoise`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DenoiseChoice {
    Off,
    Method(DenoiseMethod),
}

/// Parser of a `T` that accepts the given words only; clap lists them in the help and suggests similar ones.
fn one_of<T>(words: impl IntoIterator<Item = impl Into<PossibleValue>>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}

/// Parser of an algorithm; the help lists each with its summary.
pub(crate) fn integrator() -> impl TypedValueParser<Value = Algorithm> {
    one_of(Algorithm::ALL.map(|algorithm| PossibleValue::new(algorithm.name()).help(algorithm.summary())))
}

/// Parser of a method of denoising, or `off`.
pub(crate) fn denoise() -> impl TypedValueParser<Value = DenoiseChoice> {
    let words = DenoiseMethod::ALL.iter().map(|method| method.name()).chain(["off"]);
    let choice = |word: String| match word.as_str() {
        "off" => Ok(DenoiseChoice::Off),
        name => name.parse().map(DenoiseChoice::Method),
    };
    PossibleValuesParser::new(words).try_map(choice)
}

pub(crate) fn sampler() -> impl TypedValueParser<Value = SamplerKind> {
    one_of(SamplerKind::ALL.iter().map(|kind| kind.name()))
}

pub(crate) fn filter() -> impl TypedValueParser<Value = Filter> {
    one_of(Filter::ALL.map(Filter::name))
}

pub(crate) fn tone_curve() -> impl TypedValueParser<Value = ToneCurve> {
    one_of(ToneCurve::ALL.map(ToneCurve::name))
}

/// Parser of one AOV, or `all`.
pub(crate) fn aov_set() -> impl TypedValueParser<Value = AovSet> {
    let words = Aov::ALL.iter().map(|aov| aov.name()).chain(["all"]);
    let set = |word: String| match word.as_str() {
        "all" => Ok(AovSet::ALL),
        name => name.parse().map(|aov| AovSet::EMPTY.with(aov)),
    };
    PossibleValuesParser::new(words).try_map(set)
}

pub(crate) fn positive_duration(text: &str) -> Result<Duration, String> {
    // A number without a unit is in seconds
    let duration = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?,
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string())?,
    };
    if duration.is_zero() { Err("it must be longer than 0 s".into()) } else { Ok(duration) }
}

pub(crate) fn bit_depth(text: &str) -> Result<BitDepth, String> {
    match text {
        "8" => Ok(BitDepth::Eight),
        "16" => Ok(BitDepth::Sixteen),
        _ => Err("it must be 8 or 16".into()),
    }
}

pub(crate) fn positive_number(text: &str) -> Result<f32, String> {
    let number = finite_number(text)?;
    if number > 0.0 { Ok(number) } else { Err("it must be greater than 0".into()) }
}

pub(crate) fn non_negative_number(text: &str) -> Result<f32, String> {
    let number = finite_number(text)?;
    if number >= 0.0 { Ok(number) } else { Err("it must be 0 or more".into()) }
}

pub(crate) fn angle_of_view(text: &str) -> Result<f32, String> {
    let degrees = finite_number(text)?;
    if degrees > 0.0 && degrees < 180.0 { Ok(degrees) } else { Err("it must be between 0 and 180".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        assert_eq!(positive_number("0.5"), Ok(0.5));
        assert!(["0", "-1", "nan", "inf", "x", ""].iter().all(|text| positive_number(text).is_err()));
        assert!(angle_of_view("180").is_err());
        assert!(positive_duration("0s").is_err());
        assert_eq!(positive_duration("1min 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(positive_duration("2.5"), Ok(Duration::from_millis(2500)));
        assert!(["-5", "0", "nan", "soon"].iter().all(|text| positive_duration(text).is_err()));
    }
}
