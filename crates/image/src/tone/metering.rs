//! Metering: the log-average luminance of an image, by a histogram, and the exposure that follows from it.

use crate::color::luminance;
use crate::picture::Picture;
use sunfleck_constants::film::{LUMINANCE_BINS, LUMINANCE_PART_BITS, LUMINANCE_SHIFT};
use sunfleck_math::log2;

/// Middle grey, to which the exposure maps the metered luminance.
const MIDDLE_GREY: f32 = 0.18;

/// Selection of pixels for metering. Black pixels and those that are not finite are always ignored.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Metering {
    /// Fraction of the darkest pixels to ignore, such as corners and edges of a black background.
    pub darkest: f32,
    /// Fraction of the brightest pixels to ignore, such as lamps, highlights and fireflies.
    pub brightest: f32,
}

impl Default for Metering {
    fn default() -> Self {
        Self { darkest: 0.10, brightest: 0.05 }
    }
}

/// Luminance histogram with eight bins per octave; black pixels and those that are not finite are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct LuminanceHistogram(Vec<Bin>);

/// Bin of a [`LuminanceHistogram`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    /// Number of pixels.
    count: u64,
    /// Sum of the luminances of the pixels.
    sum: f64,
}

impl LuminanceHistogram {
    /// Builds the histogram of an image.
    pub fn new(picture: &Picture) -> Self {
        let mut bins = vec![Bin::default(); LUMINANCE_BINS as usize];
        let luminances = picture.pixels().iter().map(|&rgb| luminance(rgb));
        for y in luminances.filter(|y| *y > 0.0 && y.is_finite()) {
            let bin = &mut bins[(y.to_bits() >> LUMINANCE_SHIFT) as usize];
            bin.count += 1;
            bin.sum += f64::from(y);
        }
        Self(bins)
    }

    /// Builds the histogram from the counters of the GPU: for each bin the number of pixels, and the sum of their
    /// offsets from the start of the bin, in units of 2 to the power of `-LUMINANCE_PART_BITS` of its width.
    pub fn from_parts(bins: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let bin = |(number, [count, parts]): (u32, [u32; 2])| {
            let low = f32::from_bits(number << LUMINANCE_SHIFT);
            // The width of a part is its distance to the second part, since the last bin ends at infinity
            let second =
                f32::from_bits((number << LUMINANCE_SHIFT) + (1 << (LUMINANCE_SHIFT - LUMINANCE_PART_BITS)));
            let [low, second] = [low, second].map(f64::from);
            let part = second - low;
            // On average, a pixel is in the middle of its part
            let sum = f64::from(count) * (low + 0.5 * part) + f64::from(parts) * part;
            Bin { count: count.into(), sum }
        };
        Self((0..LUMINANCE_BINS).zip(bins).map(bin).collect())
    }

    /// Returns the base-2 logarithm of the log-average luminance [Reinhard02, Eq. 1] of the selected pixels; `None`
    /// if there are none.
    ///
    /// In contrast to the paper, which adds a small value to the luminance of all pixels, black pixels are left out.
    pub fn meter(&self, metering: Metering) -> Option<f32> {
        let total = self.0.iter().map(|bin| bin.count).sum::<u64>() as f64;
        let (from, to) = (f64::from(metering.darkest) * total, (1.0 - f64::from(metering.brightest)) * total);
        let (mut rank, mut weights, mut sum) = (0.0, 0.0, 0.0);
        for bin in self.0.iter().filter(|bin| bin.count > 0) {
            let count = bin.count as f64;
            // A bin at a limit is weighted by the number of its pixels within the limit, so that the mean is
            // continuous when pixels change bins
            let weight = ((rank + count).min(to) - f64::max(rank, from)).max(0.0);
            rank += count;
            weights += weight;
            sum += weight * f64::from(bin.log2_mean());
        }
        #[allow(clippy::cast_possible_truncation, reason = "f32 is sufficient for stops")]
        (weights > 0.0).then(|| (sum / weights) as f32)
    }
}

impl Bin {
    /// Returns the base-2 logarithm of the mean luminance. Within an eighth of an octave it differs from the mean of
    /// the logarithms by at most a thousandth of a stop, and no logarithm per pixel is needed.
    fn log2_mean(&self) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "between the luminances of its pixels")]
        log2((self.sum / self.count as f64) as f32)
    }
}

/// Returns [`LuminanceHistogram::meter`] of an image.
pub fn meter(picture: &Picture, metering: Metering) -> Option<f32> {
    LuminanceHistogram::new(picture).meter(metering)
}

/// Returns the exposure, in stops, that maps a metered luminance to middle grey.
pub fn exposure_of(metered: f32) -> f32 {
    log2(MIDDLE_GREY) - metered
}

/// Returns the exposure, in stops, that maps the luminance of an image, metered with the default [`Metering`], to
/// middle grey; 0 for a black image.
pub fn automatic_exposure(picture: &Picture) -> f32 {
    meter(picture, Metering::default()).map_or(0.0, exposure_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sunfleck_math::{Vec3, exp2};

    fn picture(pixels: Vec<Vec3>) -> Picture {
        Picture::new(u32::try_from(pixels.len()).unwrap(), 1, pixels).unwrap()
    }

    fn greys(stops: impl IntoIterator<Item = f32>) -> Picture {
        picture(stops.into_iter().map(|s| Vec3::splat(exp2(s))).collect())
    }

    const ALL: Metering = Metering { darkest: 0.0, brightest: 0.0 };

    #[test]
    fn halving_the_luminance_adds_a_stop() {
        let of = |value: f32| automatic_exposure(&picture(vec![Vec3::splat(value)]));
        assert!(of(0.18).abs() < 1e-5 && (of(0.09) - 1.0).abs() < 1e-5 && (of(0.72) + 2.0).abs() < 1e-5);
        assert_eq!(of(0.0), 0.0);
    }

    #[test]
    fn the_darkest_and_brightest_pixels_are_ignored() {
        let ramp = || {
            (0..100).map(|i| {
                if i < 30 {
                    -8.0
                } else if i < 90 {
                    1.0
                } else {
                    20.0
                }
            })
        };
        let of = |darkest, brightest| meter(&greys(ramp()), Metering { darkest, brightest }).unwrap();
        assert!((of(0.3, 0.1) - 1.0).abs() < 1e-5);
        assert!((of(0.0, 0.1) - (60.0 - 8.0 * 30.0) / 90.0).abs() < 1e-4);
        assert!((of(0.3, 0.05) - (60.0 + 20.0 * 5.0) / 65.0).abs() < 1e-4, "half of the brightest bin");
        assert!(
            meter(&greys(ramp()), Metering { darkest: 0.6, brightest: 0.5 }).is_none(),
            "no pixels are left"
        );
    }

    #[test]
    fn fireflies_black_pixels_and_nan_are_ignored() {
        let plain = vec![Vec3::splat(0.18); 1000];
        let mut odd = plain.clone();
        odd.extend([Vec3::splat(1e30); 20]);
        odd.extend(vec![Vec3::ZERO; 5000]);
        odd.extend([Vec3::NAN, Vec3::INFINITY, Vec3::splat(-3.0), Vec3::splat(f32::MAX)]);
        assert!(automatic_exposure(&picture(odd)).abs() < 1e-5);
        assert_eq!(meter(&picture(vec![Vec3::ZERO, Vec3::NAN]), ALL), None);
    }

    #[test]
    fn gpu_counters_give_the_same_metering() {
        let stops = (0..3000).map(|i| (i % 97) as f32 * 0.13 - 6.0);
        // Including the largest luminance
        let picture = greys(stops.chain([127.99]));
        let mut bins = vec![[0u32; 2]; LUMINANCE_BINS as usize];
        for y in picture.pixels().iter().map(|&rgb| luminance(rgb).to_bits()) {
            let bin = &mut bins[(y >> LUMINANCE_SHIFT) as usize];
            let parts = y << (32 - LUMINANCE_SHIFT) >> (32 - LUMINANCE_PART_BITS);
            *bin = [bin[0] + 1, bin[1] + parts];
        }
        let found = LuminanceHistogram::from_parts(bins).meter(Metering::default()).unwrap();
        let expected = meter(&picture, Metering::default()).unwrap();
        assert!((found - expected).abs() < 1e-3, "{found}, not {expected}");
    }

    proptest! {
        #[test]
        fn the_mean_of_the_logarithms(stops in proptest::collection::vec(-12.0f32..12.0, 1..200)) {
            let mean = stops.iter().sum::<f32>() / stops.len() as f32;
            let found = meter(&greys(stops), ALL).unwrap();
            prop_assert!((found - mean).abs() < 2e-3, "{found} {mean}");
        }

        #[test]
        fn metering_follows_the_exposure(
            stops in proptest::collection::vec(-12.0f32..12.0, 1..200), by in -20i32..20,
        ) {
            let before = meter(&greys(stops.iter().copied()), Metering::default()).unwrap();
            let after = meter(&greys(stops.iter().map(|s| s + by as f32)), Metering::default()).unwrap();
            prop_assert!((after - before - by as f32).abs() < 3e-3);
        }
    }
}
