//! Words chosen from a list.

use std::error::Error;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Accepts the given words only (clap lists them in the help and suggests one for a near miss) and reads them as a `T`.
pub(crate) fn one_of<T>(
    words: impl IntoIterator<Item = impl Into<PossibleValue>>,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}
