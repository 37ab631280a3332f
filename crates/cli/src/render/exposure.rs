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
    /// Returns the exposure given, else that of the scene, else automatic exposure. Images that do not show light, such
    /// as those of ambient occlusion, are only exposed as given.
    ///
    /// * `shows_light` — whether the image does. * `scene_stops` — exposure that the author of the scene chose.
    pub(super) fn choose(given: Option<Self>, shows_light: bool, scene_stops: Option<f32>) -> Self {
        let default = if shows_light { scene_stops } else { Some(0.0) };
        given.or(default.map(Self::Stops)).unwrap_or(Self::Auto)
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
        assert_eq!(Exposure::choose(None, true, None), Exposure::Auto);
        assert_eq!(Exposure::choose(None, true, Some(0.5)), Exposure::Stops(0.5));
        assert_eq!(Exposure::choose("-1.5".parse().ok(), true, Some(0.5)), Exposure::Stops(-1.5));
        assert_eq!(Exposure::choose("auto".parse().ok(), true, Some(0.5)), Exposure::Auto);
        assert!(
            "bright".parse::<Exposure>().is_err() && "nan".parse::<Exposure>().is_err(),
            "numbers or auto"
        );
    }

    #[test]
    fn images_without_light_are_not_exposed() {
        assert_eq!(Exposure::choose(None, false, None), Exposure::Stops(0.0));
        assert_eq!(Exposure::choose(None, false, Some(-3.0)), Exposure::Stops(0.0));
        assert_eq!(Exposure::choose("1".parse().ok(), false, Some(-3.0)), Exposure::Stops(1.0));
    }
}
