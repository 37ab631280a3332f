//! Ambient occlusion against closed forms.

use std::f32::consts::PI;

use crate::common::{TestSetup, add, mean, rectangle, render_scene};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::ao::Ao;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Projection, Scene};

/// Scene of a floor and a wall in the plane x = 0, both practically infinite and black, without any light.
fn corner() -> Scene {
    const EDGE: f32 = 1e4;
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    let black = |name| Material::lambert(name, Vec3::ZERO).with_double_sided();
    add(&mut scene, rectangle(EDGE, EDGE), black("floor"), Affine3::IDENTITY);
    let upright = Affine3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::Z, Vec3::ZERO);
    add(&mut scene, rectangle(EDGE, EDGE), black("wall"), upright);
    scene
}

/// Returns the unoccluded fraction at distance `d` from the wall, for occlusion up to distance `r`. Cosine-distributed
/// directions are uniform over the disc below the hemisphere, and the wall occludes a segment of it: directions whose
/// component towards the wall exceeds d / r.
fn openness(d: f32, r: f32) -> f32 {
    let c = (d / r).min(1.0);
    1.0 - (sunfleck_math::acos(c) - c * (1.0 - c * c).sqrt()) / PI
}

#[test]
fn a_wall_blocks_a_segment_of_the_hemisphere() {
    let scene = corner();
    for (d, r) in [(0.5, 0.25), (0.5, 0.51), (0.5, 1.0), (0.5, 100.0), (2.0, 3.0), (1e-3, 10.0)] {
        let setup = TestSetup {
            algorithm: Algorithm::Ao(Ao { distance: r }),
            projection: Projection::Orthographic { height: 1e-5 },
            world_from_view: sunfleck_math::transform::look_at(vec3(d, 0.8, 0.0), vec3(d, 0.0, 0.0), Vec3::Z),
            samples: 256,
            ..TestSetup::default()
        };
        let found = mean(&render_scene(&scene, &setup));
        let expected = openness(d, r);
        assert!((found - expected).abs().max_element() < 0.003, "{d} m, {r} m: {found}, not {expected}");
    }
}

#[test]
fn rays_that_hit_nothing_are_unoccluded() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.25) }).unwrap();
    let found = mean(&render_scene(
        &scene,
        &TestSetup { algorithm: Algorithm::Ao(Ao::DEFAULT), ..TestSetup::default() },
    ));
    assert_eq!(found, Vec3::ONE);
}
