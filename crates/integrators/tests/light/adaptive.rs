//! Adaptive sampling: a noise level is reached with few samples, and the stated noise is the error.

use crate::common::{TestSetup, render_until, render_world};
use sunfleck_image::Picture;
use sunfleck_integrators::{Algorithm, Schedule, StopRules, World};

fn world_and_setup(scene: &str, size: u32) -> (World, TestSetup) {
    let world = World::commit(&sunfleck_models::build(scene).unwrap()).unwrap();
    let camera = &world.cameras()[0];
    let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
    let algorithm = Algorithm::ALL[0];
    let setup = TestSetup {
        algorithm,
        projection,
        world_from_view,
        width: size,
        height: size,
        ..TestSetup::default()
    };
    (world, setup)
}

fn until(noise: f32) -> StopRules {
    StopRules { noise: Some(noise), ..StopRules::default() }
}

#[test]
fn a_noise_level_is_reached() {
    const GOAL: f32 = 0.1;
    let (world, setup) = world_and_setup("teapot-room", 32);
    let film = render_until(&world, &setup, &until(GOAL));
    assert!(film.noise() <= GOAL, "{}", film.noise());
    let samples = film.sample_counts();
    assert!(samples.iter().all(|n| n.is_power_of_two() && *n >= 16), "{samples:?}");
    let mean = samples.iter().sum::<u32>().div_ceil(32 * 32);
    let uniform = render_world(&world, &TestSetup { samples: mean, ..setup });
    assert!(film.noise() < 1.05 * uniform.noise(), "{} and {} with {mean}", film.noise(), uniform.noise());
}

#[test]
fn the_largest_number_of_samples_is_kept() {
    let (world, setup) = world_and_setup("cornell", 8);
    for most in [5, 16, 50] {
        let film = render_until(&world, &setup, &StopRules { samples: Some(most), ..until(1e-6) });
        let samples = film.sample_counts();
        assert!(samples.iter().all(|&n| n == most), "{most}: {samples:?}");
    }
}

#[test]
fn threads_and_tiles_change_nothing() {
    let (world, setup) = world_and_setup("teapot-room", 20);
    let reference = render_until(&world, &setup, &until(0.25));
    for (tile_size, threads) in [(1, 2), (7, 1), (64, 3)] {
        let schedule = Schedule { tile_size, ..setup.schedule };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let setup = TestSetup { schedule, ..setup };
        let film = pool.install(|| render_until(&world, &setup, &until(0.25)));
        assert!(film == reference, "tiles of {tile_size}, {threads} threads");
    }
}

/// Compares the stated noise with the error of eight images.
#[test]
fn the_stated_noise_is_the_error() {
    const IMAGES: u32 = 8;
    let (world, setup) = world_and_setup("cornell", 24);
    let luminance = |picture: &Picture| -> Vec<f64> {
        let of = |rgb: &sunfleck_math::Vec3| f64::from(rgb.dot(sunfleck_math::vec3(0.2126, 0.7152, 0.0722)));
        picture.pixels().iter().map(of).collect()
    };
    let reference =
        luminance(&render_world(&world, &TestSetup { samples: 4096, seed: 99, ..setup }).radiance());
    let least = 0.1 * reference.iter().sum::<f64>() / reference.len() as f64;
    for goal in [0.15, 0.08] {
        let (mut squares, mut stated) = (vec![0.0; reference.len()], 0.0);
        for seed in 0..IMAGES {
            let film = render_until(&world, &TestSetup { seed, ..setup }, &until(goal));
            stated += f64::from(film.noise()) / f64::from(IMAGES);
            let found = luminance(&film.radiance());
            for ((square, found), expected) in squares.iter_mut().zip(found).zip(&reference) {
                *square += (found - expected).powi(2) / f64::from(IMAGES);
            }
        }
        let error = |(square, expected): (&f64, &f64)| square.sqrt() / expected.max(least);
        let error = squares.iter().zip(&reference).map(error).sum::<f64>() / reference.len() as f64;
        let ratio = stated / error;
        assert!((0.8..=1.25).contains(&ratio), "goal {goal}: stated {stated}, error {error}, ratio {ratio}");
    }
}
