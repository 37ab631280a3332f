//! Closed furnaces: all surfaces emit and reflect alike, so that `B = E / (1 − ρ)`.

use std::f32::consts::PI;
use std::sync::Arc;

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Light, LightKind, Node, Scene};
use sunfleck_surface::matrix::{
    CastOptions, FormFactors, Matrix, PatchSize, Patches, RadiositySystem, Solver, StopRule,
};
use sunfleck_transport::World;

use crate::common::{box_sides, divided, grey, scene_of, sphere};

fn solved(
    scene: &Scene,
    size: PatchSize,
    matrix: fn(Arc<World>, Patches, &FormFactors) -> Matrix,
) -> Vec<Vec3> {
    let (world, patches) = divided(scene, size);
    let world = Arc::new(world);
    let factors = FormFactors::cast(&world, &patches, &CastOptions { rays: 128, ..CastOptions::default() });
    let matrix = matrix(world.clone(), patches.clone(), &factors);
    let system = RadiositySystem::new(&world, &patches, &factors, matrix);
    let stop = StopRule { tolerance: 1e-7, most_iterations: 200 };
    system.solve(Solver::Jacobi, &stop, None).unwrap().radiosity.iter().collect()
}

#[test]
fn radiosity_in_a_furnace_is_exact() {
    let material = || grey(0.75).with_emission(Vec3::splat(0.5));
    let room = scene_of(&[(&box_sides(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), true), material())]);
    let expected = 0.5 * PI / (1.0 - 0.75);
    for (scene, size) in [(&room, PatchSize::Number(200)), (&sphere(2, material()), PatchSize::Number(128))] {
        for matrix in [
            (|_, _, factors| Matrix::dense(factors)) as fn(Arc<World>, Patches, &FormFactors) -> Matrix,
            |_, _, factors| Matrix::sparse(factors, 0.0),
            |_, _, factors| Matrix::sparse(factors, 0.1),
            |world, patches, _| Matrix::traced(world, patches.into(), 32, 5),
        ] {
            for value in solved(scene, size, matrix) {
                assert!(value.abs_diff_eq(Vec3::splat(expected), 1e-5 * expected), "{value}, not {expected}");
            }
        }
    }
}

#[test]
fn the_sky_lights_patches() {
    // A convex block under a white sky sees nothing else
    let block = box_sides(Vec3::ZERO, Vec3::ONE, false);
    let mut scene = scene_of(&[(&block, grey(0.6))]);
    scene.set_environment(Environment::Constant { radiance: Vec3::new(1.0, 2.0, 3.0) }).unwrap();
    for value in solved(&scene, PatchSize::Number(24), |_, _, factors| Matrix::dense(factors)) {
        let expected = Vec3::new(1.0, 2.0, 3.0) * (0.6 * PI);
        assert!(value.abs_diff_eq(expected, 1e-5), "{value}, not {expected}");
    }
}

#[test]
fn punctual_lights_light_patches() {
    let half = 0.5;
    let floor =
        [vec3(-half, 0.0, -half), vec3(-half, 0.0, half), vec3(half, 0.0, half), vec3(half, 0.0, -half)];
    let mut scene = scene_of(&[(&[floor], grey(0.5))]);
    let emission = Vec3::new(1.0, 2.0, 4.0);
    let bulb = Light { name: "bulb".into(), emission, kind: LightKind::Point };
    let light = scene.add_light(bulb).unwrap();
    let at = Affine3::from_translation(Vec3::Y);
    scene.add_node(Node { parent_from_node: at, light: Some(light), ..Node::new("bulb") }).unwrap();
    let found = solved(&scene, PatchSize::Number(1), |_, _, factors| Matrix::dense(factors));
    // The flux through a square of side 2 a at distance d of a point is 4 I asin(a² / (a² + d²)), by its solid angle
    let ratio = f64::from(half * half) / (f64::from(half * half) + 1.0);
    let irradiance = 4.0 * libm::asin(ratio);
    for (value, intensity) in found[0].to_array().into_iter().zip([1.0, 2.0, 4.0]) {
        let expected = 0.5 * intensity * irradiance;
        assert!((f64::from(value) / expected - 1.0).abs() < 1e-3, "{value}, not {expected}");
    }
}
