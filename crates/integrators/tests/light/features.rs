//! Features for denoising, in scenes in which they are known.

use crate::common::{TestSetup, add, algorithm, rectangle, render_scene};
use sunfleck_image::Features;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Alpha, Environment, Material, Projection, Scene, Surface};

/// A narrow beam of camera rays along −z that `object`, 2 m ahead, covers.
fn features_of(scene: &Scene, name: &str, samples: u32) -> Features {
    let setup = TestSetup {
        algorithm: algorithm(name, &[]),
        projection: Projection::Orthographic { height: 0.01 },
        width: 1,
        height: 1,
        samples,
        ..TestSetup::default()
    };
    render_scene(scene, &setup).features().unwrap()[0]
}

/// Transform of a rectangle in the plane y = 0, which then faces `normal` at `position`.
fn facing(normal: Vec3, position: Vec3) -> Affine3 {
    let (x, z) = normal.any_orthonormal_pair();
    Affine3::from_cols(x, normal, z, position)
}

#[test]
fn a_mirror_shows_the_features_of_what_is_seen_in_it() {
    let mut scene = Scene::default();
    let slope = vec3(1.0, 0.0, 1.0).normalize_or(Vec3::Z);
    let tint = vec3(0.9, 0.8, 0.5);
    add(
        &mut scene,
        rectangle(1.0, 1.0),
        Material::mirror("mirror", tint),
        facing(slope, vec3(0.0, 0.0, -2.0)),
    );
    let wall = Material::lambert("wall", vec3(0.5, 0.2, 0.1)).with_emission(vec3(0.0, 0.1, 5.0));
    add(&mut scene, rectangle(1.0, 1.0), wall, facing(Vec3::NEG_X, vec3(3.0, 0.0, -2.0)));
    for name in ["path", "whitted", "ao"] {
        let found = features_of(&scene, name, 4);
        assert!((found.albedo - vec3(0.45, 0.24, 1.0)).abs().max_element() < 1e-5, "{name}: {found:?}");
        assert!((found.normal - Vec3::NEG_X).length() < 1e-5, "{name}: {found:?}");
        assert!((found.inverse_distance - 0.2).abs() < 1e-3, "{name}: {found:?}");
    }
    // IGI records the mirror itself
    let found = features_of(&scene, "igi", 1);
    assert!((found.albedo - tint).length() < 1e-5 && (found.normal - slope).length() < 1e-5, "{found:?}");
}

#[test]
fn glass_shows_the_features_behind_it_and_of_its_reflection() {
    let mut scene = Scene::default();
    for (normal, z) in [(Vec3::Z, -2.0), (Vec3::NEG_Z, -2.1)] {
        add(&mut scene, rectangle(1.0, 1.0), Material::dielectric("glass", 1.5), facing(normal, Vec3::Z * z));
    }
    add(
        &mut scene,
        rectangle(1.0, 1.0),
        Material::lambert("wall", Vec3::splat(0.5)),
        facing(Vec3::Z, Vec3::Z * -4.0),
    );
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    let found = features_of(&scene, "path", 4096);
    // Both faces with interreflection reflect 2R / (1 + R), R = 0.04: 1 of 13 rays leaves the scene
    let reflected = 2.0 * 0.04 / 1.04;
    let expected = 0.5 * (1.0 - reflected) + reflected;
    assert!((found.albedo - Vec3::splat(expected)).abs().max_element() < 0.005, "{found:?}, not {expected}");
    assert!((found.normal.z - (1.0 - reflected)).abs() < 0.005, "{found:?}");
}

/// All surfaces are black and emit less than 1, so that the albedo of the features of a sample is its radiance.
#[test]
fn behind_a_coloured_pane_features_are_of_the_surface_that_the_path_sees() {
    let black = |radiance| Material::lambert("black", Vec3::ZERO).with_emission(Vec3::splat(radiance));
    let tint = vec3(0.9, 0.5, 0.25);
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    let mut wall = |material, normal, z| {
        add(&mut scene, rectangle(9.0, 9.0), material, facing(normal, Vec3::Z * z));
    };
    wall(Material::new("pane", Surface::ThinDielectric { ior: 1.5, tint }), Vec3::Z, -2.0);
    let mut veil = black(0.8);
    let Surface::Lambert { albedo } = &mut veil.surface else { unreachable!("it is made so") };
    albedo.factor.w = 0.5;
    veil.alpha = Alpha::Blend;
    wall(veil, Vec3::Z, -3.0);
    wall(black(0.1), Vec3::Z, -4.0);
    // What the pane reflects
    wall(black(0.3), Vec3::NEG_Z, 1.0);
    let setup = TestSetup {
        algorithm: algorithm("path", &[]),
        projection: Projection::Orthographic { height: 0.01 },
        samples: 1,
        ..TestSetup::default()
    };
    let film = render_scene(&scene, &setup);
    for (features, &radiance) in film.features().unwrap().iter().zip(film.radiance().pixels()) {
        let difference = (features.albedo - radiance).abs().max_element();
        assert!(difference < 1e-5 && radiance != Vec3::ZERO, "{features:?} for {radiance}");
    }
}

#[test]
fn features_of_nothing_are_white() {
    assert_eq!(features_of(&Scene::default(), "path", 1), Features::MISS);
}
