//! Instant global illumination against the path tracer, against itself without interleaving, and in a scene of many
//! lights.

use sunfleck_image::{Film, Picture, metrics};
use sunfleck_integrators::{Algorithm, World};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Scene};

use crate::common::{TestSetup, add, algorithm, mean, rectangle, render_scene, render_world};

/// Renders the view of a scene's own camera.
fn render_camera(scene: &Scene, algorithm: Algorithm, size: u32, samples: u32) -> Picture {
    render_with_seed(scene, algorithm, size, samples, 7)
}

/// Renders the view of a scene's own camera with a given seed.
fn render_with_seed(scene: &Scene, algorithm: Algorithm, size: u32, samples: u32, seed: u32) -> Picture {
    let world = World::commit(scene).unwrap();
    let camera = world.cameras()[0].clone();
    let setup = TestSetup {
        algorithm,
        projection: camera.camera.projection,
        world_from_view: camera.world_from_view,
        width: size,
        height: size,
        samples,
        seed,
        ..TestSetup::default()
    };
    render_world(&world, &setup).radiance()
}

#[test]
fn diffuse_rooms_converge_to_path() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let reference = render_camera(&scene, algorithm("path", &[]), 40, 1024);
    let found = render_camera(&scene, algorithm("igi", &[("filter", "0")]), 40, 400);
    let errors = metrics::mean_relative_error_per_region(&found, &reference, 10).unwrap();
    let mean = errors.errors.iter().sum::<f64>() / errors.errors.len() as f64;
    assert!(mean < 0.01, "mean relative error per region {mean}");
    assert!(errors.largest() < 0.03, "largest {}", errors.largest());
}

/// The errors of a frame are correlated, since all pixels are lit by the same VPLs. They are largest on dark faces that
/// are lit by few VPLs: on the front of the short block, 0.9 of the radiance. The standard error over several seeds
/// separates noise from bias.
#[test]
#[ignore = "takes minutes"]
fn the_mean_of_many_frames_is_unbiased_in_all_regions() {
    const SEEDS: u32 = 28;
    let scene = sunfleck_models::build("cornell").unwrap();
    let reference = regions(&render_camera(&scene, algorithm("path", &[]), 80, 6000));
    let by_seed: Vec<Vec<f32>> = (0..SEEDS)
        .map(|seed| {
            let found =
                regions(&render_with_seed(&scene, algorithm("igi", &[("filter", "0")]), 80, 200, seed));
            found.iter().zip(&reference).map(|(found, expected)| found / expected - 1.0).collect()
        })
        .collect();
    let mut sum = 0.0;
    for region in 0..reference.len() {
        let mean = by_seed.iter().map(|errors| errors[region]).sum::<f32>() / SEEDS as f32;
        let squares = by_seed.iter().map(|errors| (errors[region] - mean).powi(2)).sum::<f32>();
        let standard_error = (squares / (SEEDS * (SEEDS - 1)) as f32).sqrt();
        assert!(standard_error < 0.02, "region {region}: standard error {standard_error}");
        assert!(mean.abs() < 0.004 + 4.0 * standard_error, "region {region}: {mean} ± {standard_error}");
        sum += mean.abs();
    }
    let mean = sum / reference.len() as f32;
    assert!(mean < 0.003, "mean relative error per region {mean}");
}

/// Returns the sums over 8 × 8 regions.
fn regions(picture: &Picture) -> Vec<f32> {
    let mut sums = vec![0.0; 64];
    for (i, pixel) in picture.pixels().iter().enumerate() {
        let (x, y) = (i % 80 / 10, i / 800);
        sums[y * 8 + x] += pixel.element_sum();
    }
    sums
}

/// Without bias compensation the light above the bound is missing, so the test above would fail.
#[test]
fn without_compensation_corners_are_darker() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let brightness = |compensate| {
        let igi = algorithm("igi", &[("compensate", compensate), ("clamp", "0.5")]);
        let picture = render_camera(&scene, igi, 40, 60);
        picture.pixels().iter().sum::<Vec3>().element_sum()
    };
    let (without, with) = (brightness("0"), brightness("1"));
    assert!(without < 0.97 * with, "{without} of {with}");
}

/// Compares a filtered frame of interleaved sets with one that uses all VPLs for each pixel. Only the part below the
/// lamp is compared, since the edges of the lamp depend on the camera rays.
#[test]
fn the_filter_removes_the_pattern() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let below_the_lamp = |parameters: &[(&str, &str)]| {
        let picture = render_camera(&scene, algorithm("igi", parameters), 80, 1);
        Picture::from_fn(80, 60, |x, y| picture.pixel(x, y + 20)).unwrap()
    };
    let all = below_the_lamp(&[("interleave", "1"), ("vpls", "400"), ("compensate", "0")]);
    let error = |filter| {
        let picture = below_the_lamp(&[("filter", filter), ("compensate", "0")]);
        metrics::rmse(&picture, &all).unwrap()
    };
    let (unfiltered, filtered) = (error("0"), error("1"));
    assert!(filtered < 0.4 * unfiltered, "{filtered} of {unfiltered}");
}

/// In a scene of a thousand rooms with a lamp each, VPLs are placed by the lamp of the visible room.
#[test]
fn lights_are_sampled_by_their_contribution() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    let wall = Material::lambert("wall", Vec3::splat(0.5));
    for i in 0..1000u16 {
        let x = f32::from(i % 40) * 10.0;
        let z = f32::from(i / 40) * 10.0;
        let at = |y: f32| vec3(x, y, z);
        let down = |y| Affine3::from_cols(Vec3::X, Vec3::NEG_Y, Vec3::NEG_Z, at(y));
        add(&mut scene, rectangle(8.0, 8.0), wall.clone(), Affine3::from_translation(at(0.0)));
        add(&mut scene, rectangle(8.0, 8.0), wall.clone(), down(3.0));
        add(&mut scene, rectangle(1.0, 1.0), Material::emitter("lamp", Vec3::splat(4.0)), down(2.9));
    }
    let place = vec3(200.0, 1.5, 120.0);
    let world_from_view = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, place);
    let setup = TestSetup { world_from_view, width: 40, height: 40, ..TestSetup::default() };
    let reference =
        render_scene(&scene, &TestSetup { algorithm: algorithm("path", &[]), samples: 64, ..setup });
    let frame = |importance| {
        let algorithm = algorithm("igi", &[("importance", importance)]);
        render_scene(&scene, &TestSetup { algorithm, samples: 1, ..setup })
    };
    let (found, by_power) = (frame("0.9"), frame("0"));
    assert!((mean(&found) / mean(&reference) - 1.0).abs().max_element() < 0.25, "{}", mean(&found));
    let error = |film: &Film| metrics::rmse(&film.radiance(), &reference.radiance()).unwrap();
    assert!(error(&found) < 0.4 * error(&by_power), "{} of {}", error(&found), error(&by_power));
}
