//! Adaptive sampling: pixels of large relative error get more samples than others.
//!
//! A pilot of [`PILOT`] samples per pixel estimates the relative standard deviation r of one sample. For a given sum of
//! samples, the mean relative error `mean(r / √n)` is least if n is proportional to r^(2/3) in each pixel.
//!
//! The mean over pilot and later samples is biased if the number of samples of a pixel depends on its own pilot
//! [Kirk91]: the error of a pilot that is too bright would be diluted by more samples than that of one that is too dark.
//! Therefore r is estimated from the *neighbours* of a pixel, whose samples are independent of its own, or nearly so with
//! the sampler `blue-noise`. Only the factor of proportionality, one number for the whole image, depends on all samples.

use sunfleck_image::Film;

/// Number of samples per pixel of the pilot.
pub(crate) const PILOT: u32 = 16;
/// Half width of the square of neighbours, pixels.
const RADIUS: u32 = 2;
/// Factor of the sum of samples at which a step ends, so that the noise is measured again. A step may exceed it by one
/// doubling of pixels of equal weight.
const GROWTH: f64 = 2.0;
/// Smallest weight relative to the mean: pixels whose neighbours are black in the pilot are sampled, too.
const LEAST_WEIGHT: f32 = 0.1;

/// Relative numbers of samples of the pixels of an image.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// r^(2/3) of each pixel, relative to the mean.
    weights: Vec<f32>,
}

impl Allocation {
    /// Estimates the weights from the pilot samples of a film.
    pub(crate) fn new(pilot: &Film) -> Self {
        let (width, height) = (pilot.width(), pilot.height());
        let deviations = pilot.relative_deviations();
        let weight = |x: u32, y: u32| {
            let (mut sum, mut count) = (0.0, 0u32);
            for ny in y.saturating_sub(RADIUS)..height.min(y + RADIUS + 1) {
                for nx in x.saturating_sub(RADIUS)..width.min(x + RADIUS + 1) {
                    if (nx, ny) != (x, y) {
                        sum += deviations[ny as usize * width as usize + nx as usize];
                        count += 1;
                    }
                }
            }
            let deviation = sum / count.max(1) as f32;
            sunfleck_math::pow(deviation, 2.0 / 3.0)
        };
        let mut weights: Vec<f32> =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| weight(x, y)).collect();
        let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / weights.len() as f64;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let mean = mean as f32;
        if mean > 0.0 && mean.is_finite() {
            weights.iter_mut().for_each(|weight| *weight = (*weight / mean).max(LEAST_WEIGHT));
        } else {
            weights.fill(1.0);
        }
        Self { weights }
    }

    /// Returns the number of samples that each pixel shall have so that the noise reaches `goal`, or a step towards it.
    /// Numbers are powers of two, of which sequences of low discrepancy are stratified best, or `most`.
    ///
    /// * `film` — all samples so far.
    /// * `most` — largest number of samples of a pixel, at least [`PILOT`].
    pub(crate) fn next(&self, film: &Film, goal: f32, most: u32) -> Vec<u32> {
        let deviations = film.relative_deviations();
        let gain = f64::from(film.stratification_gain());
        let pixels = self.weights.len();
        let have: Vec<u32> = (0..film.height())
            .flat_map(|y| (0..film.width()).map(move |x| (x, y)))
            .map(|(x, y)| film.samples(x, y))
            .collect();
        let number = |i: usize, scale: f64| {
            power_of_two(scale * f64::from(self.weights[i])).clamp(PILOT, most).max(have[i])
        };
        let noise = |scale: f64| {
            let error = |i: usize| f64::from(deviations[i]) / f64::from(number(i, scale)).sqrt();
            (0..pixels).map(error).sum::<f64>() / pixels as f64 * gain
        };
        let total = |scale: f64| (0..pixels).map(|i| f64::from(number(i, scale))).sum::<f64>();
        let limit = GROWTH * have.iter().map(|&n| f64::from(n)).sum::<f64>();
        // Bisection of the scale, in octaves
        let (mut low, mut high) = (0.0f32, 32.0);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            let scale = f64::from(sunfleck_math::exp2(middle));
            if noise(scale) > f64::from(goal) && total(scale) < limit {
                low = middle;
            } else {
                high = middle;
            }
        }
        let scale = f64::from(sunfleck_math::exp2(high));
        (0..pixels).map(|i| number(i, scale)).collect()
    }
}

/// Returns the nearest power of two on a logarithmic scale.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [1, 2³⁰]")]
fn power_of_two(x: f64) -> u32 {
    let x = x.clamp(1.0, f64::from(1u32 << 30));
    let below = 1 << (x as u32).ilog2();
    if x > f64::from(below) * std::f64::consts::SQRT_2 { 2 * below } else { below }
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{AovSet, PixelSample, TileRect};
    use sunfleck_math::{Vec3, pow};
    use sunfleck_sampling::rng;

    use super::*;

    const EDGE: u32 = 10;

    /// Adds the samples up to number `targets` of each pixel, with heavy tails: `u^(-0.4) - 1`, of mean 2/3. Pixels at the
    /// right are darker.
    fn add(film: &mut Film, seed: u32, targets: &[u32]) {
        let rect = TileRect { x0: 0, y0: 0, x1: EDGE, y1: EDGE };
        let mut tile = film.tile(rect);
        for ((x, y), &target) in rect.pixels().zip(targets) {
            for sample in film.samples(x, y)..target {
                let u = 1.0 - rng::uniform([x, y, sample, seed]);
                let radiance = (pow(u, -0.4) - 1.0) / (1.0 + x as f32);
                tile.add(x, y, &PixelSample { radiance: Vec3::splat(radiance), ..PixelSample::default() });
            }
        }
        film.put(tile).unwrap();
    }

    /// The tails are so heavy that numbers of samples chosen by each pixel's own pilot would lose 1 to 2 % of the light.
    #[test]
    fn pixels_are_unbiased() {
        const IMAGES: u32 = 400;
        let mut sum = 0.0;
        for seed in 0..IMAGES {
            let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
            add(&mut film, seed, &[PILOT; (EDGE * EDGE) as usize]);
            let allocation = Allocation::new(&film);
            for goal in [0.2, 0.1] {
                let targets = allocation.next(&film, goal, 1 << 12);
                add(&mut film, seed, &targets);
            }
            let radiance = film.radiance();
            let relative =
                |x: u32, y: u32| f64::from(radiance.pixel(x, y).x * (1.0 + x as f32)) / (2.0 / 3.0);
            sum += (0..EDGE * EDGE).map(|i| relative(i % EDGE, i / EDGE)).sum::<f64>();
        }
        let mean = sum / f64::from(IMAGES * EDGE * EDGE);
        assert!((mean - 1.0).abs() < 0.007, "{mean}");
    }

    /// Only three of ten columns are noisy: uniform samples would need three times as many.
    #[test]
    fn samples_go_where_the_noise_is() {
        let rect = TileRect { x0: 0, y0: 0, x1: EDGE, y1: EDGE };
        let add = |film: &mut Film, targets: &[u32]| {
            let mut tile = film.tile(rect);
            for ((x, y), &target) in rect.pixels().zip(targets) {
                for i in tile.samples(x, y)..target {
                    let noisy = 2.0 * rng::uniform([x, y, i, 3]);
                    let radiance = Vec3::splat(if x < 3 { noisy } else { 1.0 });
                    tile.add(x, y, &PixelSample { radiance, ..PixelSample::default() });
                }
            }
            film.put(tile).unwrap();
        };
        let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
        add(&mut film, &[PILOT; (EDGE * EDGE) as usize]);
        let allocation = Allocation::new(&film);
        while film.noise() > 0.01 {
            let targets = allocation.next(&film, 0.01, 1 << 12);
            add(&mut film, &targets);
        }
        let mean = f64::from((0..EDGE * EDGE).map(|i| film.samples(i % EDGE, i / EDGE)).sum::<u32>()) / 100.0;
        // 0.3 · (1 / √3) / √n = 0.01
        let uniform = 300.0;
        assert!(mean < 0.6 * uniform, "{mean} instead of {uniform}");
    }

    #[test]
    fn numbers_are_powers_of_two_between_the_pilot_and_the_most() {
        let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
        add(&mut film, 1, &[PILOT; (EDGE * EDGE) as usize]);
        let allocation = Allocation::new(&film);
        let targets = allocation.next(&film, 0.01, 1 << 12);
        assert!(targets.iter().all(|n| n.is_power_of_two() && (PILOT..=1 << 12).contains(n)), "{targets:?}");
        let total: u32 = targets.iter().sum();
        assert!(total <= 3 * PILOT * EDGE * EDGE, "a step at a time: {total}");
        assert_eq!(
            allocation.next(&film, 1e9, 1 << 12),
            vec![PILOT; (EDGE * EDGE) as usize],
            "clean already"
        );
        assert_eq!(
            allocation.next(&film, 1e-9, PILOT),
            vec![PILOT; (EDGE * EDGE) as usize],
            "no more are allowed"
        );
        assert_eq!([1.0, 1.4, 1.5, 2.7, 2.9, 1e30].map(power_of_two), [1, 1, 2, 2, 4, 1 << 30]);
    }

    #[test]
    fn a_noisy_pixel_among_black_ones_is_sampled() {
        let rect = TileRect { x0: 0, y0: 0, x1: EDGE, y1: EDGE };
        let add = |film: &mut Film, targets: &[u32]| {
            let mut tile = film.tile(rect);
            for ((x, y), &target) in rect.pixels().zip(targets) {
                for i in tile.samples(x, y)..target {
                    let radiance = if (x, y) == (4, 4) && i % 2 == 0 { Vec3::ONE } else { Vec3::ZERO };
                    tile.add(x, y, &PixelSample { radiance, ..PixelSample::default() });
                }
            }
            film.put(tile).unwrap();
        };
        let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
        add(&mut film, &[PILOT; (EDGE * EDGE) as usize]);
        let (allocation, noise) = (Allocation::new(&film), film.noise());
        for _ in 0..8 {
            let targets = allocation.next(&film, 0.4 * noise, 1 << 12);
            add(&mut film, &targets);
        }
        assert!(film.samples(4, 4) > PILOT && film.noise() <= 0.4 * noise, "{}", film.samples(4, 4));
    }

    #[test]
    fn black_images_need_no_samples() {
        let film = Film::new(3, 2, AovSet::EMPTY);
        let allocation = Allocation { weights: vec![1.0; 6] };
        let mut black = film.clone();
        let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 3, y1: 2 });
        tile.rect()
            .pixels()
            .for_each(|(x, y)| (0..PILOT).for_each(|_| tile.add(x, y, &PixelSample::default())));
        black.put(tile).unwrap();
        assert_eq!(Allocation::new(&black).weights, allocation.weights);
        assert_eq!(allocation.next(&black, 0.01, 1000), [PILOT; 6]);
    }
}
