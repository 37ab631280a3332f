//! How single arguments are read.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fearless_simd::Level;
use sunfleck_engine::{Device, Which};
use sunfleck_image::{Aov, AovSet, Filter, ToneCurve};
use sunfleck_integrators::Algorithm;
use sunfleck_math::{Vec3, vec3};
use sunfleck_sampling::SamplerKind;

use crate::render::algorithms;
use crate::simd;

/// Accepts the given words only (clap lists them in the help and suggests one for a near miss) and reads them as a `T`.
fn one_of<T>(words: impl IntoIterator<Item = impl Into<PossibleValue>>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}

pub(crate) fn integrator() -> impl TypedValueParser<Value = Algorithm> {
    one_of(algorithms())
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

/// One AOV, or all of them.
pub(crate) fn aov_set() -> impl TypedValueParser<Value = AovSet> {
    let words = Aov::ALL.iter().map(|aov| aov.name()).chain(["all"]);
    let set = |word: String| match word.as_str() {
        "all" => Ok(AovSet::ALL),
        name => name.parse().map(|aov| AovSet::EMPTY.with(aov)),
    };
    PossibleValuesParser::new(words).try_map(set)
}

pub(crate) fn instruction_set() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(simd::NAMES).try_map(|name| simd::level(&name))
}

/// `gpu`, the best one, or `gpu:N`; `None` if it is another word.
pub(crate) fn gpu(text: &str) -> Option<Result<Option<usize>, String>> {
    match (text, text.strip_prefix("gpu:")) {
        ("gpu", _) => Some(Ok(None)),
        (_, Some(number)) => Some(match number.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("`{number}` is no number of a GPU; `sunfleck devices` lists them")),
        }),
        _ => None,
    }
}

/// Who renders what is seen live: `auto`, `cpu`, `gpu`, `gpu:N`.
pub(crate) fn live_device(text: &str) -> Result<Device, String> {
    match text {
        "auto" => Ok(Device::Auto),
        "cpu" => Ok(Device::Processor),
        _ => match gpu(text) {
            Some(number) => Ok(Device::Gpu(number?.map_or(Which::Best, Which::Number))),
            None => Err("there are: auto, cpu, gpu, gpu:N".into()),
        },
    }
}

pub(crate) fn positive_duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("it must be more than nothing".into()) } else { Ok(duration) }
}

pub(crate) fn finite_number(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|number: &f32| number.is_finite()).ok_or_else(|| "it is not a number".into())
}

pub(crate) fn positive_number(text: &str) -> Result<f32, String> {
    let number = finite_number(text)?;
    if number > 0.0 { Ok(number) } else { Err("it must be more than 0".into()) }
}

pub(crate) fn number_from_zero(text: &str) -> Result<f32, String> {
    let number = finite_number(text)?;
    if number >= 0.0 { Ok(number) } else { Err("it must be 0 or more".into()) }
}

/// Three numbers between commas.
pub(crate) fn point(text: &str) -> Result<Vec3, String> {
    let numbers: Vec<f32> =
        text.split(',').map(|part| finite_number(part.trim())).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(vec3(x, y, z)),
        _ => Err("it must be three numbers such as 1,2.5,-3".into()),
    }
}

pub(crate) fn angle_of_view(text: &str) -> Result<f32, String> {
    let degrees = finite_number(text)?;
    if degrees > 0.0 && degrees < 180.0 { Ok(degrees) } else { Err("it must lie between 0 and 180".into()) }
}

pub(crate) fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must look like name=value")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        assert_eq!(positive_number("0.5"), Ok(0.5));
        assert!(["0", "-1", "nan", "inf", "x", ""].iter().all(|text| positive_number(text).is_err()));
        assert_eq!(finite_number("-1.5"), Ok(-1.5));
        assert!(angle_of_view("180").is_err());
        assert!(positive_duration("0s").is_err());
        assert_eq!(positive_duration("1min 30s"), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn assignments_split_at_the_first_equals_sign() {
        assert_eq!(assignment("max_depth = 3"), Ok(("max_depth".into(), "3".into())));
        assert_eq!(assignment("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(assignment("max_depth").is_err());
    }
}
