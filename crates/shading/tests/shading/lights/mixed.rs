//! Lights of several kinds, none, and many receivers at once.

use std::f64::consts::PI;

use sunfleck_math::{Affine3, Vec2, Vec3, vec3};
use sunfleck_scene::{Environment, Light, LightKind, Material, Node, Scene};
use sunfleck_shading::{BATCH_SIZE, LightBatch};
use sunfleck_testkit::{Random, Uniforms};

use super::{
    LitScene, assert_close, fixed_sample, polygon_irradiance, rectangle, triangle, with_environment,
    with_light, with_triangles,
};

#[test]
fn all_kinds_together_add_up() {
    let mut scene = Scene::default();
    let id = scene.add_material(Material::emitter("lamp", vec3(2.0, 3.0, 5.0)).with_double_sided()).unwrap();
    let point = Light { name: String::new(), emission: Vec3::splat(8.0), kind: LightKind::Point };
    let point = scene.add_light(point).unwrap();
    let transform = Affine3::from_translation(vec3(0.0, 2.0, 0.0));
    scene.add_node(Node::new("point").at(transform).with_light(point)).unwrap();
    let dark = Light { name: String::new(), emission: Vec3::ZERO, kind: LightKind::Point };
    let dark = scene.add_light(dark).unwrap();
    scene.add_node(Node::new("dark").with_light(dark)).unwrap();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.25) }).unwrap();
    let lamp = rectangle(vec3(-0.5, 1.0, -0.5), Vec3::X, Vec3::Z);
    let lit = LitScene::new(&scene, |materials| {
        lamp.iter().zip(0..).map(|(&corners, i)| triangle(corners, i, materials.index_of(id))).collect()
    });
    assert_eq!(
        lit.lights.len(),
        4,
        "two triangles, a point light, the environment; the dark light is left out"
    );
    assert!(!lit.lights.is_empty());
    let corners = [lamp[0][0], lamp[0][1], lamp[0][2], lamp[1][2]];
    let lamp_irradiance = 2.0 * polygon_irradiance(Vec3::ZERO, Vec3::Y, &corners);
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 400_000), lamp_irradiance + 8.0 / 4.0 + 0.25 * PI, 1e-2);
}

#[test]
fn scenes_without_lights() {
    let lit = LitScene::new(&Scene::default(), |_| Vec::new());
    assert!(lit.lights.is_empty());
    assert!(fixed_sample(&lit, Vec3::ZERO).is_none());
    assert_eq!(lit.lights.environment_radiance(Vec3::Y), Vec3::ZERO);
    assert_eq!(lit.lights.pdf_environment(Vec3::Y, false), 0.0);
    // Triangles without area are left out
    let flat = with_triangles(&[[Vec3::ZERO, Vec3::X, Vec3::X * 2.0], [Vec3::ONE; 3]], true);
    assert!(flat.lights.is_empty());
}

/// Samples lights for many receivers one by one and together: triangles, punctual lights and an environment.
#[test]
fn batches_have_the_samples_of_single_receivers() {
    let lamps = |triangles: u32| {
        let corners: Vec<[Vec3; 3]> = (0..triangles)
            .map(|i| {
                let at = vec3((i % 5) as f32, 3.0, (i / 5) as f32);
                [at, at + vec3(0.3, 0.0, 0.1), at + vec3(0.0, 0.1 * (i % 3) as f32, 0.4)]
            })
            .collect();
        with_triangles(&corners, triangles.is_multiple_of(2))
    };
    let sky = with_environment(|_| Environment::Constant { radiance: Vec3::ONE });
    let spot = with_light(LightKind::Point, Affine3::from_translation(vec3(1.0, 2.0, 1.0)));
    for lit in [sky, spot, lamps(0), lamps(1), lamps(2), lamps(23)] {
        let mut random = Random::new(3);
        let mut batch = Box::<LightBatch>::default();
        let mut expected = Vec::new();
        for i in 0..BATCH_SIZE {
            let (light_u, u): (f32, Vec2) = Uniforms::draw(&mut random);
            let (other, more): (f32, Vec2) = Uniforms::draw(&mut random);
            let from = vec3(6.0 * other - 1.0, 4.0 * more.x, 6.0 * more.y - 1.0);
            let receiver_normal =
                if i % 3 == 0 { Vec3::ZERO } else { vec3(u.x - 0.5, 0.5, light_u - 0.5).normalize() };
            (batch.light_u[i], [batch.u[0][i], batch.u[1][i]]) = (light_u, u.to_array());
            for axis in 0..3 {
                (batch.from[axis][i], batch.receiver_normal[axis][i]) = (from[axis], receiver_normal[axis]);
            }
            let wanted = i % 7 != 0;
            let sample = lit.lights.sample(&lit.materials, from, receiver_normal, light_u, u);
            expected.push(sample.filter(|sample| wanted && sample.pdf_solid_angle > 0.0));
        }
        lit.lights.sample_batch(&lit.materials, &mut batch, BATCH_SIZE - 3, |i| i % 7 != 0);
        for (i, expected) in expected.iter().enumerate().take(BATCH_SIZE - 3) {
            assert_eq!(batch.sample(i), *expected, "receiver {i}");
        }
    }
}
