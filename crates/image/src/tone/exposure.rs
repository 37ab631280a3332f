use crate::color::luminance;
use crate::picture::Picture;
use sunfleck_math::log2;

/// What a picture's mean is brought to: the grey that photographers meter for.
const MIDDLE_GREY: f32 = 0.18;

/// The exposure, in stops, that brings the log-average luminance [Reinhard02, Eq. 1] of a picture to a middle grey.
///
/// Pixels without light do not count; 0 for a picture that has no others. The log-average takes small bright lamps and
/// dark corners for what they are: few.
pub fn automatic_exposure(picture: &Picture) -> f32 {
    let lit = picture.pixels().iter().map(|&rgb| luminance(rgb)).filter(|y| *y > 0.0 && y.is_finite());
    let (count, sum) = lit.fold((0u64, 0.0f64), |(count, sum), y| (count + 1, sum + f64::from(log2(y))));
    if count == 0 {
        return 0.0;
    }
    #[allow(clippy::cast_possible_truncation, reason = "stops need no more")]
    let mean = (sum / count as f64) as f32;
    log2(MIDDLE_GREY) - mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::Vec3;

    #[test]
    fn grey_stays_and_half_of_it_takes_a_stop() {
        let of = |value: f32| automatic_exposure(&Picture::new(1, 1, vec![Vec3::splat(value)]).unwrap());
        assert!(of(0.18).abs() < 1e-5 && (of(0.09) - 1.0).abs() < 1e-5 && (of(0.72) + 2.0).abs() < 1e-5);
        assert_eq!(of(0.0), 0.0);
    }

    #[test]
    fn a_lamp_and_black_pixels_do_not_matter_much() {
        let mut pixels = vec![Vec3::splat(0.18); 1000];
        pixels.push(Vec3::splat(1000.0));
        pixels.extend([Vec3::ZERO; 99]);
        let stops = automatic_exposure(&Picture::new(1100, 1, pixels).unwrap());
        assert!(stops.abs() < 0.05, "{stops}");
    }
}
