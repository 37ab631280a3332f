//! Tabulated distributions are sampled in proportion to their weights, and invalid weights are rejected.

#![allow(missing_docs, reason = "a test")]

use proptest::prelude::*;
use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Vec2, vec2};
use sunfleck_sampling::distribution::{AliasTable, DistributionError, Piecewise1D, Piecewise2D};
use sunfleck_testkit::{Random, chi2};

/// Returns weights of very different magnitudes, zeros included.
fn weights(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| (random.next_f32() - 0.2).max(0.0).powi(6)).collect()
}

#[test]
fn alias_tables() {
    for (count, seed) in [(1, 0), (2, 1), (3, 2), (10, 3), (1_000, 4)] {
        let mut weights = weights(count, seed);
        weights[count / 2] = 0.5;
        let table = AliasTable::new(&weights).expect("valid weights");
        if count == 1 {
            assert_eq!(table.sample(0.3), (0, 1.0, 0.3), "one item");
            continue;
        }
        let test = chi2::discrete(count, |u: f32| table.sample(u).0, |i| table.pmf(i));
        test.tests(4).check(&format!("alias table of {count}"));
    }
}

#[test]
fn alias_table_probabilities_are_the_weights() {
    let table = AliasTable::new(&[1.0, 0.0, 4.0, 3.0]).expect("valid weights");
    assert_eq!([0, 1, 2, 3, 4].map(|i| table.pmf(i)), [0.125, 0.0, 0.5, 0.375, 0.0]);
    assert_eq!(table.len(), 4);
}

#[test]
fn alias_table_returns_a_new_uniform() {
    let table = AliasTable::new(&[1.0, 0.0, 4.0, 3.0, 0.7]).expect("valid weights");
    for index in [0, 2, 3, 4] {
        // The new uniform is uniform for each item, and independent of the item.
        let remapped = |u: f32| {
            let (found, pmf, remapped) = table.sample(u);
            assert_eq!(pmf, table.pmf(found), "the probability of the item");
            (found == index).then_some(remapped)
        };
        let test = chi2::interval(0.0, 1.0, remapped, |_| table.pmf(index));
        test.tests(4).check(&format!("new uniform of {index}"));
    }
}

#[test]
fn alias_table_never_selects_items_of_weight_zero() {
    for count in [2_usize, 7, 64, 1_000] {
        for seed in 0..20 {
            let mut weights = weights(count, seed);
            weights[count - 1] = f32::MIN_POSITIVE;
            let table = AliasTable::new(&weights).expect("valid weights");
            let edges = (0..count).flat_map(|i| {
                let edge = i as f32 / count as f32;
                [edge, edge.next_down().max(0.0), edge + 0.5 / count as f32]
            });
            for u in edges.chain([ONE_MINUS_EPSILON]) {
                let (index, pmf, remapped) = table.sample(u);
                assert!(weights[index] > 0.0 && (0.0..1.0).contains(&remapped), "{index} at {u}");
                assert_eq!(pmf, table.pmf(index), "{index} at {u}");
            }
        }
    }
}

#[test]
fn piecewise_1d() {
    for (count, seed) in [(1, 0), (7, 1), (256, 2)] {
        let mut weights = weights(count, seed);
        weights[0] = 0.3;
        let table = Piecewise1D::new(&weights).expect("valid weights");
        let test = chi2::interval(0.0, 1.0, |u: f32| table.sample(u).0, |x| table.pdf(x));
        test.tests(3).check(&format!("{count} pieces"));
    }
}

#[test]
fn piecewise_2d() {
    for (width, height) in [(1, 1), (5, 3), (48, 48), (100, 37)] {
        let mut weights = weights(width * height, 9);
        weights[0] = 0.2;
        // A row of weight zero
        if height > 2 {
            weights[width..2 * width].fill(0.0);
        }
        let table = Piecewise2D::new(&weights, width, height).expect("valid weights");
        let test = chi2::unit_square(|u: Vec2| table.sample(u).0, |uv| table.pdf(uv));
        test.tests(4).check(&format!("{width} × {height} cells"));
    }
}

#[test]
fn known_densities() {
    let line = Piecewise1D::new(&[1.0, 0.0, 3.0]).expect("valid weights");
    assert_eq!([0.1, 0.5, 0.9].map(|x| line.pdf(x)), [0.75, 0.0, 2.25]);
    assert_eq!([-0.1, 1.0, f32::NAN].map(|x| line.pdf(x)), [0.0; 3], "outside");
    assert_eq!(line.sample(0.125), (1.0 / 6.0, 0.75, 0), "the middle of the first piece");
    let (x, pdf, piece) = line.sample(0.25);
    assert!((x - 2.0 / 3.0).abs() < 1e-6 && pdf == 2.25 && piece == 2, "the second piece is skipped");

    let plane = Piecewise2D::new(&[1.0, 2.0, 3.0, 6.0], 2, 2).expect("valid weights");
    let density = |u, v| plane.pdf(vec2(u, v));
    let found = [density(0.2, 0.2), density(0.7, 0.2), density(0.2, 0.7), density(0.7, 0.7)];
    for (found, expected) in found.into_iter().zip([1.0, 2.0, 3.0, 6.0]) {
        assert!((found - expected / 3.0).abs() < 1e-6, "{found} of {expected}");
    }
    assert_eq!([density(1.0, 0.5), density(0.5, -0.1)], [0.0; 2], "outside");
}

#[test]
fn one_positive_cell_is_always_selected() {
    let mut weights = vec![0.0; 64 * 32];
    weights[20 * 64 + 63] = 1e30;
    let table = Piecewise2D::new(&weights, 64, 32).expect("valid weights");
    for u in [Vec2::ZERO, Vec2::splat(0.5), Vec2::splat(ONE_MINUS_EPSILON)] {
        let (uv, pdf) = table.sample(u);
        assert_eq!((uv * vec2(64.0, 32.0)).floor(), vec2(63.0, 20.0), "{uv}");
        assert_eq!(pdf, 2048.0, "the density of a single cell");
    }
}

#[test]
fn invalid_weights_are_errors() {
    type Build = fn(&[f32]) -> Option<DistributionError>;
    let builds: [Build; 3] = [
        |w| AliasTable::new(w).err(),
        |w| Piecewise1D::new(w).err(),
        |w| Piecewise2D::new(w, w.len(), 1).err(),
    ];
    for build in builds {
        assert_eq!(build(&[]), Some(DistributionError::Empty));
        assert_eq!(build(&[0.0, 0.0]), Some(DistributionError::AllZero { count: 2 }));
        assert_eq!(build(&[1.0, -1.0]), Some(DistributionError::Weight { index: 1, weight: -1.0 }));
        assert!(matches!(build(&[f32::NAN, 1.0]), Some(DistributionError::Weight { index: 0, .. })), "NaN");
        assert!(
            matches!(build(&[f32::INFINITY]), Some(DistributionError::Weight { index: 0, .. })),
            "infinite"
        );
        assert_eq!(build(&[-0.0, f32::MAX, f32::MAX]), None, "zero of either sign, and sums beyond f32");
    }
    let size = Piecewise2D::new(&[1.0; 5], 2, 3).err();
    assert_eq!(size, Some(DistributionError::Size { count: 5, width: 2, height: 3 }));
    assert!(Piecewise2D::new(&[], usize::MAX, 2).is_err(), "no overflow");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_have_the_returned_density(
        weights in prop::collection::vec(prop_oneof![Just(0.0f32), 1e-6f32..1e6], 1..50), u in 0.0f32..1.0,
    ) {
        let Ok(table) = Piecewise1D::new(&weights) else { return Ok(()) };
        let (x, pdf, piece) = table.sample(u);
        prop_assert!((0.0..1.0).contains(&x) && pdf > 0.0 && weights[piece] > 0.0, "{x}, {pdf}, {piece}");
        prop_assert_eq!(table.pdf(x), pdf);
        let middle = (piece as f32 + 0.5) / weights.len() as f32;
        prop_assert_eq!(table.pdf(middle), pdf);
        prop_assert!((x - middle).abs() <= 0.500_01 / weights.len() as f32, "{} is not in piece {}", x, piece);
    }

    #[test]
    fn sampling_is_monotone(weights in prop::collection::vec(0.01f32..1e3, 1..50), u in 0.0f32..1.0, v in 0.0f32..1.0) {
        let table = Piecewise1D::new(&weights).expect("valid weights");
        let (low, high) = (u.min(v), u.max(v));
        prop_assert!(table.sample(low).0 <= table.sample(high).0, "{low}, {high}");
    }
}
