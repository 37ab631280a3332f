//! Exposure of the image.

use std::str::FromStr;

use sunfleck_command::arguments::finite_number;
use sunfleck_image::{Film, automatic_exposure};

/// Value of `--exposure`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Exposure {
    /// Automatic, from the luminances of the image.
    Auto,
    /// Fixed, in stops.
    Stops(f32),
}

impl Exposure {
    /// Returns the exposure given, else 0 stops, or automatic exposure if the importer added the light.
    pub(super) fn choose(given: Option<Self>, default_light: bool) -> Self {
        given.unwrap_or(if default_light { Self::Auto } else { Self::Stops(0.0) })
    }

    /// Returns the exposure of an image, in stops.
    pub(super) fn stops(self, film: &Film) -> f32 {
        match self {
            Self::Auto => automatic_exposure(&film.radiance()),
            Self::Stops(stops) => stops,
        }
    }
}

impl FromStr for Exposure {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" { Ok(Self::Auto) } else { finite_number(text).map(Self::Stops) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_default_light_is_exposed_automatically() {
        assert_eq!(Exposure::choose(None, false), Exposure::Stops(0.0));
        assert_eq!(Exposure::choose(None, true), Exposure::Auto);
        assert_eq!(Exposure::choose("-1.5".parse().ok(), true), Exposure::Stops(-1.5));
        assert!(
            "bright".parse::<Exposure>().is_err() && "nan".parse::<Exposure>().is_err(),
            "numbers or auto"
        );
    }
}
