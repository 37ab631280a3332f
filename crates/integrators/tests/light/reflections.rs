//! Recorded numbers of reflections and refractions, in scenes in which they are known.

use crate::common::{TestSetup, add, algorithm, rectangle, render_scene};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Projection, Scene};

/// The camera is between two mirrors that face each other 2 m apart and end 9 m ahead. Unfolded, a ray of slope `s`
/// moves `9 s` to the side, and crosses mirrors at 1, 3, 5 … m.
#[test]
fn two_parallel_mirrors() {
    let reach = 9.0;
    let mut scene = Scene::default();
    for side in [1.0, -1.0] {
        let facing = Affine3::from_cols(Vec3::Y * side, Vec3::NEG_X * side, Vec3::Z, Vec3::X * side);
        // The mirrors are centred on the camera, which sees the half ahead
        add(&mut scene, rectangle(60.0, 2.0 * reach), Material::mirror("mirror", Vec3::ONE), facing);
    }
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    let (width, height) = (64, 4);
    for name in ["whitted", "path", "igi"] {
        let parameters: &[(&str, &str)] = match name {
            "whitted" => &[("max_depth", "24")],
            "path" => &[("roulette_after", "100"), ("max_bounces", "24")],
            _ => &[("max_bounces", "24")],
        };
        let setup = TestSetup {
            algorithm: algorithm(name, parameters),
            width,
            height,
            samples: 16,
            ..TestSetup::default()
        };
        let found = render_scene(&scene, &setup).reflections().unwrap();
        // The vertical field of view is 90°
        let slope = |column: f32| (column / width as f32 - 0.5) * 2.0 * (width as f32 / height as f32);
        let levels = |column: f32| ((slope(column).abs() * reach + 1.0) / 2.0).floor();
        for (i, &found) in found.iter().enumerate() {
            let column = (i % width as usize) as f32;
            let (a, b) = (levels(column), levels(column + 1.0));
            let (least, most) = (a.min(b).min(24.0), a.max(b).min(24.0));
            let least = if slope(column) * slope(column + 1.0) <= 0.0 { 0.0 } else { least };
            assert!(
                (least..=most).contains(&found),
                "{name}: column {column} has {found}, not {least} to {most}"
            );
        }
    }
}

/// A glass plate at normal incidence. Rays reflected outside leave the scene; inside, the tree of rays extends to the
/// largest depth, or until rays are insignificant.
#[test]
fn a_plate_of_glass() {
    let mut scene = Scene::default();
    let glass = Material::dielectric("glass", 1.5);
    let front = Affine3::from_cols(Vec3::X, Vec3::Z, Vec3::NEG_Y, vec3(0.0, 0.0, -2.0));
    let back = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, 0.0, -2.1));
    add(&mut scene, rectangle(1.0, 1.0), glass.clone(), front);
    add(&mut scene, rectangle(1.0, 1.0), glass, back);
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    // Inside, radiance is n² times as large, so the throughput is 0.96 / 2.25; after one reflection it is 0.017, which
    // is followed, and after two 0.0007
    for (depth, cutoff, deepest) in
        [(0, "0", 0), (1, "0", 1), (2, "0", 2), (5, "0", 5), (12, "0", 12), (12, "0.001", 3), (2, "0.001", 2)]
    {
        let setup = TestSetup {
            algorithm: algorithm("whitted", &[("max_depth", &depth.to_string()), ("cutoff", cutoff)]),
            projection: Projection::Orthographic { height: 2.0 },
            samples: 4,
            ..TestSetup::default()
        };
        let levels = render_scene(&scene, &setup).reflections().unwrap();
        assert_eq!(
            (levels[0], levels[55]),
            (0.0, deepest as f32),
            "beside the plate, and on it: {depth}, {cutoff}"
        );
    }
    // Transmitted light is refracted twice; 4 % of it is reflected at each side and has more levels
    let path = TestSetup {
        algorithm: algorithm("path", &[("roulette_after", "100")]),
        projection: Projection::Orthographic { height: 0.5 },
        samples: 1024,
        ..TestSetup::default()
    };
    let levels = render_scene(&scene, &path).reflections().unwrap();
    let mean = levels.iter().sum::<f32>() / levels.len() as f32;
    // Reflection at the front face, with probability R, is 1 level. Else there are 2 levels, and one more for each
    // reflection inside, R / (1 - R) in the mean
    let r = 0.04;
    let expected = r + (1.0 - r) * (2.0 + r / (1.0 - r));
    assert!((mean / expected - 1.0).abs() < 0.005, "{mean} for {expected}");
}
