//! What two inventions of the scheme cost and do, each measured by itself.

use serde::Serialize;
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

use super::Errors;
use crate::stage::StagedScene;

/// Camera rays of a pixel whose cost is compared with that of one.
pub(super) const CAMERA_RAYS: u32 = 4;

/// Interleaved super-sampling and the discontinuity filter [Wald03, §12, §13.2].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Checks {
    /// How much longer a frame with four camera rays per pixel takes than one with one, and as many VPLs per pixel: the median of
    /// pairs of frames, as a share.
    pub antialias_overhead: f64,
    /// Of a frame against its twin, in which each pixel is lit by the VPLs of all sets and nothing is filtered.
    pub filtered: Errors,
    /// Of the same frame without the filter.
    pub unfiltered: Errors,
}

impl Checks {
    /// * `rounds` — pairs of frames, at least 1.
    pub(super) fn of(stage: &StagedScene, igi: Igi, rounds: usize) -> Option<Self> {
        let frame = |igi: Igi| stage.shoot(&Algorithm::Igi(igi), 1);
        let twin = frame(twin_of(igi)).0;
        let against_twin = |filter: bool| Errors::of(&frame(Igi { filter, ..igi }).0, &twin);
        let seconds = |antialias: u32| frame(Igi { antialias, ..igi }).1.elapsed.as_secs_f64();
        let mut ratios: Vec<f64> = (0..rounds.max(1))
            .map(|round| {
                // Who comes second finds the caches warm
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
            filtered: against_twin(true)?,
            unfiltered: against_twin(false)?,
        })
    }
}

/// As many VPLs altogether, all of them for every pixel: what the filter tries to make of the interleaved ones.
fn twin_of(igi: Igi) -> Igi {
    Igi { vpls: igi.vpls * igi.interleave * igi.interleave, interleave: 1, filter: false, ..igi }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    fn stage() -> StagedScene {
        let scene = sunfleck_models::build("cornell").unwrap();
        StagedScene::set("cornell", &scene, Level::new(), [60, 60]).unwrap()
    }

    #[test]
    fn the_filter_brings_a_frame_nearer_to_its_twin() {
        let checks = Checks::of(&stage(), Igi { compensate: false, ..Igi::DEFAULT }, 1).unwrap();
        assert!(checks.filtered.rmse < 0.4 * checks.unfiltered.rmse, "{checks:?}");
        assert!(checks.filtered.flip < 0.8 * checks.unfiltered.flip, "{checks:?}");
        assert!(checks.antialias_overhead.is_finite(), "{checks:?}");
    }

    #[test]
    fn what_is_not_interleaved_is_its_own_twin() {
        let igi = Igi { interleave: 1, compensate: false, ..Igi::DEFAULT };
        let checks = Checks::of(&stage(), igi, 1).unwrap();
        assert_eq!(checks.unfiltered.rmse, 0.0, "{checks:?}");
    }
}
