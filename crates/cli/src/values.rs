//! Parsers of argument values.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sunfleck_command::arguments::finite_number;
use sunfleck_engine::DenoiseMethod;
use sunfleck_image::{Aov, AovSet, BitDepth, Filter, PictureFormat, ToneCurve};
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

pub(crate) fn picture_format() -> impl TypedValueParser<Value = PictureFormat> {
    one_of(PictureFormat::ALL.map(PictureFormat::name))
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

/// Parses a noise level: a fraction below 1, or a percentage.
pub(crate) fn noise_level(text: &str) -> Result<f32, String> {
    let level = match text.strip_suffix('%') {
        Some(percent) => positive_number(percent.trim_end())? / 100.0,
        None => positive_number(text)?,
    };
    match level {
        ..1.0 => Ok(level),
        ..100.0 => Err(format!("it is a fraction below 1; was {}, or {level}%, meant?", level / 100.0)),
        _ => Err("it is a fraction below 1, or a percentage such as 5%".into()),
    }
}

/// Parses a number of bytes with a unit of powers of 1024: `200M`, `1.5G`, `64MiB`.
pub(crate) fn byte_size(text: &str) -> Result<u64, String> {
    const FORM: &str = "it must be a size greater than 0 such as 200M or 1.5G";
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = match unit.trim().to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(FORM.into()),
    };
    let bytes = number.parse::<f64>().map_err(|_| FORM)? * (1u64 << (10 * power)) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
    if bytes >= 1.0 { Ok(bytes as u64) } else { Err(FORM.into()) }
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
    fn noise_levels_are_fractions_or_percentages() {
        assert_eq!(
            (noise_level("0.05"), noise_level("5%"), noise_level("5 %")),
            (Ok(0.05), Ok(0.05), Ok(0.05))
        );
        assert!(
            noise_level("5").is_err_and(|why| why.contains("0.05") && why.contains("5%")),
            "5 % is meant"
        );
        assert!(["0", "-1", "-1%", "500", "nan", "100%", "%"].iter().all(|text| noise_level(text).is_err()));
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        let sizes = [
            ("512", 512),
            ("1k", 1024),
            ("200M", 200 << 20),
            ("1.5G", 3 << 29),
            ("64MiB", 64 << 20),
            ("2tb", 2 << 40),
        ];
        for (text, bytes) in sizes {
            assert_eq!(byte_size(text), Ok(bytes), "{text}");
        }
        assert!(["", "M", "0", "-1M", "1.2.3G", "5X", "half"].iter().all(|text| byte_size(text).is_err()));
    }

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
