use std::time::Duration;

use sunfleck_image::exposure_of;
use sunfleck_math::exp;

/// Settings of an [`AutoExposure`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExposureSettings {
    /// Compensation, which is added to the exposure that maps the mean to middle grey.
    pub compensation_stops: f32,
    /// Time constant of brightening, when the scene has become darker; longer than that of darkening, as in human eyes.
    pub brighten: Duration,
    /// Time constant of darkening, when the scene has become brighter.
    pub darken: Duration,
    /// Dead band: smaller differences are ignored.
    pub dead_band_stops: f32,
    /// Minimum and maximum exposure.
    pub range_stops: [f32; 2],
}

impl Default for ExposureSettings {
    fn default() -> Self {
        Self {
            compensation_stops: 0.0,
            brighten: Duration::from_millis(800),
            darken: Duration::from_millis(400),
            dead_band_stops: 0.25,
            range_stops: [-16.0, 16.0],
        }
    }
}

/// Automatic exposure over a sequence of frames: it follows the light of the scene smoothly, and ignores noise.
///
/// The exposure is constant until the metered exposure of a frame leaves the dead band. Then it moves towards the
/// metered exposure of each frame, as eyes adapt [Pattanaik00, exponential decay], and stops within 0.4 dead bands of
/// it. It stays there as long as frames differ from each other by less than the remaining 0.6 dead bands: noise of ±5 %
/// is 0.145 stops, and the default dead band allows for 0.15. The exposure never overshoots, and the time that it takes
/// does not depend on the frame rate: 4 stops take 3.7 time constants. A change smaller than the dead band is followed
/// late, when noise adds to it, or never.
///
/// ```
/// use std::time::Duration;
/// use sunfleck_engine::AutoExposure;
/// use sunfleck_image::{Metering, Picture, meter};
/// use sunfleck_math::Vec3;
///
/// let mut exposure = AutoExposure::default();
/// let mut show = |light: f32| {
///     let frame = Picture::new(1, 1, vec![Vec3::splat(light)]).expect("one pixel");
///     exposure.update(meter(&frame, Metering::default()), Duration::from_millis(20))
/// };
/// assert!(show(0.18).abs() < 1e-5, "the first frame is exposed at once");
/// let lamp_on = show(1.8);
/// assert!(lamp_on < 0.0 && lamp_on > -1.0, "later changes are followed gradually");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutoExposure {
    settings: ExposureSettings,
    /// `None` before the first frame with light.
    stops: Option<f32>,
    moving: bool,
}

/// Fraction of the dead band within which a movement ends.
const REST: f32 = 0.4;

impl AutoExposure {
    /// Returns the state before the first frame.
    pub fn new(settings: ExposureSettings) -> Self {
        Self { settings, stops: None, moving: false }
    }

    /// Updates and returns the exposure for the next frame, in stops.
    ///
    /// * `metered` — result of [`meter`](sunfleck_image::meter) for that frame; `None`, the result for a black frame,
    ///   changes nothing.
    /// * `elapsed` — time since the previous frame.
    pub fn update(&mut self, metered: Option<f32>, elapsed: Duration) -> f32 {
        if let Some(goal) = metered.filter(|m| m.is_finite()).map(|m| self.goal(m)) {
            let stops = match self.stops {
                None => goal,
                Some(stops) => self.step(stops, goal, elapsed),
            };
            self.stops = Some(stops);
        }
        self.stops()
    }

    /// Returns the exposure of the last frame; the compensation alone before the first frame with light.
    pub fn stops(&self) -> f32 {
        self.stops.unwrap_or(self.settings.compensation_stops)
    }

    /// Resets the exposure after a cut: that of the next frame is set at once.
    pub fn cut(&mut self) {
        *self = Self::new(self.settings);
    }

    fn goal(&self, metered: f32) -> f32 {
        let [least, most] = self.settings.range_stops;
        (exposure_of(metered) + self.settings.compensation_stops).max(least).min(most)
    }

    fn step(&mut self, stops: f32, goal: f32, elapsed: Duration) -> f32 {
        let ExposureSettings { brighten, darken, dead_band_stops: band, .. } = self.settings;
        let away = goal - stops;
        self.moving = away.abs() > if self.moving { REST * band } else { band };
        if !self.moving {
            return stops;
        }
        let constant = if away > 0.0 { brighten } else { darken };
        let left = match constant.is_zero() {
            true => 0.0,
            false => exp(-elapsed.as_secs_f32() / constant.as_secs_f32()),
        };
        goal - away * left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAME: Duration = Duration::from_millis(16);

    /// Metered value of an image that needs this exposure, in stops.
    fn wants(stops: f32) -> Option<f32> {
        Some(exposure_of(0.0) - stops)
    }

    fn settled(stops: f32) -> AutoExposure {
        let mut exposure = AutoExposure::default();
        exposure.update(wants(stops), FRAME);
        exposure
    }

    #[test]
    fn black_frames_and_invalid_values_do_not_change_the_exposure() {
        let mut exposure = AutoExposure::default();
        assert_eq!(exposure.update(None, FRAME), 0.0, "no frame had light yet");
        let first = exposure.update(wants(3.0), FRAME);
        assert!((first - 3.0).abs() < 1e-6, "the first light is exposed at once: {first}");
        for odd in [None, Some(f32::NAN), Some(f32::INFINITY), Some(f32::NEG_INFINITY)] {
            assert_eq!(exposure.update(odd, FRAME), first, "{odd:?}");
        }
    }

    #[test]
    fn a_cut_is_exposed_at_once() {
        let mut exposure = settled(3.0);
        exposure.cut();
        assert!((exposure.update(wants(-5.0), FRAME) + 5.0).abs() < 1e-6);
    }

    #[test]
    fn the_exposure_is_clamped_to_its_range() {
        let settings = ExposureSettings { range_stops: [-1.0, 2.0], ..ExposureSettings::default() };
        for (wanted, shown) in [(9.0, 2.0), (-9.0, -1.0), (0.5, 0.5)] {
            let found = AutoExposure::new(settings).update(wants(wanted), FRAME);
            assert!((found - shown).abs() < 1e-6, "{wanted}: {found}");
        }
    }

    #[test]
    fn darkening_is_faster_than_brightening() {
        let after = |step| settled(0.0).update(wants(step), Duration::from_millis(100)).abs();
        assert!(after(-4.0) > 1.5 * after(4.0));
    }

    #[test]
    fn without_time_constants_it_follows_at_once() {
        let zero = Duration::ZERO;
        let mut exposure =
            AutoExposure::new(ExposureSettings { brighten: zero, darken: zero, ..Default::default() });
        exposure.update(wants(0.0), zero);
        assert!((exposure.update(wants(2.0), zero) - 2.0).abs() < 1e-6);
    }

    proptest! {
        /// Light with noise of ±5 %, after no step or a step that exceeds the dead band despite the noise.
        #[test]
        fn noise_does_not_change_the_exposure(
            permille in proptest::collection::vec(-50i16..=50, 300..400),
            hundredths in prop_oneof![Just(0i16), 35i16..400, -400i16..-35],
            frame_millis in 16u64..200,
        ) {
            let mut exposure = settled(0.0);
            let step = f32::from(hundredths) / 100.0;
            let elapsed = Duration::from_millis(frame_millis);
            let mut frame = |permille: i16| {
                let light = 1.0 + f32::from(permille) / 1000.0;
                exposure.update(wants(step - sunfleck_math::log2(light)), elapsed)
            };
            // Four time constants, and some more for the noise
            let settling = usize::try_from(4 * 800 / frame_millis + 20).unwrap();
            let rest: Vec<f32> = permille.into_iter().map(&mut frame).skip(settling).collect();
            for stops in &rest {
                prop_assert!((stops - rest[0]).abs() < 0.01, "{stops} after {}", rest[0]);
                prop_assert!((stops - step).abs() < 0.25 + 0.08);
            }
        }

        #[test]
        fn a_step_is_followed_without_overshoot_and_in_time(
            up in any::<bool>(), frame_millis in 1u64..500,
        ) {
            let (step, constant) = if up { (4.0, 800) } else { (-4.0f32, 400) };
            let mut exposure = settled(0.0);
            let (mut time, mut before) = (0, 0.0);
            while time < 4 * constant {
                let stops = exposure.update(wants(step), Duration::from_millis(frame_millis)) * step.signum();
                prop_assert!(stops >= before && stops <= 4.0 + 1e-5, "{stops} after {before}");
                (before, time) = (stops, time + frame_millis);
            }
            prop_assert!(before >= 4.0 - 0.1 - 1e-5, "{before} after four time constants");
        }

        #[test]
        fn the_number_of_frames_does_not_matter(step in 1.0f32..8.0, parts in 1u32..20) {
            let time = Duration::from_millis(300);
            let whole = settled(0.0).update(wants(step), time);
            let mut exposure = settled(0.0);
            for _ in 0..parts {
                exposure.update(wants(step), time / parts);
            }
            prop_assert!((exposure.stops() - whole).abs() < 1e-4);
        }
    }
}
