use crate::normal_two_sided;

/// Probability that at least one value of a correct image is rejected.
const SIGNIFICANCE: f64 = 0.01;
/// Fraction of the values that must be accepted.
const LEAST_ACCEPTED: f64 = 0.9975;
/// Relative difference by rounding between two f32 computations that differ only in their order.
const ROUNDING: f64 = 1e-5;

/// Result of comparing an image with a reference; see [`image_z_test`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageZTest {
    /// Fraction of the values whose difference can be explained by noise.
    pub accepted: f64,
    /// Index of the value with the largest z-score.
    pub worst: usize,
    /// z-score of the worst value: by how many standard deviations it is above the reference.
    pub worst_z: f64,
    /// z-score of the sum of all values. It reveals a bias that is too faint to show in single values.
    pub total_z: f64,
}

/// Tests each value of an image against a reference by a two-sided z-test, after Mitsuba's `test_renders.py`.
///
/// * `estimate`, `reference` — values of both images, such as colour channels: equally many, in the same
///   order.
/// * `variance` — variance of the *difference* of each pair: the sum of the variances of both means. Values must be
///   independent of each other for `total_z` to be valid.
///
/// The significance of 1 % is shared by all values (Šidák's correction), so that usually no value of a correct image is
/// rejected. NaN is always rejected; differences by rounding are accepted.
///
/// # Panics
/// If the lengths differ.
pub fn image_z_test(estimate: &[f32], reference: &[f32], variance: &[f32]) -> ImageZTest {
    assert_eq!(estimate.len(), reference.len(), "estimate and reference must have the same length");
    assert_eq!(estimate.len(), variance.len(), "estimate and variance must have the same length");
    let significance = 1.0 - (1.0 - SIGNIFICANCE).powf(1.0 / estimate.len().max(1) as f64);
    let mut result = ImageZTest { accepted: 1.0, worst: 0, worst_z: 0.0, total_z: 0.0 };
    let (mut accepted, mut total_difference, mut total_variance) = (0_u32, 0.0, 0.0);
    for (i, ((&estimate, &reference), &variance)) in estimate.iter().zip(reference).zip(variance).enumerate()
    {
        let (reference, variance) = (f64::from(reference), f64::from(variance));
        let difference = f64::from(estimate) - reference;
        let z = z_score(difference, variance + (ROUNDING * reference).powi(2));
        // False for NaN
        if normal_two_sided(z) > significance {
            accepted += 1;
        }
        if z.is_nan() || z.abs() > result.worst_z.abs() {
            (result.worst, result.worst_z) = (i, z);
        }
        total_difference += difference;
        total_variance += variance + (ROUNDING * reference).powi(2);
    }
    if !estimate.is_empty() {
        result.accepted = f64::from(accepted) / estimate.len() as f64;
    }
    result.total_z = z_score(total_difference, total_variance);
    result
}

fn z_score(difference: f64, variance: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference / variance.sqrt() }
}

impl ImageZTest {
    /// Asserts that noise explains at least 99.75 % of the values, and, at a significance of 1 %, their sum.
    ///
    /// # Panics
    /// If the image differs from its reference by more than noise.
    #[track_caller]
    pub fn check(&self, name: &str) {
        let total_p_value = normal_two_sided(self.total_z);
        assert!(
            self.accepted >= LEAST_ACCEPTED && total_p_value > SIGNIFICANCE,
            "{name} differs from its reference by more than noise: {self:?}, p-value of the total {total_p_value:.2e}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const PIXELS: usize = 10_000;
    const SAMPLES: usize = 64;

    /// Returns means of uniform numbers scaled by a ramp, their expected values, and their variances.
    fn noisy_ramp(bias: f32) -> [Vec<f32>; 3] {
        let mut random = Random::new(6);
        let ramp = |i: usize| 0.1 + i as f32 / PIXELS as f32;
        let mean =
            |random: &mut Random| (0..SAMPLES).map(|_| random.next_f32()).sum::<f32>() / SAMPLES as f32;
        let estimate = (0..PIXELS).map(|i| ramp(i) * (mean(&mut random) + bias)).collect();
        let reference = (0..PIXELS).map(|i| ramp(i) * 0.5).collect();
        let variance = (0..PIXELS).map(|i| ramp(i).powi(2) / 12.0 / SAMPLES as f32).collect();
        [estimate, reference, variance]
    }

    #[test]
    fn noise_is_accepted() {
        let [estimate, reference, variance] = noisy_ramp(0.0);
        let result = image_z_test(&estimate, &reference, &variance);
        result.check("noise");
        assert_eq!(result.accepted, 1.0, "{result:?}");
    }

    #[test]
    fn faint_bias_shows_in_the_total_alone() {
        // 1 % of the mean, a quarter of a pixel's standard deviation
        let [estimate, reference, variance] = noisy_ramp(0.005);
        let result = image_z_test(&estimate, &reference, &variance);
        assert!(result.accepted > LEAST_ACCEPTED && result.total_z > 5.0, "{result:?}");
    }

    #[test]
    fn local_error_shows_in_the_accepted_fraction() {
        let [mut estimate, reference, variance] = noisy_ramp(0.0);
        // Opposite errors, so the total is right
        for pair in estimate[5000..5040].chunks_mut(2) {
            pair[0] += 0.3;
            pair[1] -= 0.3;
        }
        let result = image_z_test(&estimate, &reference, &variance);
        assert!(result.accepted < LEAST_ACCEPTED && (5000..5040).contains(&result.worst), "{result:?}");
    }

    #[test]
    #[should_panic(expected = "differs from its reference by more than noise")]
    fn check_panics() {
        image_z_test(&[1.0, 2.0], &[1.0, 1.0], &[0.01, 0.01]).check("wrong");
    }

    #[test]
    fn special_values() {
        let equal = image_z_test(&[0.0, 1.0, 1.000_001], &[0.0, 1.0, 1.0], &[0.0; 3]);
        assert_eq!(equal.accepted, 1.0, "without variance, equal up to rounding: {equal:?}");
        let unequal = image_z_test(&[0.0, 1.001], &[0.0, 1.0], &[0.0; 2]);
        assert_eq!((unequal.accepted, unequal.worst), (0.5, 1), "without variance, unequal: {unequal:?}");
        let nan = image_z_test(&[f32::NAN, 1.0], &[0.0, 1.0], &[1.0; 2]);
        assert_eq!((nan.accepted, nan.worst), (0.5, 0), "NaN: {nan:?}");
        assert_eq!(image_z_test(&[], &[], &[]).accepted, 1.0, "empty images");
    }
}
