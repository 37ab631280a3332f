//! How bright the picture is shown.

use std::str::FromStr;

use sunfleck_command::arguments::finite_number;
use sunfleck_image::{Film, automatic_exposure};

/// Exposure, as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Exposure {
    /// From the picture.
    Auto,
    /// So many stops brighter.
    Stops(f32),
}

impl Exposure {
    /// As asked for; or the scene's own, unless its light was made up.
    pub(super) fn choose(asked_for: Option<Self>, light_was_made_up: bool) -> Self {
        asked_for.unwrap_or(if light_was_made_up { Self::Auto } else { Self::Stops(0.0) })
    }

    /// In stops, for this picture.
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
    fn only_made_up_light_is_exposed_automatically() {
        assert_eq!(Exposure::choose(None, false), Exposure::Stops(0.0));
        assert_eq!(Exposure::choose(None, true), Exposure::Auto);
        assert_eq!(Exposure::choose("-1.5".parse().ok(), true), Exposure::Stops(-1.5));
        assert!(
            "bright".parse::<Exposure>().is_err() && "nan".parse::<Exposure>().is_err(),
            "numbers or auto"
        );
    }
}
