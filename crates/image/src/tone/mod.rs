//! Conversion of radiance to display values: metering, exposure, tone curve, and quantisation to 8-bit sRGB.

mod curves;
mod metering;
mod quantize;

use std::fmt;
use std::str::FromStr;

use sunfleck_math::{Vec3, exp2};

pub use metering::{LuminanceHistogram, Metering, automatic_exposure, exposure_of, meter};
pub use quantize::quantize;

/// Tone curve: maps unbounded radiance to the range [0, 1] of a display; both are linear Rec.709.
///
/// Each curve maps black to black and is monotonic for greys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ToneCurve {
    /// Identity, clamped to 1.
    Linear,
    /// Reinhard's extended operator `L (1 + L / w²) / (1 + L)` on luminance, with white w = 4 [Reinhard02, Eq. 4].
    Reinhard,
    /// Hable's filmic curve of *Uncharted 2*, with white 11.2 [Hable10, filmic tone mapping].
    Filmic,
    /// S. Hill's fit of the ACES 1.0 RRT and sRGB ODT.
    Aces,
    /// T. Sobotka's `AgX`, base look, in Rec.2020, with B. Wrensch's polynomial for the contrast.
    Agx,
    /// Khronos PBR Neutral [Khronos24, specification]: keeps base colours and compresses highlights only.
    #[default]
    PbrNeutral,
}

/// A name that is not in [`ToneCurve::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no tone curve is called '{0}' (there are linear, reinhard, filmic, aces, agx, pbr-neutral)")]
pub struct UnknownToneCurve(pub String);

impl ToneCurve {
    /// Every tone curve.
    pub const ALL: [Self; 6] =
        [Self::Linear, Self::Reinhard, Self::Filmic, Self::Aces, Self::Agx, Self::PbrNeutral];

    /// Returns the name in options and in the user interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Reinhard => "reinhard",
            Self::Filmic => "filmic",
            Self::Aces => "aces",
            Self::Agx => "agx",
            Self::PbrNeutral => "pbr-neutral",
        }
    }

    /// Returns the display-linear colour, in [0, 1], of linear radiance multiplied by 2 to the power of
    /// `exposure_stops`.
    ///
    /// Negative and NaN components count as 0; infinite components are clamped to 10⁶.
    #[inline]
    pub fn apply(self, radiance: Vec3, exposure_stops: f32) -> Vec3 {
        self.apply_exposed(radiance * exp2(exposure_stops))
    }

    /// As [`apply`](Self::apply), of radiance that has been multiplied by 2 to the power of the exposure, which is the
    /// same for all pixels of an image.
    #[inline]
    pub fn apply_exposed(self, exposed: Vec3) -> Vec3 {
        // `max` of NaN and 0 is 0; the upper bound keeps ratios of powers finite
        let exposed = exposed.max(Vec3::ZERO).min(Vec3::splat(1e6));
        let mapped = match self {
            Self::Linear => exposed,
            Self::Reinhard => curves::reinhard(exposed),
            Self::Filmic => curves::filmic(exposed),
            Self::Aces => curves::aces(exposed),
            Self::Agx => curves::agx(exposed),
            Self::PbrNeutral => curves::pbr_neutral(exposed),
        };
        mapped.clamp(Vec3::ZERO, Vec3::ONE)
    }
}

impl fmt::Display for ToneCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToneCurve {
    type Err = UnknownToneCurve;

    fn from_str(name: &str) -> Result<Self, UnknownToneCurve> {
        Self::ALL.into_iter().find(|c| c.name() == name).ok_or_else(|| UnknownToneCurve(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::luminance;

    #[test]
    fn black_is_black_and_greys_are_monotonic() {
        for curve in ToneCurve::ALL {
            assert!(curve.apply(Vec3::ZERO, 0.0).max_element() < 1e-3, "{curve}");
            let mut last = 0.0;
            for i in 0..4000 {
                let shown = curve.apply(Vec3::splat(exp2(i as f32 * 0.01 - 20.0)), 0.0);
                let y = luminance(shown);
                assert!(y >= last - 1e-6, "{curve} decreases at step {i}: {y} after {last}");
                assert!(shown.min_element() >= 0.0 && shown.max_element() <= 1.0, "{curve}: {shown}");
                last = y;
            }
            assert!(last > 0.97, "{curve}: the brightest grey is {last}");
        }
    }

    #[test]
    fn greys_stay_grey() {
        for curve in ToneCurve::ALL {
            for radiance in [0.01, 0.18, 1.0, 5.0] {
                let shown = curve.apply(Vec3::splat(radiance), 0.0);
                assert!(shown.max_element() - shown.min_element() < 5e-3, "{curve} of {radiance}: {shown}");
            }
        }
    }

    #[test]
    fn mid_grey_stays_in_the_middle() {
        for curve in ToneCurve::ALL {
            let encoded = crate::srgb::srgb_from_linear(curve.apply(Vec3::splat(0.18), 0.0).y);
            assert!((0.3..0.55).contains(&encoded), "{curve}: {encoded}");
        }
    }

    #[test]
    fn a_stop_doubles_the_radiance() {
        for curve in ToneCurve::ALL {
            let colour = Vec3::new(0.1, 0.3, 0.2);
            assert_eq!(curve.apply(colour, 2.0), curve.apply(colour * 4.0, 0.0));
        }
    }

    #[test]
    fn nan_and_infinity_have_defined_colours() {
        for curve in ToneCurve::ALL {
            let odd = Vec3::new(f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
            assert!(curve.apply(odd, 0.0).is_finite(), "{curve}");
            assert!(curve.apply(Vec3::splat(f32::INFINITY), 0.0).min_element() > 0.97, "{curve}");
        }
    }

    #[test]
    fn names_round_trip() {
        for curve in ToneCurve::ALL {
            assert_eq!(curve.to_string().parse(), Ok(curve));
        }
        assert!("sepia".parse::<ToneCurve>().is_err());
    }
}
