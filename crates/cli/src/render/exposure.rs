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
    /// Returns the exposure given, else that of the scene, else automatic exposure.
    ///
    /// * `scene_stops` — exposure that the author of the scene chose.
    pub(super) fn choose(given: Option<Self>, scene_stops: Option<f32>) -> Self {
        given.or(scene_stops.map(Self::Stops)).unwrap_or(Self::Auto)
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
    fn the_user_decides_before_the_scene() {
        assert_eq!(Exposure::choose(None, None), Exposure::Auto);
        assert_eq!(Exposure::choose(None, Some(0.5)), Exposure::Stops(0.5));
        assert_eq!(Exposure::choose("-1.5".parse().ok(), Some(0.5)), Exposure::Stops(-1.5));
        assert_eq!(Exposure::choose("auto".parse().ok(), Some(0.5)), Exposure::Auto);
        assert!(
            "bright".parse::<Exposure>().is_err() && "nan".parse::<Exposure>().is_err(),
            "numbers or auto"
        );
    }
}
