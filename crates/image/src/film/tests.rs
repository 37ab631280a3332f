use proptest::prelude::*;
use sunfleck_math::Vec3;

use super::*;

/// Returns a pseudorandom number in [0, 1).
fn noise(i: u32) -> f32 {
    let h = i.wrapping_mul(0x9E37_79B9) ^ (i.wrapping_mul(0x85EB_CA6B) >> 13);
    (h >> 8) as f32 / (1u32 << 24) as f32
}

fn gray(radiance: f32) -> PixelSample {
    PixelSample { radiance: Vec3::splat(radiance), ..PixelSample::default() }
}

/// Returns a film of one pixel with these samples.
fn one_pixel(samples: &[PixelSample]) -> Film {
    let mut film = Film::new(1, 1, AovSet::ALL);
    let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 1, y1: 1 });
    samples.iter().for_each(|s| tile.add(0, 0, s));
    film.put(tile).unwrap();
    film
}

#[test]
fn mean_and_variance_in_closed_form() {
    // 1, 2, 3, 4: mean 2.5, sample variance 5/3, variance of the mean 5/12
    let film = one_pixel(&[1.0, 2.0, 3.0, 4.0].map(gray));
    assert_eq!(film.radiance().pixel(0, 0), Vec3::splat(2.5));
    assert!((film.variance().pixel(0, 0).y - 5.0 / 12.0).abs() < 1e-6);
    assert!((film.noise() - (5.0f32 / 12.0).sqrt() / 2.5).abs() < 1e-6);
    assert_eq!(film.samples(0, 0), 4);
}

#[test]
fn added_films_equal_one_film_of_all_samples() {
    let seen = |radiance: f32, id: u32| {
        let mut sample = gray(radiance);
        (sample.aov.depth, sample.aov.albedo, sample.aov.ids) = (radiance, Vec3::X, [id; 4]);
        sample
    };
    let bad = PixelSample { radiance: Vec3::splat(f32::NAN), ..gray(1.0) };
    let all = [seen(1.0, 7), gray(2.0), seen(4.0, 8), bad, seen(8.0, 9)];
    for cut in 0..=all.len() {
        let mut film = one_pixel(&all[..cut]);
        film.add(&one_pixel(&all[cut..]));
        let whole = one_pixel(&all);
        assert_eq!((film.radiance(), film.variance()), (whole.radiance(), whole.variance()), "{cut} samples");
        assert_eq!(
            (film.samples(0, 0), film.dropped()),
            (whole.samples(0, 0), whole.dropped()),
            "{cut} samples"
        );
        assert_eq!((film.depth(), film.albedo()), (whole.depth(), whole.albedo()), "{cut} samples");
        assert_eq!(film.ids(), whole.ids(), "split after {cut} samples");
        assert_eq!(film.noise_estimate().gain, 1.0, "the order of the samples is not known");
    }
}

#[test]
fn images_are_finite() {
    let huge = PixelSample { weight: -1e30, ..gray(1e30) };
    let film = one_pixel(&[gray(1.0), huge]);
    assert_eq!(film.radiance().pixel(0, 0), Vec3::splat(-f32::MAX), "clamped to the finite range");
}

#[test]
fn a_cleared_film_equals_a_new_one() {
    let mut film = one_pixel(&[gray(3.0), PixelSample { radiance: Vec3::splat(f32::NAN), ..gray(1.0) }]);
    assert_ne!(film, Film::new(1, 1, AovSet::ALL));
    film.clear();
    assert_eq!(film, Film::new(1, 1, AovSet::ALL));
}

#[test]
fn weights_are_not_normalised() {
    let weighted = |radiance, weight| PixelSample { weight, ..gray(radiance) };
    // If weights cancel, the estimate is still finite and unbiased
    let film = one_pixel(&[weighted(2.0, 1.25), weighted(2.0, -1.25), weighted(3.0, 2.0)]);
    assert_eq!(film.radiance().pixel(0, 0), Vec3::splat(2.0));
}

#[test]
fn samples_that_are_not_finite_are_dropped_and_counted() {
    let film = one_pixel(&[gray(1.0), gray(f32::NAN), gray(f32::INFINITY), gray(3.0)]);
    assert_eq!(film.dropped(), 2);
    assert_eq!(film.samples(0, 0), 2);
    assert_eq!(film.radiance().pixel(0, 0), Vec3::splat(2.0));
}

#[test]
fn halves_are_the_means_of_the_first_and_of_the_last_samples() {
    let samples: Vec<_> = (1u8..=16)
        .map(|i| PixelSample { radiance: Vec3::splat(i.into()), ..PixelSample::default() })
        .collect();
    let mean =
        |samples: &[PixelSample]| samples.iter().map(|s| s.radiance.x).sum::<f32>() / samples.len() as f32;
    for (n, first) in [(2, 1), (3, 2), (4, 2), (5, 2), (6, 4), (7, 4), (8, 4), (11, 4), (12, 8), (16, 8)] {
        let found = one_pixel(&samples[..n]).halves().unwrap().map(|half| half.pixel(0, 0).x);
        let expected = [mean(&samples[..first]), mean(&samples[first..n])];
        assert!((found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-5, "{n}: {found:?}");
    }
    assert!(one_pixel(&samples[..1]).halves().is_none());
}

#[test]
fn depth_and_normals_are_means_over_the_hits() {
    let hit = |depth: f32, ids: u32| PixelSample {
        aov: AovSample {
            depth,
            coverage: 1.0,
            position: Vec3::splat(depth),
            ng: Vec3::Z,
            ns: if ids == 1 { Vec3::X } else { Vec3::Y },
            albedo: Vec3::splat(0.9),
            ids: [ids; 4],
            occlusion: 0.25,
            reflections: ids,
            features: Features { albedo: Vec3::X, normal: Vec3::Y, inverse_distance: depth.recip() },
            diffuse: Vec3::Z,
            clamped: Vec3::X,
        },
        ..PixelSample::default()
    };
    let film = one_pixel(&[hit(2.0, 1), PixelSample::default(), hit(4.0, 7)]);
    assert_eq!(film.depth().unwrap(), [3.0]);
    // Two of three samples hit a surface
    assert_eq!(film.alpha().unwrap(), [2.0 / 3.0]);
    assert_eq!(film.clamped().unwrap().pixel(0, 0), Vec3::X * (2.0 / 3.0));
    assert_eq!(film.position().unwrap().pixel(0, 0), Vec3::splat(3.0));
    assert_eq!(film.normal_geometric().unwrap().pixel(0, 0), Vec3::Z);
    let ns = film.normal_shading().unwrap().pixel(0, 0);
    assert!((ns - Vec3::new(1.0, 1.0, 0.0) / 2f32.sqrt()).length() < 1e-6);
    assert!((film.albedo().unwrap().pixel(0, 0).x - 0.6).abs() < 1e-6);
    assert_eq!(film.ids().unwrap(), [[1; 4]]);
    assert_eq!(film.ambient_occlusion().unwrap(), [0.5]);
    assert!((film.diffuse().unwrap().pixel(0, 0) - Vec3::Z * (2.0 / 3.0)).length() < 1e-6);
    assert!((film.reflections().unwrap()[0] - 8.0 / 3.0).abs() < 1e-6);
    // Features of a miss are white, without normal and at an infinite distance
    let features = film.features().unwrap()[0];
    assert!((features.albedo - Vec3::new(1.0, 1.0 / 3.0, 1.0 / 3.0)).length() < 1e-6);
    assert!((features.normal - Vec3::Y * (2.0 / 3.0)).length() < 1e-6);
    assert!((features.inverse_distance - 0.25).abs() < 1e-6);

    let missed = one_pixel(&[PixelSample::default()]);
    assert_eq!(missed.depth().unwrap(), [f32::INFINITY]);
    assert_eq!(missed.ids().unwrap(), [[u32::MAX; 4]]);
    assert_eq!(missed.normal_shading().unwrap().pixel(0, 0), Vec3::ZERO);
}

#[test]
fn aovs_that_are_not_finite_are_ignored() {
    let bad = AovSample {
        depth: 1.0,
        ns: Vec3::NAN,
        albedo: Vec3::INFINITY,
        occlusion: f32::NAN,
        coverage: f32::NAN,
        ..AovSample::MISS
    };
    let good = AovSample { depth: 3.0, coverage: 0.5, ns: Vec3::X, albedo: Vec3::ONE, ..AovSample::MISS };
    let film = one_pixel(&[bad, good].map(|aov| PixelSample { aov, ..PixelSample::default() }));
    assert_eq!(film.normal_shading().unwrap().pixel(0, 0), Vec3::X);
    assert_eq!(film.albedo().unwrap().pixel(0, 0), Vec3::splat(0.5));
    assert_eq!(film.ambient_occlusion().unwrap(), [0.5]);
    assert_eq!(film.alpha().unwrap(), [0.25]);
    assert_eq!(film.depth().unwrap(), [2.0]);
}

#[test]
fn only_selected_aovs_are_recorded() {
    let film = Film::new(3, 2, AovSet::EMPTY.with(Aov::Albedo));
    assert!(film.depth().is_none() && film.ids().is_none() && film.position().is_none());
    assert!(film.normal_geometric().is_none() && film.normal_shading().is_none());
    assert!(film.ambient_occlusion().is_none() && film.albedo().is_some());
}

#[test]
fn noise_of_films_without_samples_or_errors() {
    assert_eq!(Film::new(2, 2, AovSet::EMPTY).noise(), f32::INFINITY);
    assert_eq!(one_pixel(&[gray(0.0), gray(0.0)]).noise(), 0.0);
    assert_eq!(one_pixel(&[gray(1.0), gray(1.0)]).noise(), 0.0);
}

/// Renders 256 pixels with 64 samples of a quantity that is uniform on [0, 1), and compares the stated noise with the
/// error.
#[test]
fn the_noise_of_stratified_samples_is_their_error() {
    // PCG; the numbers of `noise` are themselves stratified
    let hash = |counter: u32| {
        let state = counter.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        (word >> 22) ^ word
    };
    let uniform = |counter: u32| (hash(counter) >> 8) as f32 / (1u32 << 24) as f32;
    let sample = |kind: &str, pixel: u32, i: u32| {
        let jitter = uniform(pixel * 64 + i);
        match kind {
            "independent" => jitter,
            // The radical inverse, scrambled: the first 2^k samples of each pixel are stratified
            _ => (i.reverse_bits() ^ hash(!pixel)) as f32 / 4_294_967_296.0,
        }
    };
    for (kind, gain) in [("independent", 0.8..=1.0), ("stratified", 0.0..=0.2)] {
        let rect = TileRect { x0: 0, y0: 0, x1: 16, y1: 16 };
        let mut film = Film::new(16, 16, AovSet::EMPTY);
        let mut tile = film.tile(rect);
        for (pixel, (x, y)) in (0..).zip(rect.pixels()) {
            (0..64).for_each(|i| tile.add(x, y, &gray(sample(kind, pixel, i))));
        }
        film.put(tile).unwrap();
        let found = film.noise_estimate().gain;
        assert!(gain.contains(&found), "{kind}: {found}");
        let mean: f32 = film.radiance().pixels().iter().map(|pixel| pixel.x).sum::<f32>() / 256.0;
        let squares: f32 = film.radiance().pixels().iter().map(|pixel| (pixel.x / mean - 1.0).powi(2)).sum();
        let ratio = film.noise() / (squares / 256.0).sqrt();
        let range = if kind == "independent" { 0.8..=1.25 } else { 0.4..=2.5 };
        assert!(range.contains(&ratio), "{kind}: stated {}, ratio {ratio}", film.noise());
    }
}

#[test]
fn dark_pixels_do_not_dominate_the_noise() {
    let mut film = Film::new(2, 1, AovSet::EMPTY);
    let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 2, y1: 1 });
    for i in 0..2 {
        tile.add(0, 0, &gray(10.0));
        tile.add(1, 0, &gray(if i == 0 { 0.0 } else { 1e-3 }));
    }
    film.put(tile).unwrap();
    // The standard error of the dark pixel is 5e-4, divided by the lower bound 0.1 × 5 of the luminance:
    // 1e-3. The mean over both pixels is 5e-4; without the bound it would be 0.5
    assert!((film.noise() - 5e-4).abs() < 1e-5, "{}", film.noise());
}

#[test]
fn tiles_of_other_films_are_rejected() {
    let mut film = Film::new(4, 4, AovSet::EMPTY);
    let large = Film::new(8, 8, AovSet::EMPTY).tile(TileRect { x0: 0, y0: 0, x1: 8, y1: 8 });
    assert!(matches!(film.put(large), Err(FilmError::OutOfBounds { .. })));
    let other = Film::new(4, 4, AovSet::ALL).tile(TileRect { x0: 0, y0: 0, x1: 2, y1: 2 });
    assert_eq!(film.put(other), Err(FilmError::AovMismatch));
    let empty = film.tile(TileRect { x0: 9, y0: 9, x1: 12, y1: 10 });
    assert_eq!(empty.rect().area(), 0);
    assert_eq!(film.put(empty), Ok(()));
}

#[test]
fn tiles_round_trip_and_inconsistent_ones_are_rejected() {
    let mut tile = Film::new(5, 5, AovSet::ALL).tile(TileRect { x0: 1, y0: 2, x1: 4, y1: 4 });
    tile.rect().pixels().for_each(|(x, y)| tile.add(x, y, &gray(noise(x + 9 * y))));
    let json = serde_json::to_string(&tile).unwrap();
    assert_eq!(serde_json::from_str::<FilmTile>(&json).unwrap(), tile);
    let inconsistent = json.replacen("\"x1\":4", "\"x1\":5", 1);
    assert!(serde_json::from_str::<FilmTile>(&inconsistent).is_err());
}

proptest! {
    /// Any subdivision into tiles, in any order and in several rounds, gives exactly the undivided film.
    #[test]
    fn tiles_do_not_change_a_bit(cut_x in 0u32..8, cut_y in 0u32..6, backwards: bool, rounds in 1u32..4) {
        let (width, height) = (7, 5);
        let sample = |x: u32, y: u32, s: u32| PixelSample {
            aov: AovSample { depth: noise(s + 3), ..AovSample::MISS },
            ..gray(noise(x + 100 * y + 10_000 * s))
        };
        let render = |film: &mut Film, rect, from, to| {
            let mut tile = film.tile(rect);
            for (x, y) in tile.rect().pixels() {
                for s in from..to {
                    tile.add(x, y, &sample(x, y, s));
                }
            }
            film.put(tile).unwrap();
        };
        let mut whole = Film::new(width, height, AovSet::ALL);
        render(&mut whole, TileRect { x0: 0, y0: 0, x1: width, y1: height }, 0, 4 * rounds);

        let mut rects = Vec::new();
        for (x0, x1) in [(0, cut_x), (cut_x, 100)] {
            for (y0, y1) in [(0, cut_y), (cut_y, 100)] {
                rects.push(TileRect { x0, y0, x1, y1 });
            }
        }
        if backwards {
            rects.reverse();
        }
        let mut tiled = Film::new(width, height, AovSet::ALL);
        for round in 0..rounds {
            for &rect in &rects {
                render(&mut tiled, rect, 4 * round, 4 * round + 4);
            }
        }
        prop_assert_eq!(whole, tiled);
    }
}

#[test]
fn a_film_of_a_window_keeps_the_coordinates_of_the_image() {
    let window = TileRect { x0: 3, y0: 2, x1: 5, y1: 6 };
    let mut film = Film::of_window(window, AovSet::EMPTY);
    assert_eq!((film.width(), film.height(), film.window()), (2, 4, window));
    assert!(film.is_empty(), "no samples yet");
    let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 9, y1: 9 });
    assert_eq!(tile.rect(), window, "clipped to the film");
    tile.add(4, 5, &gray(2.0));
    film.put(tile).unwrap();
    assert_eq!((film.samples(4, 5), film.samples(3, 2), film.samples(0, 0)), (1, 0, 0));
    assert_eq!(film.radiance().pixel(1, 3), Vec3::splat(2.0));
    let corner = film.cropped(TileRect { x0: 4, y0: 4, x1: 9, y1: 9 });
    assert_eq!((corner.width(), corner.height(), corner.samples(4, 5)), (1, 2, 1));
    let outside = FilmTile::new(TileRect { x0: 0, y0: 0, x1: 2, y1: 2 }, AovSet::EMPTY);
    assert!(matches!(film.put(outside), Err(FilmError::OutOfBounds { .. })), "not in the window");
    assert_eq!(Film::of_window(TileRect { x1: 0, y1: 0, ..window }, AovSet::EMPTY).width(), 1);
}
