//! Measurements of two parts of instant global illumination by themselves: anti-aliasing and the discontinuity filter.

use serde::Serialize;
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

use super::ImageErrors;
use crate::stage::StagedScene;

/// Number of camera rays per pixel whose cost is compared with that of one.
pub(super) const CAMERA_RAYS: u32 = 4;

/// Cost of interleaved supersampling and effect of the discontinuity filter [Wald03, §12, §13.2].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IgiChecks {
    /// Additional time of a frame with four camera rays per pixel, relative to a frame with one and with the same
    /// number of VPLs per pixel: median over pairs of frames.
    pub antialias_overhead: f64,
    /// Error of a frame against a frame without interleaving and filter, in which the VPLs of all sets light each
    /// pixel.
    pub filtered: ImageErrors,
    /// Error of the same frame without the filter.
    pub unfiltered: ImageErrors,
}

impl IgiChecks {
    /// Measures both.
    ///
    /// * `rounds` — number of pairs of frames, at least 1.
    pub(super) fn of(stage: &StagedScene, igi: Igi, rounds: usize) -> Option<Self> {
        let frame = |igi: Igi| stage.render(&Algorithm::Igi(igi), 1);
        let reference = frame(reference_of(igi)).0;
        let against_reference = |filter: bool| ImageErrors::of(&frame(Igi { filter, ..igi }).0, &reference);
        let seconds = |antialias: u32| frame(Igi { antialias, ..igi }).1.elapsed.as_secs_f64();
        let mut ratios: Vec<f64> = (0..rounds.max(1))
            .map(|round| {
                // Alternate the order, since the second frame finds warm caches
                if round % 2 == 0 {
                    let one = seconds(1);
                    seconds(CAMERA_RAYS) / one
                } else {
                    seconds(CAMERA_RAYS) / seconds(1)
                }
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        Some(Self {
            antialias_overhead: ratios[ratios.len() / 2] - 1.0,
            filtered: against_reference(true)?,
            unfiltered: against_reference(false)?,
        })
    }
}

/// Returns parameters with the same number of VPLs in all, which all light every pixel: the filter approximates this
/// frame from interleaved ones.
fn reference_of(igi: Igi) -> Igi {
    Igi { vpls: igi.vpls * igi.interleave * igi.interleave, interleave: 1, filter: false, ..igi }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    fn stage() -> StagedScene {
        let scene = sunfleck_models::build("cornell").unwrap();
        StagedScene::new("cornell", &scene, Level::new(), [60, 60]).unwrap()
    }

    #[test]
    fn the_filter_reduces_the_error() {
        let checks = IgiChecks::of(&stage(), Igi { compensate: false, ..Igi::DEFAULT }, 1).unwrap();
        assert!(checks.filtered.rmse < 0.4 * checks.unfiltered.rmse, "{checks:?}");
        assert!(checks.filtered.flip < 0.8 * checks.unfiltered.flip, "{checks:?}");
        assert!(checks.antialias_overhead.is_finite(), "{checks:?}");
    }

    #[test]
    fn without_interleaving_there_is_no_error() {
        let igi = Igi { interleave: 1, compensate: false, ..Igi::DEFAULT };
        let checks = IgiChecks::of(&stage(), igi, 1).unwrap();
        assert_eq!(checks.unfiltered.rmse, 0.0, "{checks:?}");
    }
}
