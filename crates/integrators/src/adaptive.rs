//! Adaptive sampling: pixels of large relative error get more samples than others.
//!
//! A pilot of [`PILOT`] samples per pixel estimates the relative standard deviation r of one sample. For a given sum of
//! samples, the mean relative error `mean(r / √n)` is least if n is proportional to r^(2/3) in each pixel.
//!
//! The mean over pilot and later samples is biased if the number of samples of a pixel depends on its own pilot
//! [Kirk91]: the error of a pilot that is too bright would be diluted by more samples than that of one that is too
//! dark. Therefore r is estimated from the *neighbours* of a pixel, whose samples are independent of its own, or nearly
//! so with the sampler `blue-noise`. Only the factor of proportionality, one number for the whole image, depends on all
//! samples.

use serde::{Deserialize, Serialize};
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

/// Largest number of samples that a pass adds to a pixel, so that time limits and cancelling are noticed.
const MAX_ADDED: u32 = 16;

/// Numbers of samples of the pixels on the way to a noise goal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AdaptiveSampling {
    goal: f32,
    /// Largest number of samples of a pixel.
    most: u32,
    /// Known after the pilot.
    weights: Option<Weights>,
    /// Numbers of samples at the end of the step.
    step: Vec<u32>,
}

impl AdaptiveSampling {
    /// Starts with a film without samples.
    pub(crate) fn new(goal: f32, most: u32) -> Self {
        Self { goal, most, weights: None, step: Vec::new() }
    }

    /// Returns the plan with other limits; a step that has begun is completed.
    pub(crate) fn with_limits(self, goal: f32, most: u32) -> Self {
        Self { goal, most, ..self }
    }

    /// Returns the number of samples that each pixel of the film shall have after the next pass; `None` during the
    /// pilot.
    pub(crate) fn targets(&mut self, film: &Film) -> Option<Vec<u32>> {
        if self.weights.is_none() && film.attempts().any(|have| have < PILOT) {
            return None;
        }
        if !self.in_step(film) {
            let weights = self.weights.get_or_insert_with(|| Weights::new(film));
            self.step = weights.step(film, self.goal, self.most);
        }
        let target = |(have, &want): (u32, &u32)| want.min(have.saturating_add(MAX_ADDED));
        Some(film.attempts().zip(&self.step).map(target).collect())
    }

    /// Returns whether some pixels still lack samples of the step. Sequences are stratified best at its end.
    pub(crate) fn in_step(&self, film: &Film) -> bool {
        film.attempts().zip(&self.step).any(|(have, &want)| have < want)
    }
}

/// Relative numbers of samples of the pixels of an image: r^(2/3) of each pixel, relative to the mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Weights(Vec<f32>);

impl Weights {
    /// Estimates the weights from the pilot samples of a film.
    fn new(pilot: &Film) -> Self {
        let (width, height) = (pilot.width(), pilot.height());
        let deviations = pilot.noise_estimate().deviations;
        let weight = |(x, y): (u32, u32)| {
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
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(weight).collect();
        let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / weights.len() as f64;
        #[expect(clippy::cast_possible_truncation, reason = "a mean of f32 values")]
        let mean = mean as f32;
        if mean > 0.0 && mean.is_finite() {
            weights.iter_mut().for_each(|weight| *weight = (*weight / mean).max(LEAST_WEIGHT));
        } else {
            weights.fill(1.0);
        }
        Self(weights)
    }

    /// Returns the number of samples that each pixel shall have so that the noise reaches `goal`, or a step towards it.
    /// Numbers are powers of two, of which sequences of low discrepancy are stratified best, or `most`.
    ///
    /// * `film` — all samples so far.
    /// * `most` — largest number of samples of a pixel; those that have more keep them.
    fn step(&self, film: &Film, goal: f32, most: u32) -> Vec<u32> {
        let estimate = film.noise_estimate();
        let numbers = |scale: f64| {
            let number = move |(&weight, &have): (&f32, &u32)| {
                power_of_two(scale * f64::from(weight)).max(PILOT).min(most).max(have)
            };
            self.0.iter().zip(film.sample_counts()).map(number)
        };
        let total = |numbers: &mut dyn Iterator<Item = u32>| numbers.map(f64::from).sum::<f64>();
        let limit = GROWTH * total(&mut film.sample_counts().iter().copied());
        // Bisection of the scale, in octaves
        let (mut low, mut high) = (0.0f32, 32.0);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            let scale = f64::from(sunfleck_math::exp2(middle));
            if estimate.noise(numbers(scale)) > f64::from(goal) && total(&mut numbers(scale)) < limit {
                low = middle;
            } else {
                high = middle;
            }
        }
        numbers(f64::from(sunfleck_math::exp2(high))).collect()
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

    /// Adds the samples up to number `targets` of each pixel.
    ///
    /// * `radiance` — returns the radiance of a sample, given column, row and number.
    fn add(film: &mut Film, targets: &[u32], radiance: impl Fn(u32, u32, u32) -> f32) {
        let rect = TileRect { x0: 0, y0: 0, x1: EDGE, y1: EDGE };
        let mut tile = film.tile(rect);
        for ((x, y), &target) in rect.pixels().zip(targets) {
            for i in tile.samples(x, y)..target {
                let radiance = Vec3::splat(radiance(x, y, i));
                tile.add(x, y, &PixelSample { radiance, ..PixelSample::default() });
            }
        }
        film.put(tile).unwrap();
    }

    /// Returns a film with the samples of the pilot.
    fn pilot(radiance: impl Fn(u32, u32, u32) -> f32) -> Film {
        let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
        add(&mut film, &[PILOT; (EDGE * EDGE) as usize], radiance);
        film
    }

    /// Heavy tails, `u^(-0.4) - 1` of mean 2/3; pixels at the right are darker.
    fn tails(seed: u32) -> impl Fn(u32, u32, u32) -> f32 + Copy {
        move |x, y, i| (pow(1.0 - rng::uniform([x, y, i, seed]), -0.4) - 1.0) / (1.0 + x as f32)
    }

    /// The tails are so heavy that numbers of samples chosen by each pixel's own pilot would lose 1 to 2 % of the
    /// light.
    #[test]
    fn pixels_are_unbiased() {
        const IMAGES: u32 = 400;
        let mut sum = 0.0;
        for seed in 0..IMAGES {
            let mut film = pilot(tails(seed));
            let weights = Weights::new(&film);
            for goal in [0.2, 0.1] {
                let targets = weights.step(&film, goal, 1 << 12);
                add(&mut film, &targets, tails(seed));
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
        let radiance = |x, y, i| if x < 3 { 2.0 * rng::uniform([x, y, i, 3]) } else { 1.0 };
        let mut film = pilot(radiance);
        let mut sampling = AdaptiveSampling::new(0.01, 1 << 12);
        while sampling.in_step(&film) || film.noise() > 0.01 {
            let targets = sampling.targets(&film).expect("the pilot is complete");
            add(&mut film, &targets, radiance);
        }
        let mean = f64::from(film.sample_counts().iter().sum::<u32>()) / 100.0;
        // 0.3 · (1 / √3) / √n = 0.01
        let uniform = 300.0;
        assert!(mean < 0.6 * uniform, "{mean} instead of {uniform}");
    }

    #[test]
    fn passes_are_short_and_end_with_the_step() {
        let mut film = Film::new(EDGE, EDGE, AovSet::EMPTY);
        let mut sampling = AdaptiveSampling::new(0.05, 1 << 12);
        assert_eq!(sampling.targets(&film), None, "the pilot");
        film.add(&pilot(tails(1)));
        let mut passes = 0;
        while sampling.in_step(&film) || film.noise() > 0.05 {
            let before = film.sample_counts().to_vec();
            let targets = sampling.targets(&film).expect("the pilot is complete");
            assert!(
                targets.iter().zip(&before).all(|(want, have)| (have..=&(have + MAX_ADDED)).contains(&want))
            );
            add(&mut film, &targets, tails(1));
            passes += 1;
        }
        assert!(passes > 4 && film.sample_counts().iter().all(|n| n.is_power_of_two()), "{passes}");
    }

    #[test]
    fn numbers_are_powers_of_two_between_the_pilot_and_the_most() {
        let film = pilot(tails(1));
        let weights = Weights::new(&film);
        let targets = weights.step(&film, 0.01, 1 << 12);
        assert!(targets.iter().all(|n| n.is_power_of_two() && (PILOT..=1 << 12).contains(n)), "{targets:?}");
        let total: u32 = targets.iter().sum();
        assert!(total <= 3 * PILOT * EDGE * EDGE, "a step at a time: {total}");
        let none = vec![PILOT; (EDGE * EDGE) as usize];
        assert_eq!(weights.step(&film, 1e9, 1 << 12), none, "clean already");
        assert_eq!(weights.step(&film, 1e-9, PILOT), none, "no more are allowed");
        assert_eq!(weights.step(&film, 1e-9, PILOT - 3), none, "there are more than are allowed");
        assert_eq!([1.0, 1.4, 1.5, 2.7, 2.9, 1e30].map(power_of_two), [1, 1, 2, 2, 4, 1 << 30]);
    }

    #[test]
    fn a_noisy_pixel_among_black_ones_is_sampled() {
        let radiance = |x, y, i| if (x, y) == (4, 4) && i % 2 == 0 { 1.0 } else { 0.0 };
        let mut film = pilot(radiance);
        let (weights, noise) = (Weights::new(&film), film.noise());
        for _ in 0..8 {
            let targets = weights.step(&film, 0.4 * noise, 1 << 12);
            add(&mut film, &targets, radiance);
        }
        assert!(film.samples(4, 4) > PILOT && film.noise() <= 0.4 * noise, "{}", film.samples(4, 4));
    }

    #[test]
    fn black_images_need_no_samples() {
        let black = pilot(|_, _, _| 0.0);
        let weights = Weights::new(&black);
        assert_eq!(weights.0, [1.0; (EDGE * EDGE) as usize]);
        assert_eq!(weights.step(&black, 0.01, 1000), [PILOT; (EDGE * EDGE) as usize]);
    }
}
