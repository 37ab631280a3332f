//! Ambient occlusion where it is known.

use std::f32::consts::PI;

use crate::common::{Shot, add, mean, rectangle, shoot};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::ao::Ao;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, Projection, Scene};

/// A floor, and a wall upright on it in the plane x = 0, both as good as endless; black, and without any light.
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

/// Cosine-distributed directions are even over the disc below the hemisphere. The wall at distance d blocks those that go farther than d/r towards it, if it
/// blocks up to a distance of r: a segment of the disc.
fn openness(d: f32, r: f32) -> f32 {
    let c = (d / r).min(1.0);
    1.0 - (sunfleck_math::acos(c) - c * (1.0 - c * c).sqrt()) / PI
}

#[test]
fn a_wall_blocks_a_segment_of_the_hemisphere() {
    let scene = corner();
    for (d, r) in [(0.5, 0.25), (0.5, 0.51), (0.5, 1.0), (0.5, 100.0), (2.0, 3.0), (1e-3, 10.0)] {
        let shot = Shot {
            algorithm: Algorithm::Ao(Ao { distance: r }),
            projection: Projection::Orthographic { height: 1e-5 },
            world_from_view: sunfleck_math::transform::look_at(vec3(d, 0.8, 0.0), vec3(d, 0.0, 0.0), Vec3::Z),
            samples: 256,
            ..Shot::default()
        };
        let found = mean(&shoot(&scene, &shot));
        let expected = openness(d, r);
        assert!((found - expected).abs().max_element() < 0.003, "{d} m, {r} m: {found}, not {expected}");
    }
}

#[test]
fn where_nothing_is_seen_it_is_open() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.25) }).unwrap();
    let found = mean(&shoot(&scene, &Shot { algorithm: Algorithm::Ao(Ao::DEFAULT), ..Shot::default() }));
    assert_eq!(found, Vec3::ONE);
}
