//! Properties of the samplers: range, uniformity, stratification, independence, convergence, and blue noise.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "f64 references")]

use std::cell::Cell;

use sunfleck_math::{Vec2, vec2};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_testkit::chi2;
use sunfleck_testkit::stats::{Moments, kolmogorov_smirnov};

const SEEDED: u32 = 5;

fn samplers() -> impl Iterator<Item = Sampler> {
    SamplerKind::ALL.iter().map(|&kind| Sampler::new(kind, SEEDED))
}

/// Returns whether every elementary interval of area 1/n contains exactly one of the n = base^k points, for the base
/// 2^`bits_of_base`.
fn fills_intervals(points: &[Vec2], bits_of_base: usize) -> bool {
    let bits = points.len().ilog2();
    (0..=bits).step_by(bits_of_base).all(|x_bits| {
        let (columns, rows) = (1_usize << x_bits, 1_usize << (bits - x_bits));
        let mut filled = vec![false; points.len()];
        points.iter().all(|p| {
            let cell = floor(p.x * columns as f32) + columns * floor(p.y * rows as f32);
            !std::mem::replace(&mut filled[cell], true)
        })
    })
}

#[allow(clippy::cast_possible_truncation, reason = "the index of a column or row")]
fn floor(x: f32) -> usize {
    x as usize
}

#[test]
fn uniforms_depend_on_every_counter_and_on_nothing_else() {
    for sampler in samplers() {
        let kind = sampler.kind();
        let u = sampler.get_2d([10, 20], 30, 4);
        assert_eq!(Sampler::new(kind, SEEDED).get_2d([10, 20], 30, 4), u, "{kind}");
        assert_ne!(Sampler::new(kind, SEEDED + 1).get_2d([10, 20], 30, 4), u, "{kind}: seed");
        assert_ne!(sampler.get_2d([11, 20], 30, 4), u, "{kind}: column");
        assert_ne!(sampler.get_2d([10, 21], 30, 4), u, "{kind}: row");
        assert_ne!(sampler.get_2d([10, 20], 31, 4), u, "{kind}: sample");
        assert_ne!(sampler.get_2d([10, 20], 30, 6), u, "{kind}: dimension");
    }
}

#[test]
fn sobol_prefixes_are_nets_in_every_pixel_and_pair() {
    let is_net = |points: &[Vec2]| fills_intervals(points, 1);
    let sampler = Sampler::new(SamplerKind::Sobol, SEEDED);
    for pixel in [[0, 0], [1, 0], [0, 1], [640, 479], [65_536, 70_000]] {
        for dimension in [0, 2, 8, 100] {
            let points: Vec<Vec2> = (0..4_096).map(|s| sampler.get_2d(pixel, s, dimension)).collect();
            for count in (0..=12).map(|k| 1 << k) {
                assert!(is_net(&points[..count]), "{count} samples of {pixel:?}, dimension {dimension}");
            }
            assert!(
                is_net(&points[256..512]) && is_net(&points[1024..1028]),
                "other aligned blocks are not nets"
            );
        }
    }
}

#[test]
fn blue_noise_is_a_net_along_and_across_pixels() {
    // A net in base 4: the sides of intervals are 1, 1/4, 1/16, …
    let is_net = |points: &[Vec2]| fills_intervals(points, 2);
    let sampler = Sampler::new(SamplerKind::BlueNoise, SEEDED);
    for dimension in [0, 2, 40] {
        for width in [1, 2, 4, 8, 32] {
            let pixels = (0..width * width).map(|i| [5 * width + i % width, 9 * width + i / width]);
            for (from, samples) in [(0, 1), (3, 1), (0, 4), (4, 4), (0, 16), (0, 64), (128, 64), (0, 256)] {
                let of_pixel =
                    |pixel| (from..from + samples).map(move |s| sampler.get_2d(pixel, s, dimension));
                let points: Vec<Vec2> = pixels.clone().flat_map(of_pixel).collect();
                assert!(is_net(&points), "{width} × {width} pixels, {samples} samples from {from}");
            }
        }
    }
}

#[test]
fn first_samples_of_all_pixels_are_uniform() {
    for sampler in samplers() {
        for (dimension, sample) in [(0, 0), (2, 1), (9, 5)] {
            let counter = Cell::new(0_u32);
            let point = |_: f32| {
                let i = counter.replace(counter.get() + 1);
                sampler.get_2d([i % 1024, i / 1024], sample, dimension)
            };
            // Stratified points fit better than random ones, so that the test detects only gross errors.
            chi2::unit_square(point, |_| 1.0).tests(9).check(sampler.kind().name());
        }
    }
}

#[test]
fn each_axis_is_uniform_over_pixels() {
    for sampler in samplers() {
        for dimension in 0..4 {
            let mut numbers: Vec<f64> =
                (0..5_000).map(|i| f64::from(sampler.get_1d([i * 7, i % 13], 2, dimension))).collect();
            let p_value = kolmogorov_smirnov(&mut numbers, |x| x);
            assert!(p_value > 0.01 / 12.0, "{}, dimension {dimension}: {p_value}", sampler.kind());
        }
    }
}

/// Returns the correlation of two dimensions over pixels and samples.
fn correlation(uniforms: impl Fn([u32; 2], u32) -> Vec2) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..10_000 {
        for sample in 0..8 {
            let u = uniforms([i % 100, i / 100], sample);
            sum += (f64::from(u.x) - 0.5) * (f64::from(u.y) - 0.5) * 12.0;
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn dimensions_are_uncorrelated() {
    // Four standard deviations of 80 000 independent pairs
    let tolerance = 4.0 / 80_000_f64.sqrt();
    for sampler in samplers() {
        for (a, b) in [(0, 1), (0, 2), (1, 2), (1, 3), (3, 4), (0, 31)] {
            let found = correlation(|p, s| vec2(sampler.get_1d(p, s, a), sampler.get_1d(p, s, b)));
            assert!(found.abs() < tolerance, "{}: {a} with {b}: {found}", sampler.kind());
        }
    }
}

#[test]
fn pairs_of_different_dimensions_fill_the_square() {
    for sampler in samplers() {
        for (a, b) in [(0, 2), (1, 2), (1, 7)] {
            let counter = Cell::new(0_u32);
            let point = |_: f32| {
                let i = counter.replace(counter.get() + 1);
                // Pixels are far from each other, since the samples of neighbours may be correlated.
                let (pixel, sample) = ([i / 16 % 200 * 256, i / 3_200 * 256], i % 16);
                vec2(sampler.get_1d(pixel, sample, a), sampler.get_1d(pixel, sample, b))
            };
            chi2::unit_square(point, |_| 1.0).tests(9).check(sampler.kind().name());
        }
    }
}

#[test]
fn seeds_are_uncorrelated() {
    for &kind in SamplerKind::ALL {
        let [one, other] = [0, 1].map(|seed| Sampler::new(kind, seed));
        let found = correlation(|p, s| vec2(one.get_1d(p, s, 0), other.get_1d(p, s, 0)));
        assert!(found.abs() < 4.0 / 80_000_f64.sqrt(), "{kind}: {found}");
    }
}

/// Smooth test function sin πx sin πy · π²/4, whose integral is 1.
fn smooth(u: Vec2) -> f64 {
    let [x, y] = [u.x, u.y].map(|v| (std::f64::consts::PI * f64::from(v)).sin());
    x * y * std::f64::consts::PI.powi(2) / 4.0
}

/// Indicator function of a quarter disk of radius ½, whose integral is π/16.
fn edge(u: Vec2) -> f64 {
    f64::from(u8::from(u.length_squared() < 0.25))
}

/// Returns the root mean square error of the estimates of 32 × 32 pixels.
fn rms_error(sampler: &Sampler, samples: u32, f: impl Fn(Vec2) -> f64, integral: f64) -> f64 {
    let squares: Moments = (0..1_024)
        .map(|i| {
            let pixel = [i % 32, i / 32];
            let estimate: Moments = (0..samples).map(|s| f(sampler.get_2d(pixel, s, 0))).collect();
            (estimate.mean() - integral).powi(2)
        })
        .collect();
    squares.mean().sqrt()
}

#[test]
fn low_discrepancy_converges_faster() {
    let [independent, sobol, blue_noise] = SamplerKind::ALL.map(|kind| Sampler::new(kind, SEEDED));
    let exponent = |sampler: &Sampler, f: fn(Vec2) -> f64, integral: f64| {
        (rms_error(sampler, 64, f, integral) / rms_error(sampler, 1_024, f, integral)).log2() / 4.0
    };
    let disk = std::f64::consts::PI / 16.0;
    // The error is proportional to n^-½ for independent samples. With Owen scrambling it is proportional to n^-3/2 for
    // smooth functions [Owen97], and about to n^-¾ for edges in two dimensions.
    assert!((exponent(&independent, smooth, 1.0) - 0.5).abs() < 0.05, "independent, smooth");
    assert!(exponent(&sobol, smooth, 1.0) > 1.3, "Sobol, smooth");
    assert!(exponent(&sobol, edge, disk) > 0.68, "Sobol, edge");
    assert!(exponent(&blue_noise, smooth, 1.0) > 1.3, "blue noise, smooth");
    assert!(exponent(&blue_noise, edge, disk) > 0.68, "blue noise, edge");
    // The error is lower for small numbers of samples, too.
    for samples in [4, 16, 64] {
        let worst = rms_error(&independent, samples, smooth, 1.0);
        for better in [&sobol, &blue_noise] {
            assert!(rms_error(better, samples, smooth, 1.0) < 0.6 * worst, "{} at {samples}", better.kind());
        }
    }
}

#[test]
fn estimates_are_unbiased() {
    for sampler in samplers() {
        // Tiles are independent of each other; pixels of one tile are not.
        let tiles: Moments = (0..400)
            .map(|tile| {
                let pixel = [tile % 20 * 256 + 3, tile / 20 * 256 + 8];
                (0..3).map(|s| smooth(sampler.get_2d(pixel, s, 6))).collect::<Moments>().mean()
            })
            .collect();
        tiles.assert_estimates(1.0, 0.01 / 3.0, sampler.kind().name());
    }
}

#[test]
fn blue_noise_cancels_between_neighbours() {
    // Error of the mean of 4 × 4 pixels relative to that of one pixel, which is ¼ for independent errors
    let ratio = |sampler: &Sampler, samples: u32| {
        let error_of = |x: u32, y: u32| {
            let estimate: Moments = (0..samples).map(|s| smooth(sampler.get_2d([x, y], s, 0))).collect();
            estimate.mean() - 1.0
        };
        let (mut single, mut together) = (Moments::default(), Moments::default());
        for block in 0..256 {
            let (x0, y0) = (block % 16 * 4, block / 16 * 4);
            let errors: Vec<f64> = (0..16).map(|i| error_of(x0 + i % 4, y0 + i / 4)).collect();
            together.add((errors.iter().sum::<f64>() / 16.0).powi(2));
            single.extend(errors.iter().map(|e| e * e));
        }
        (together.mean() / single.mean()).sqrt()
    };
    let [_, sobol, blue_noise] = SamplerKind::ALL.map(|kind| Sampler::new(kind, SEEDED));
    for samples in [1, 2, 4, 16] {
        let (white, blue) = (ratio(&sobol, samples), ratio(&blue_noise, samples));
        assert!((white - 0.25).abs() < 0.05, "Sobol, {samples}: {white}");
        assert!(blue < 0.1, "blue noise, {samples}: {blue}");
    }
}
