use super::*;
use crate::testing::{Corner, mean_squared_error, randoms};

const SIZE: u32 = 96;

/// Returns the truth with independent noise, uniform with a standard deviation relative to the truth.
fn noisy(truth: &[Vec3], deviation: f32, seed: u64) -> Vec<Vec3> {
    let noise = randoms(seed).map(|u| (2.0 * u - 1.0) * 3f32.sqrt() * deviation);
    truth.iter().zip(noise).map(|(t, noise)| *t * (1.0 + noise)).collect()
}

/// Averages over 5×5 pixels, which removes noise and textures.
fn blurred(image: &[Vec3]) -> Vec<Vec3> {
    let size = SIZE as usize;
    let at = |x: usize, y: usize| image[y.min(size - 1) * size + x.min(size - 1)];
    let blur = |i: usize| {
        let near =
            (0..25).map(|k| at((i % size + k % 5).saturating_sub(2), (i / size + k / 5).saturating_sub(2)));
        near.sum::<Vec3>() / 25.0
    };
    (0..image.len()).map(blur).collect()
}

/// Errors of the noisy, the denoised and the combined image.
fn errors(truth: &[Vec3], deviation: f32, denoise: impl Fn(&[Vec3]) -> Vec<Vec3>) -> [f32; 3] {
    let [a, b] = [1, 2].map(|seed| noisy(truth, deviation, seed));
    let [denoised_a, denoised_b] = [denoise(&a), denoise(&b)];
    let mean =
        |a: &[Vec3], b: &[Vec3]| -> Vec<Vec3> { a.iter().zip(b).map(|(a, b)| (*a + *b) * 0.5).collect() };
    let halves = [Half { noisy: &a, denoised: &denoised_a }, Half { noisy: &b, denoised: &denoised_b }];
    let (raw, denoised) = (mean(&a, &b), mean(&denoised_a, &denoised_b));
    let combined = blend(SIZE, SIZE, halves, 1.0, &raw, &denoised).unwrap().image;
    [raw, denoised, combined].map(|image| mean_squared_error(&image, truth))
}

#[test]
fn a_good_denoiser_is_believed() {
    let truth = vec![Vec3::new(0.9, 0.5, 0.1); (SIZE * SIZE) as usize];
    let [raw, denoised, combined] = errors(&truth, 0.5, blurred);
    assert!(combined < 1.2 * denoised && combined < 0.06 * raw, "{raw}, {denoised}, {combined}");
}

#[test]
fn without_noise_nothing_changes() {
    let truth = Corner::new(SIZE, SIZE).truth;
    let blurred = blurred(&truth);
    let half = Half { noisy: &truth, denoised: &blurred };
    assert_eq!(blend(SIZE, SIZE, [half; 2], 1.0, &truth, &blurred).unwrap().image, truth);
}

#[test]
fn bias_is_noticed() {
    let truth = vec![Vec3::ONE; (SIZE * SIZE) as usize];
    let biased = |image: &[Vec3]| -> Vec<Vec3> { blurred(image).into_iter().map(|p| p * 0.8).collect() };
    let [raw, denoised, combined] = errors(&truth, 0.02, biased);
    assert!(combined < 1.02 * raw && combined < 0.01 * denoised, "{raw}, {denoised}, {combined}");
}

#[test]
fn it_is_as_good_as_the_better_image_at_every_noise() {
    let truth = Corner::new(SIZE, SIZE).truth;
    for deviation in [1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.001] {
        let [raw, denoised, combined] = errors(&truth, deviation, blurred);
        assert!(combined < 1.05 * raw.min(denoised), "{deviation}: {raw}, {denoised}, {combined}");
    }
}

#[test]
fn values_that_are_not_finite_or_huge_are_allowed() {
    let mut bad = vec![Vec3::ONE; (SIZE * SIZE) as usize];
    bad[5] = Vec3::splat(f32::MAX);
    bad[6] = Vec3::new(f32::NAN, f32::INFINITY, -f32::MAX);
    let good = vec![Vec3::ONE; bad.len()];
    let halves = [Half { noisy: &bad, denoised: &good }, Half { noisy: &good, denoised: &bad }];
    assert!(
        blend(SIZE, SIZE, halves, 1.0, &bad, &bad).unwrap().image.iter().all(|p| p.is_finite()),
        "finite"
    );
    let short = [Half { noisy: &bad[1..], denoised: &good }, Half { noisy: &good, denoised: &good }];
    assert!(blend(SIZE, SIZE, short, 1.0, &good, &good).is_err());
    assert!(blend(SIZE, SIZE, [short[1]; 2], 1.0, &good, &good[1..]).is_err());
}

#[test]
fn outliers_of_one_half_are_removed_and_highlights_of_both_are_kept() {
    let truth = vec![Vec3::ONE; (SIZE * SIZE) as usize];
    let [mut a, mut b] = [1, 2].map(|seed| noisy(&truth, 0.1, seed));
    let (outlier, highlight) = (20 * SIZE as usize + 20, 70 * SIZE as usize + 70);
    a[outlier] = Vec3::splat(400.0);
    (a[highlight], b[highlight]) = (Vec3::splat(199.0), Vec3::splat(201.0));
    let halves = [Half { noisy: &a, denoised: &truth }, Half { noisy: &b, denoised: &truth }];
    let noisy: Vec<Vec3> = a.iter().zip(&b).map(|(a, b)| (*a + *b) * 0.5).collect();
    let combined = blend(SIZE, SIZE, halves, 1.0, &noisy, &truth).unwrap().image;
    assert!(combined[outlier].x < 1.1, "{}", combined[outlier].x);
    assert!(combined[highlight].x > 190.0, "{}", combined[highlight].x);
}

/// The errors of both halves cancel for the most part, as those of stratified samples do.
#[test]
fn the_noise_of_stratified_halves_is_not_overestimated() {
    let truth = vec![Vec3::ONE; (SIZE * SIZE) as usize];
    let (common, rest) = (noisy(&truth, 0.1, 1), noisy(&truth, 0.05, 2));
    let half = |sign: f32| -> Vec<Vec3> {
        common.iter().zip(&rest).map(|(c, r)| *r + (*c - Vec3::ONE) * sign).collect()
    };
    let (a, b) = (half(1.0), half(-1.0));
    // The mean has the noise of `rest`, the half difference that of `common`: four times the variance
    let denoised = |image: &[Vec3]| -> Vec<Vec3> { blurred(image).into_iter().map(|p| p * 0.85).collect() };
    let (denoised_a, denoised_b) = (denoised(&a), denoised(&b));
    let halves = [Half { noisy: &a, denoised: &denoised_a }, Half { noisy: &b, denoised: &denoised_b }];
    let raw = mean_squared_error(&rest, &truth);
    let error = |noise_of_half_difference| {
        let combined = blend(SIZE, SIZE, halves, noise_of_half_difference, &rest, &denoised(&rest)).unwrap();
        mean_squared_error(&combined.image, &truth)
    };
    assert!(error(0.25) < raw, "{} of {raw}", error(0.25));
    assert!(error(1.0) > 1.05 * raw, "{} of {raw}: the test would not notice", error(1.0));
}

/// The estimate does not see the truth, with which the test compares it.
#[test]
fn the_residual_error_is_estimated() {
    let truth = Corner::new(SIZE, SIZE).truth;
    for (deviation, bias) in [(0.5, 1.0), (0.1, 1.0), (0.02, 1.0), (0.1, 0.9), (0.0, 1.0)] {
        let denoise =
            |image: &[Vec3]| -> Vec<Vec3> { blurred(image).into_iter().map(|p| p * bias).collect() };
        let [a, b] = [1, 2].map(|seed| noisy(&truth, deviation, seed));
        let [denoised_a, denoised_b] = [denoise(&a), denoise(&b)];
        let halves = [Half { noisy: &a, denoised: &denoised_a }, Half { noisy: &b, denoised: &denoised_b }];
        let raw: Vec<Vec3> = a.iter().zip(&b).map(|(a, b)| (*a + *b) * 0.5).collect();
        let denoised = denoise(&raw);
        let blended = blend(SIZE, SIZE, halves, 1.0, &raw, &denoised).unwrap();
        for (image, weights) in [(&denoised, [].as_slice()), (&blended.image, blended.weights.as_slice())] {
            let estimate = relative_error(SIZE, SIZE, halves, 1.0, image, weights).unwrap();
            let error = root_of_relative_error(image, &truth);
            assert!(
                estimate < 1.3 * error + 1e-3 && estimate > 0.7 * error - 1e-3,
                "{deviation}, {bias}: {estimate} of {error}"
            );
        }
    }
}

/// Root of the squared error of the luminance relative to the truth, averaged over blocks of 8×8 pixels.
fn root_of_relative_error(image: &[Vec3], truth: &[Vec3]) -> f32 {
    let size = SIZE as usize;
    let blocks = (size / 8) * (size / 8);
    let squared = |i: usize| (luminance(image[i] - truth[i]) / luminance(truth[i])).powi(2);
    let block = |k: usize| {
        let (x, y) = (k % (size / 8) * 8, k / (size / 8) * 8);
        let sum: f32 = (0..64).map(|j| squared((y + j / 8) * size + x + j % 8)).sum();
        (sum / 64.0).sqrt()
    };
    (0..blocks).map(block).sum::<f32>() / blocks as f32
}

#[test]
fn outliers_do_not_dominate_the_estimated_error() {
    let truth = vec![Vec3::ONE; (SIZE * SIZE) as usize];
    let [mut a, b] = [1, 2].map(|seed| noisy(&truth, 0.1, seed));
    a[20 * SIZE as usize + 20] = Vec3::splat(400.0);
    a[30 * SIZE as usize + 70] = Vec3::new(f32::NAN, f32::MAX, 0.0);
    let halves = [&a, &b].map(|noisy| Half { noisy, denoised: &truth });
    let error = relative_error(SIZE, SIZE, halves, 1.0, &truth, &[]).unwrap();
    assert!(error < 0.05, "{error} of a perfect image");
    assert!(relative_error(SIZE, SIZE, halves, 1.0, &truth[1..], &[]).is_err());
    assert!(relative_error(SIZE, SIZE, halves, 1.0, &truth, &[Weight::ONE]).is_err());
    // The difference of both overflows
    let [most, least] = [f32::MAX, -f32::MAX].map(|value| vec![Vec3::splat(value); truth.len()]);
    let half = Half { noisy: &most, denoised: &least };
    let nothing = vec![Weight { value: 0.0, variance: 0.0 }; truth.len()];
    assert!(relative_error(SIZE, SIZE, [half; 2], 1.0, &most, &nothing).unwrap().is_finite());
}
