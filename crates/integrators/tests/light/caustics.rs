//! Caustics of mirrors and glass: photons against closed forms and against the path tracer.

use std::f32::consts::PI;

use sunfleck_image::metrics;
use sunfleck_integrators::Algorithm;
use sunfleck_math::transform::{look_at, rotation_x, rotation_z};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Light, LightKind, Material, MeshData, Node, Projection, Scene};

use crate::common::{TestSetup, add, algorithm, mean, rectangle, render_scene, sphere};

/// Scene of a floor, and a point light of intensity 1 W/sr, 2 m above the origin.
fn floor_and_point_light(albedo: f32) -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, rectangle(8.0, 8.0), Material::lambert("floor", Vec3::splat(albedo)), Affine3::IDENTITY);
    let light = Light { name: String::new(), emission: Vec3::ONE, kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    let place = Affine3::from_translation(vec3(0.0, 2.0, 0.0));
    scene.add_node(Node::new("light").at(place).with_light(light)).unwrap();
    scene
}

/// Returns the irradiance of the floor at the origin, measured in an image of a small spot that is seen from `height`.
fn irradiance_at_the_origin(scene: &Scene, albedo: f32, height: f32, photons: &str) -> f32 {
    let setup = TestSetup {
        algorithm: algorithm("igi", &[("photons", photons), ("photon_radius", "0.3")]),
        world_from_view: Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, height, 0.0)),
        projection: Projection::Orthographic { height: 1e-3 },
        samples: 64,
        ..TestSetup::default()
    };
    mean(&render_scene(scene, &setup)).x * PI / albedo
}

/// A mirror lights the floor like the mirror image of the light.
#[test]
fn a_mirror_wall_lights_like_the_image_of_the_light() {
    let (albedo, reflectance) = (0.5, 0.8);
    let mut scene = floor_and_point_light(albedo);
    let wall = Affine3::from_translation(vec3(-1.0, 1.05, 0.0)) * rotation_z(-PI / 2.0);
    add(&mut scene, rectangle(2.0, 2.0), Material::mirror("mirror", Vec3::splat(reflectance)), wall);
    let direct = 1.0 / 4.0;
    // The mirror image is at (-2, 2): cos / d² = (2 / √8) / 8
    let image = reflectance * 0.5f32.sqrt() / 8.0;
    let found = irradiance_at_the_origin(&scene, albedo, 1.0, "50000");
    assert!((found / (direct + image) - 1.0).abs() < 0.01, "{found} W/m² for {}", direct + image);
    let without = irradiance_at_the_origin(&scene, albedo, 1.0, "0");
    assert!((without / direct - 1.0).abs() < 0.01, "without photons {without} W/m² for {direct}");
}

/// Returns a closed box around the origin.
fn slab(width: f32, height: f32) -> MeshData {
    let half = vec3(width, height, width) * 0.5;
    let corner = |i: u32| (vec3((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 2.0 - 1.0) * half;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    MeshData {
        positions: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        ..MeshData::default()
    }
}

/// Through a pane of thickness `t`, a light appears nearer by `t (1 - 1/n)`, and each side reflects a part of the
/// light.
#[test]
fn light_through_a_pane() {
    let (albedo, thickness, n) = (0.05, 0.4f32, 1.5f32);
    let mut scene = floor_and_point_light(albedo);
    let place = Affine3::from_translation(vec3(0.0, 1.3, 0.0));
    add(&mut scene, slab(2.0, thickness), Material::dielectric("glass", n), place);
    let distance = 2.0 - thickness * (1.0 - 1.0 / n);
    let reflected = ((n - 1.0) / (n + 1.0)) * ((n - 1.0) / (n + 1.0));
    let expected = (1.0 - reflected) * (1.0 - reflected) / (distance * distance);
    let found = irradiance_at_the_origin(&scene, albedo, 0.7, "50000");
    // Light that is reflected twice within the pane, or by floor and pane, is below 0.7 %
    assert!((found / expected - 1.0).abs() < 0.02, "{found} W/m² for {expected}");
    let without = irradiance_at_the_origin(&scene, albedo, 0.7, "0");
    assert_eq!(without, 0.0, "without photons, no light passes the pane");
}

/// Scene of a room with a large lamp, a mirror, a polished metal wall and a glass ball.
fn polished_room() -> Scene {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    let wall = |r, g, b| Material::lambert("wall", vec3(r, g, b));
    let at = Affine3::from_translation;
    add(&mut scene, rectangle(2.0, 2.0), wall(0.7, 0.7, 0.7), Affine3::IDENTITY);
    add(&mut scene, rectangle(2.0, 2.0), wall(0.6, 0.6, 0.6), at(Vec3::Y * 2.0) * rotation_x(PI));
    let back = at(vec3(0.0, 1.0, -1.0)) * rotation_x(PI / 2.0);
    add(&mut scene, rectangle(2.0, 2.0), wall(0.3, 0.5, 0.7), back);
    let left = at(vec3(-1.0, 1.0, 0.0)) * rotation_z(-PI / 2.0);
    add(&mut scene, rectangle(2.0, 2.0), Material::mirror("mirror", Vec3::splat(0.8)), left);
    let right = at(vec3(1.0, 1.0, 0.0)) * rotation_z(PI / 2.0);
    let metal = Material::metallic_roughness("metal", vec3(0.9, 0.6, 0.3), 1.0, 0.25);
    add(&mut scene, rectangle(2.0, 2.0), metal, right);
    let ball = at(vec3(0.15, 0.5, 0.1)) * Affine3::from_scale(Vec3::splat(0.4));
    add(&mut scene, sphere(5, false, true), Material::dielectric("glass", 1.5), ball);
    let lamp = at(Vec3::Y * 1.99) * rotation_x(PI);
    add(&mut scene, rectangle(1.6, 1.6), Material::emitter("lamp", Vec3::splat(1.0)), lamp);
    scene
}

fn render_polished_room(algorithm: Algorithm, samples: u32) -> sunfleck_image::Picture {
    let setup = TestSetup {
        algorithm,
        world_from_view: look_at(vec3(0.0, 1.0, 3.4), vec3(0.0, 0.9, 0.0), Vec3::Y),
        projection: Projection::Perspective { fov_y_radians: 0.75 },
        width: 40,
        height: 40,
        samples,
        ..TestSetup::default()
    };
    render_scene(&polished_room(), &setup).radiance()
}

#[test]
fn polished_rooms_converge_to_path() {
    let reference = render_polished_room(algorithm("path", &[("max_bounces", "64")]), 1024);
    let errors = |photons| {
        let igi = algorithm("igi", &[("filter", "0"), ("photons", photons)]);
        let found = render_polished_room(igi, 200);
        let errors = metrics::mean_relative_error_per_region(&found, &reference, 8).unwrap();
        (errors.errors.iter().sum::<f64>() / errors.errors.len() as f64, errors.largest())
    };
    let (mean, largest) = errors("20000");
    assert!(mean < 0.01 && largest < 0.04, "relative errors of regions: mean {mean}, largest {largest}");
    let (without, _) = errors("0");
    assert!(without > 5.0 * mean, "the mean error without photons, {without}, is hardly larger than {mean}");
}

/// Without specular lobes, no photons are traced.
#[test]
fn photons_change_nothing_without_specular_lobes() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let picture = |photons| {
        let setup = TestSetup {
            algorithm: algorithm("igi", &[("photons", photons)]),
            samples: 2,
            ..TestSetup::default()
        };
        render_scene(&scene, &setup).radiance()
    };
    assert_eq!(picture("1000000").pixels(), picture("0").pixels(), "equal bits");
}
