//! Direct light against closed forms, and integrators against each other.

use std::f32::consts::PI;

use crate::common::{TestSetup, add, algorithm, mean, rectangle, render_scene};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Projection, Scene};

/// Returns a view straight down at the origin, of a spot small enough to count as a point.
fn at_the_origin() -> TestSetup {
    let world_from_view = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, 0.01, 0.0));
    TestSetup {
        world_from_view,
        projection: Projection::Orthographic { height: 1e-3 },
        samples: 1024,
        ..TestSetup::default()
    }
}

/// Returns the form factor from a point to a parallel rectangle a × b whose corner is at distance c above it [Howell,
/// B-3].
fn corner_form_factor(a: f64, b: f64, c: f64) -> f64 {
    let (x, y) = (a / c, b / c);
    let (sx, sy) = ((1.0 + x * x).sqrt(), (1.0 + y * y).sqrt());
    #[allow(clippy::disallowed_methods, reason = "a reference value")]
    let sum = x / sx * (y / sx).atan() + y / sy * (x / sy).atan();
    sum / (2.0 * std::f64::consts::PI)
}

#[test]
fn rectangle_over_a_plane() {
    let (width, depth, height, radiance, albedo) = (1.4, 0.8, 0.9, 3.0, 0.6);
    let mut scene = Scene::default();
    add(&mut scene, rectangle(4.0, 4.0), Material::lambert("plane", Vec3::splat(albedo)), Affine3::IDENTITY);
    // The front face points down: the rectangle is rotated by 180° about x
    let above = Affine3::from_cols(Vec3::X, Vec3::NEG_Y, Vec3::NEG_Z, vec3(0.0, height, 0.0));
    add(&mut scene, rectangle(width, depth), Material::emitter("lamp", Vec3::splat(radiance)), above);

    let factor = 4.0 * corner_form_factor(f64::from(width) / 2.0, f64::from(depth) / 2.0, f64::from(height));
    let expected = f64::from(albedo * radiance) * factor;
    let path = algorithm("path", &[("max_bounces", "1")]);
    for algorithm in [path, algorithm("whitted", &[("ambient", "0")]), algorithm("igi", &[])] {
        let found = f64::from(mean(&render_scene(&scene, &TestSetup { algorithm, ..at_the_origin() })).x);
        assert!((found / expected - 1.0).abs() < 0.005, "{algorithm}: {found} for {expected}");
    }
}

#[test]
fn plane_under_a_constant_sky() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(2.0) }).unwrap();
    add(&mut scene, rectangle(4.0, 4.0), Material::lambert("plane", Vec3::splat(0.3)), Affine3::IDENTITY);
    let found = mean(&render_scene(&scene, &at_the_origin())).x;
    assert!((found - 0.6).abs() < 0.002, "albedo × sky = 0.6, found {found}");
}

#[test]
fn point_spot_and_directional_lights() {
    use sunfleck_scene::{Light, LightKind, Node, SpotFalloff};
    let (height, albedo) = (2.0, 0.5);
    let lights = [
        // Irradiance: I / d², also inside a spot's inner cone; E for a directional light overhead
        (LightKind::Point, 8.0, 2.0),
        (
            LightKind::Spot { inner_radians: 0.2, outer_radians: 0.4, falloff: SpotFalloff::default() },
            8.0,
            2.0,
        ),
        (LightKind::Directional, 3.0, 3.0),
    ];
    for (kind, emission, irradiance) in lights {
        let mut scene = Scene::default();
        add(
            &mut scene,
            rectangle(4.0, 4.0),
            Material::lambert("plane", Vec3::splat(albedo)),
            Affine3::IDENTITY,
        );
        let light = Light { name: String::new(), emission: Vec3::splat(emission), kind };
        let light = scene.add_light(light).unwrap();
        let down = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, height, 0.0));
        scene.add_node(Node::new("light").at(down).with_light(light)).unwrap();
        let found = mean(&render_scene(&scene, &at_the_origin())).x;
        let expected = albedo / PI * irradiance;
        assert!((found / expected - 1.0).abs() < 0.001, "{kind:?}: {found} for {expected}");
    }
}

/// Without the ambient constant, classical ray tracing of a diffuse room equals path tracing with one scattering event.
#[test]
fn whitted_without_ambient_is_path_of_one_bounce() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let camera = sunfleck_integrators::World::commit(&scene).unwrap().cameras()[0].clone();
    let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
    let pictures: Vec<_> =
        [algorithm("path", &[("max_bounces", "1")]), algorithm("whitted", &[("ambient", "0")])]
            .into_iter()
            .map(|algorithm| {
                let setup = TestSetup {
                    algorithm,
                    projection,
                    world_from_view,
                    width: 32,
                    height: 32,
                    samples: 512,
                    ..TestSetup::default()
                };
                render_scene(&scene, &setup).radiance()
            })
            .collect();
    for row in 0..4 {
        for column in 0..4 {
            let region = |picture: &sunfleck_image::Picture| -> Vec3 {
                let pixels = (0..64).map(|i| picture.pixel(column * 8 + i % 8, row * 8 + i / 8));
                pixels.sum::<Vec3>() / 64.0
            };
            let (a, b) = (region(&pictures[0]), region(&pictures[1]));
            let difference = (a - b).abs().max_element();
            assert!(
                difference < 0.01 * a.max_element().max(0.05),
                "region {row}, {column}: path {a}, whitted {b}"
            );
        }
    }
}
